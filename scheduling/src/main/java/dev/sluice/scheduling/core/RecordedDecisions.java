package dev.sluice.scheduling.core;

import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Decisions of a record, and of another admission, in the state of a core that is deciding. States
 * are those that a core hands to its policy and its listener.
 */
public final class RecordedDecisions {
  private RecordedDecisions() {}

  /**
   * Returns the start that a record names, as an answer of a policy in this state.
   *
   * @param batch ids of its jobs, the chosen one first
   * @param executorId executor that it names
   * @param lanes indexes of its lanes on the executor
   * @throws InvalidChoiceException if the start would break a rule of the core in this state
   */
  public static Choice.Start start(
      SchedulerState state, List<String> batch, String executorId, List<Integer> lanes) {
    CoreState core = (CoreState) state;
    Map<String, QueuedJob> waiting = new HashMap<>();
    core.jobs.waitingIn(group -> true).forEach(job -> waiting.put(job.spec.id(), job));
    List<QueuedJob> jobs =
        batch.stream().map(waiting::get).filter(Objects::nonNull).distinct().toList();
    if (jobs.size() < batch.size()) {
      throw new InvalidChoiceException(
          InvalidChoiceException.Rule.UNKNOWN_JOB,
          "record",
          "jobs %s, of which only %s wait".formatted(batch, jobs));
    }
    ExecutorLanes executor = core.executors.byId(executorId);
    if (executor == null || !lanes.stream().allMatch(executor::hasLane)) {
      throw new InvalidChoiceException(
          InvalidChoiceException.Rule.UNKNOWN_LANE,
          "record",
          "lanes %s of (%s)".formatted(lanes, executorId));
    }
    List<ExecutorLane> on = lanes.stream().map(executor.allLanes::get).toList();
    Choice.Start start = Choice.start(List.copyOf(jobs), on);
    new DecisionCheck(core, "record", false).check(start);
    return start;
  }

  /** A waiting job that an admission would drop. */
  public record Late(String jobId, String classType, String reason) {}

  /**
   * Returns the jobs that an admission would drop in this state, by entry. The core must keep the
   * order by deadline.
   */
  public static List<Late> late(SchedulerState state, Admission admission) {
    List<QueuedJob> jobs = Drops.late((CoreState) state, admission, Integer.MAX_VALUE);
    if (jobs.isEmpty()) {
      return List.of();
    }
    String reason = Drops.reason(admission).text();
    return jobs.stream().map(job -> new Late(job.spec.id(), job.spec.classType(), reason)).toList();
  }
}
