package dev.sluice.scheduling.fact;

import org.jspecify.annotations.Nullable;

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
   * Compares by hand, as {@link #hashCode} does: a record's generated methods are slow in a table
   * of running batches.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DispatchName that && factId == that.factId && index == that.index;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(factId) + index;
  }

  @Override
  public String toString() {
    return factId + "-" + index;
  }
}
