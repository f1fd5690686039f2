package dev.sluice.executor.profile;

import dev.sluice.contract.value.ModelKey;

/**
 * A batch that a run has completed.
 *
 * @param busyLanes number of busy lanes when the batch began, its own included; at least 1
 * @param startedAtNs start of the batch, since time zero of the run
 * @param serviceNs service time; at least 1
 */
public record Measured(
    ModelKey model, int samples, int busyLanes, long startedAtNs, long serviceNs) {
  public double lnNs() {
    return StrictMath.log((double) serviceNs);
  }
}
