package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A core's state for people. Ask it between two facts; {@link WatchedJob#othersToShareWith} and
 * {@link WatchedJob#canRunOn} may also be asked while the core tells its listener of a start.
 * Answers are values that do not change later, but a {@link WatchedJob} always tells the present.
 * Asking changes no decision.
 */
public final class Inspection {
  private final CoreState state;
  private final SchedulingPolicy policy;

  public Inspection(CoreState state, SchedulingPolicy policy) {
    this.state = state;
    this.policy = policy;
  }

  /** Returns log time. */
  public long nowNs() {
    return state.nowNs();
  }

  /** Returns the waiting jobs in the order in which the core took them in. */
  public List<WaitingJob> waitingJobs() {
    return state.waitingIn(group -> true).stream()
        .map(
            job ->
                new WaitingJob(
                    job.spec, job.group.jobClass, job.entry(), job.appendedAtNs, job.attempts()))
        .toList();
  }

  /** Returns how many waiting jobs each cause holds up; only the first of a job's causes counts. */
  public Map<Cause, Integer> waitingByCause() {
    Map<Cause, Integer> counts = new EnumMap<>(Cause.class);
    for (JobGroup group : state.groups()) {
      counts.merge(WatchedJob.reasons(state, group).first(), group.waiting(), Integer::sum);
    }
    return Collections.unmodifiableMap(counts);
  }

  /**
   * Finds a job that waits or that a lane holds; null: there is none of that id. Walks over all of
   * these jobs.
   */
  public @Nullable WatchedJob find(String jobId) {
    for (QueuedJob job : state.waitingIn(group -> true)) {
      if (job.spec.id().equals(jobId)) {
        return new WatchedJob(state, job);
      }
    }
    for (ExecutorLanes executor : state.executors()) {
      for (ExecutorLane lane : executor.allLanes()) {
        for (Batch batch : lane.held()) {
          for (QueuedJob job : batch.jobs) {
            if (job.spec.id().equals(jobId) && job.phase == QueuedJob.Phase.RUNNING) {
              return new WatchedJob(state, job);
            }
          }
        }
      }
    }
    return null;
  }

  /**
   * Returns the lanes of all executors that have not left: executors as they joined, then index.
   */
  public List<LaneUse> lanes() {
    return state.lanes().stream()
        .map(
            lane ->
                new LaneUse(
                    lane.executorId(),
                    lane.index(),
                    lane.idle(),
                    lane.hangs(),
                    lane.held().stream().map(batch -> batch.dispatch).toList(),
                    lane.expectedFreeAtNs(),
                    lane.resident()))
        .toList();
  }

  /** Returns the tokens of all executors that have not left, as they joined. */
  public List<TokenUse> tokens() {
    return state.executors().stream()
        .filter(ExecutorLanes::joined)
        .map(
            executor -> {
              long budget = executor.budgetTokens();
              boolean isUnlimited = budget == Long.MAX_VALUE;
              return new TokenUse(
                  executor.report.executorId(),
                  budget,
                  isUnlimited ? Long.MAX_VALUE : executor.freeTokens());
            })
        .toList();
  }

  /**
   * Returns waiting jobs that could start now, by the policy's score or, without one, by the order
   * in which it reads jobs. Each is judged alone in the present state, so that a second one need
   * not start after the first has. A policy may let none of them start: fifo lets nobody overtake,
   * critical_path keeps lanes free for a gang, and random draws.
   *
   * @param most number of jobs at which the list ends
   */
  public List<Candidate> candidates(int most) {
    List<QueuedJob> startable = state.waitingIn(group -> state.laneFor(group) != null);
    JobOrder order =
        policy.needs().orders().stream().min(Comparator.naturalOrder()).orElse(JobOrder.ENTRY);
    startable.sort(order);
    List<Candidate> candidates = new ArrayList<>(startable.size());
    for (QueuedJob job : startable) {
      ExecutorLane lane = state.laneFor(job.group);
      if (lane != null) {
        Map<String, Double> terms = policy.scoreTerms(state, job, lane);
        Double score = terms.isEmpty() ? null : terms.values().stream().mapToDouble(t -> t).sum();
        candidates.add(new Candidate(job.spec, score, terms, lane.executorId(), lane.index()));
      }
    }
    candidates.sort( // stable: equal scores stay in the policy's order
        Comparator.comparingDouble((Candidate c) -> c.score() == null ? 0 : -c.score()));
    return List.copyOf(candidates.subList(0, Math.min(most, candidates.size())));
  }
}
