package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.SchedulerState;

/** Receives the core's decisions while it applies one fact. */
public interface CoreListener {
  /** Listens to nothing, where a fact is applied again for the state alone. */
  CoreListener NOBODY =
      new CoreListener() {
        @Override
        public void started(Dispatch dispatch) {}

        @Override
        public void ended(JobEnd end) {}

        @Override
        public void blocked(long fromNs, long toNs, Cause cause) {}
      };

  /**
   * Called once for each fact of a started run, after the fact was taken in, and before any job is
   * dropped or started.
   *
   * @param state the state at hand, valid only during the call
   */
  default void deciding(SchedulerState state) {}

  /** Called when a batch starts. */
  void started(Dispatch dispatch);

  /** Called when a job has ended. */
  void ended(JobEnd end);

  /**
   * Called after a span in which jobs waited, a lane was idle, and the policy had nothing to start.
   * Spans do not overlap; spans below a millisecond are left out.
   *
   * @param cause any but {@link Cause#LANE}
   */
  void blocked(long fromNs, long toNs, Cause cause);

  /**
   * Called when a published table is refused; it leaves no trace in the core.
   *
   * @param reason the table's fault, with the values
   */
  default void refused(CoreFact.PredictionsPublished table, String reason) {}
}
