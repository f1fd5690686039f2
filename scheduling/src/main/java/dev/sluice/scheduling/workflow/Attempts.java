package dev.sluice.scheduling.workflow;

/**
 * Batches that ran, and of which nothing is in the schedule: they failed, or were given up.
 *
 * @param heldNs how long they held GPUs, all together
 */
public record Attempts(int count, long heldNs) {
  public static final Attempts NONE = new Attempts(0, 0);
}
