package dev.sluice.contract.value;

/** What a lane can run: a workload on a backend in a precision. */
public record ModelKey(String workload, String backend, String precision) {
  @Override
  public String toString() {
    return workload + " on " + backend + " in " + precision;
  }
}
