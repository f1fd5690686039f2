package dev.sluice.scheduling.policy;

/** What a policy with a memory is told of. */
public sealed interface Happening {
  /** A fact was taken in, whatever it was; time may have passed. */
  record TimePassed() implements Happening {
    public static final TimePassed INSTANCE = new TimePassed();
  }

  /**
   * A batch was done; told before {@link TimePassed} of the fact that said so.
   *
   * @param lane first lane that ran the batch
   * @param set name of the compatible set that the batch was of
   * @param samples inputs of all of its jobs
   * @param serviceNs measured service time
   * @param hopNs time from the decision until the lane began with it, loading left out
   * @param sloNs shortest latency promise of its jobs that had not ended
   */
  record Completed(
      SchedulerState.Lane lane, String set, int samples, long serviceNs, long hopNs, long sloNs)
      implements Happening {}

  /** A choice of the policy was applied. */
  record Applied(Choice choice) implements Happening {}
}
