package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;

/**
 * Receives what a log would hold, each shard's facts in their order, and the core's answers after
 * the fact that led to them. {@code appendedAtNs} is log time: whole milliseconds.
 */
public interface SimulationListener {
  /** Listener that ignores all calls. */
  SimulationListener NONE = new SimulationListener() {};

  /** A job was requested. */
  default void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {}

  /**
   * A batch ended, or was refused.
   *
   * @param ran lane and times of the run; all 0 for a refused batch
   */
  default void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {}

  /**
   * An executor reported.
   *
   * @param held by lane: the dispatches that it holds
   */
  default void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {}

  /** Any other fact. */
  default void appended(int shard, long appendedAtNs, CoreFact fact) {}

  /** The core started a batch. */
  default void started(int shard, long appendedAtNs, Dispatch dispatch) {}

  /** The core ended a job. */
  default void ended(int shard, long appendedAtNs, JobEnd end) {}

  /** Lanes stood idle beside work that waited. */
  default void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {}

  /**
   * A batch's time on its lane.
   *
   * @param endedAtNs startedAtNs + its service time
   * @param workNs duration of its work; the rest of its service time is the lane's lateness
   * @param busyLanes how many lanes ran a batch when it started, its own included
   */
  record Ran(long startedAtNs, long endedAtNs, long workNs, int busyLanes) {
    /** Run of a dispatch that was refused. */
    static final Ran NOT = new Ran(0, 0, 0, 0);
  }
}
