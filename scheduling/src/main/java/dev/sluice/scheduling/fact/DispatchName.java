package dev.sluice.scheduling.fact;

/**
 * The name of a dispatch: the id of the fact that led to it, and its place among that fact's
 * dispatches. Names rise.
 */
public record DispatchName(long factId, int index) implements Comparable<DispatchName> {
  @Override
  public int compareTo(DispatchName that) {
    int byFact = Long.compare(factId, that.factId);
    return byFact != 0 ? byFact : Integer.compare(index, that.index);
  }

  /**
   * Computes the hash by hand: a record's generated method is slow in a table of running batches.
   */
  @Override
  public int hashCode() {
    return 31 * Long.hashCode(factId) + index;
  }

  @Override
  public String toString() {
    return factId + "-" + index;
  }
}
