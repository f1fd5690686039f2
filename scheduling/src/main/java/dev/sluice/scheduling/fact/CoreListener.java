package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.policy.Choice.Cause;

/** Receives what the core decides, and what of its state changed, while it applies one fact. */
public interface CoreListener {
  /** A batch starts. */
  void started(Dispatch dispatch);

  /** A job came to its end. */
  void ended(JobEnd end);

  /**
   * Jobs waited beside an idle lane, and the policy had nothing to start. Spans do not overlap;
   * those below a millisecond are left out.
   *
   * @param cause any but {@link Cause#LANE}
   */
  void blocked(long fromNs, long toNs, Cause cause);

  /**
   * A published table is not used, and leaves no trace in the core.
   *
   * @param reason what is wrong with it, with the values
   */
  default void refused(CoreFact.PredictionsPublished table, String reason) {}

  /**
   * Whether it keeps the state's entities. If not, it is told of none: a simulation need not pay
   * for them. The answer must not change while a core lives.
   */
  default boolean keepsState() {
    return true;
  }

  /** An entity of the state is new or has changed: keep it under its key. */
  void changed(CoreEntity entity);

  /** An entity of the state is gone: forget its key. */
  void removed(String entityKey);
}
