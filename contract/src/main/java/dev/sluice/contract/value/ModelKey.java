package dev.sluice.contract.value;

import org.jspecify.annotations.Nullable;

/** What a lane can run: a workload on a backend in a precision. */
public record ModelKey(String workload, String backend, String precision) {
  /**
   * Compares by hand, as {@link #hashCode} does: a record's generated methods are slow in tables
   * that each decision looks something up in.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ModelKey that
        && workload.equals(that.workload)
        && backend.equals(that.backend)
        && precision.equals(that.precision);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * workload.hashCode() + backend.hashCode()) + precision.hashCode();
  }

  @Override
  public String toString() {
    return workload + " on " + backend + " in " + precision;
  }
}
