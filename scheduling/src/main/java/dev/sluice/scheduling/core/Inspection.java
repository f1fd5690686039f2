package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
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

  public long nowNs() {
    return state.nowNs();
  }

  /** Returns the waiting jobs in the order in which the core took them in. */
  public List<WaitingJob> waitingJobs() {
    return state.jobs.waitingIn(group -> true).stream().map(QueuedJob::toEntity).toList();
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
    for (QueuedJob job : state.jobs.waitingIn(group -> true)) {
      if (job.spec.id().equals(jobId)) {
        return new WatchedJob(state, job);
      }
    }
    for (ExecutorLanes executor : state.executors.all) {
      for (ExecutorLane lane : executor.allLanes) {
        for (Batch batch : lane.held) {
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
                    lane.held.stream().map(batch -> batch.dispatch).toList(),
                    lane.expectedFreeAtNs(),
                    lane.resident()))
        .toList();
  }

  /** Returns the tokens of all executors that have not left, as they joined. */
  public List<TokenUse> tokens() {
    return state.executors.all.stream()
        .filter(ExecutorLanes::joined)
        .map(
            executor -> {
              long budget = executor.budgetTokens;
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
    List<QueuedJob> startable = state.jobs.waitingIn(group -> state.laneFor(group) != null);
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

  /**
   * One job that a core holds, followed until it ends: each question is about the present state.
   */
  public static final class WatchedJob {
    private final CoreState state;
    private final QueuedJob job;

    WatchedJob(CoreState state, QueuedJob job) {
      this.state = state;
      this.job = job;
    }

    public JobSpec spec() {
      return job.spec;
    }

    public long entry() {
      return job.entry();
    }

    public boolean waits() {
      return job.phase == QueuedJob.Phase.WAITING;
    }

    /** Returns whether an executor that is not lost can run the job, be it busy or not. */
    public boolean canRunOn(String executorId) {
      ExecutorLanes executor = state.executors.byId(executorId);
      return executor != null && canRunOn(executor, job.group);
    }

    /**
     * Returns how many waiting jobs could share a batch with it, not counting itself. May be asked
     * while the core tells of a start, when the jobs of that batch no longer wait.
     */
    public int othersToShareWith() {
      return job.group.shares && !job.group.overBudget
          ? job.group.set.waitingToShare() - (waits() ? 1 : 0)
          : 0;
    }

    /**
     * Returns why the job does not start.
     *
     * @throws IllegalStateException if it does not wait
     */
    public WaitReasons reasons() {
      if (!waits()) {
        throw new IllegalStateException(job.spec.id() + " does not wait");
      }
      return reasons(state, job.group);
    }

    static WaitReasons reasons(CoreState state, JobGroup group) {
      boolean anyCanRun = false;
      boolean anyHasLanes = false;
      long freeTokens = Long.MIN_VALUE;
      boolean hasRoom = false;
      for (ExecutorLanes executor : state.executors.all) {
        if (!canRunOn(executor, group)) {
          continue;
        }
        anyCanRun = true;
        boolean hasLanes = executor.takes(group.lanesNeeded());
        if (anyHasLanes && !hasLanes) {
          continue;
        }
        if (hasLanes && !anyHasLanes) { // only executors with lanes count from now on
          anyHasLanes = true;
          freeTokens = Long.MIN_VALUE;
          hasRoom = false;
        }
        long free =
            executor.budgetTokens == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : executor.freeTokens(group, state.nowNs());
        freeTokens = Math.max(freeTokens, free);
        hasRoom |= group.overBudget ? state.settings.placing().cpuFallback() : group.tokens <= free;
      }
      List<Cause> causes = new ArrayList<>(2);
      if (!anyCanRun) {
        causes.add(Cause.CAPABILITY);
      } else {
        if (!anyHasLanes) {
          causes.add(Cause.LANE);
        }
        if (!hasRoom) {
          causes.add(Cause.TOKENS);
        }
      }
      if (!group.ripe(state.nowNs())) {
        causes.add(Cause.WINDOW);
      }
      if (causes.isEmpty()) {
        causes.add(Cause.POLICY);
      }
      return new WaitReasons(
          causes,
          state.tokensHeldBy(group, group.samples()),
          anyCanRun ? freeTokens : 0,
          group.shares ? group.set.readyAtNs() : Long.MIN_VALUE);
    }

    private static boolean canRunOn(ExecutorLanes executor, JobGroup group) {
      return executor.joined()
          && !executor.lost
          && group.set.modelOn(executor) != null
          && group.lanesNeeded() <= executor.lanes().size();
    }
  }

  /**
   * The reasons for which a waiting job does not start, as the core stands after a fact.
   *
   * <ul>
   *   <li>CAPABILITY: no present executor can run the job's model on as many lanes as it needs. An
   *       executor is present from its first report until it leaves or its lease expires.
   *   <li>LANE: no present executor that can run the job has the lanes for it. A lane that takes
   *       one more batch beside what it holds counts as free for a job of one lane.
   *   <li>TOKENS: of the executors that can run the job and have the lanes, or of all that can run
   *       it if none has, no executor has as many free tokens as the job needs.
   *   <li>WINDOW: the job's micro-batch set still gathers jobs.
   *   <li>POLICY: none of these reasons holds, so that the job could start, but the policy lets
   *       others go first.
   * </ul>
   *
   * @param causes all causes that hold, in the order above; never empty
   * @param tokensNeeded tokens that the job needs alone; 0 if it runs outside the budget
   * @param tokensFree most tokens that one of the executors that were asked has for it, without
   *     tokens that are reserved for other jobs; {@link Long#MAX_VALUE}: unlimited. 0 if no
   *     executor can run it
   * @param ripeAtNs time at which its set need gather no longer; {@link Long#MIN_VALUE}: it shares
   *     no batch
   */
  public record WaitReasons(List<Cause> causes, long tokensNeeded, long tokensFree, long ripeAtNs) {
    /** Causes in the order in which the first counts. */
    public static final List<Cause> ORDER =
        List.of(Cause.CAPABILITY, Cause.LANE, Cause.TOKENS, Cause.WINDOW, Cause.POLICY);

    public WaitReasons {
      causes = List.copyOf(causes);
    }

    public Cause first() {
      return causes.get(0);
    }
  }

  /**
   * A waiting job that could start now.
   *
   * @param score sum of its terms, by which the policy orders such jobs; null: it orders them by no
   *     score
   * @param terms terms of the score, in their order; empty without a score
   * @param executorId executor on whose lane it could start
   * @param lane index of that lane; a gang takes the next ones too
   */
  public record Candidate(
      JobSpec job,
      @Nullable Double score,
      Map<String, Double> terms,
      String executorId,
      int lane) {}

  /**
   * A lane of an executor that has not left, and what it holds.
   *
   * @param idle whether the lane holds nothing and takes a batch
   * @param hangs whether its executor or one of its batches was given up, so that it may never be
   *     idle again
   * @param held dispatches that it holds, in the order in which it runs them; a gang's stands on
   *     each of its lanes
   * @param freeAtNs time at which it is expected to be free by the predicted means of what it
   *     holds, which may be past; the time since when it is free if it holds nothing
   * @param resident workload whose model it holds; null: none was started on it
   */
  public record LaneUse(
      String executorId,
      int index,
      boolean idle,
      boolean hangs,
      List<BatchDispatched> held,
      long freeAtNs,
      @Nullable String resident) {
    public LaneUse {
      held = List.copyOf(held);
    }
  }

  /**
   * The memory of an executor that has not left.
   *
   * @param budget all of its tokens; {@link Long#MAX_VALUE}: unlimited, and so is what is free
   * @param free tokens that no batch holds; negative if the budget shrank below what is held
   */
  public record TokenUse(String executorId, long budget, long free) {}
}
