package dev.sluice.scheduling.driver;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;

/** Receives the core's decisions while it applies one fact. */
public interface CoreListener {
  /** Listens to nothing, where a fact is applied again for the state alone. */
  CoreListener NOBODY = new CoreListener() {};

  /**
   * Called once for each fact of a started run, after the fact was taken in, and before any job is
   * dropped or started.
   *
   * @param state the state at hand, valid only during the call
   */
  default void deciding(SchedulerState state) {}

  default void started(BatchDispatched dispatch) {}

  /** Called in place of {@link #started(BatchDispatched)} with the batch's first job. */
  default void started(BatchDispatched dispatch, JobSpec first) {
    started(dispatch);
  }

  /** Called when a lane is to release or load models. */
  default void prepared(LanePrepared dispatch) {}

  default void ended(JobEnded end) {}

  /**
   * Called after a span in which jobs waited, a lane was idle, and the policy had nothing to start.
   * Spans do not overlap; spans below a millisecond are left out.
   */
  default void blocked(Blocked span) {}

  /**
   * Called when a published table is refused; it leaves no trace in the core.
   *
   * @param reason the table's fault, with the values
   */
  default void refused(PredictionsPublished table, String reason) {}
}
