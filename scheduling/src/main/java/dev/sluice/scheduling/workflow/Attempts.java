package dev.sluice.scheduling.workflow;

/**
 * Batches that ran but are not in the schedule, since they failed or were given up.
 *
 * @param heldNs total time for which they held GPUs
 */
public record Attempts(int count, long heldNs) {
  public static final Attempts NONE = new Attempts(0, 0);
}
