package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import java.util.List;
import java.util.Map;

/**
 * Deferred batches: a set's batch starts when one more job could not join it and still end by its
 * first deadline, or when a lane is free after that. Of the batches that may start, the one that
 * must start first does. Heads that keep the queue from batches of the size that the load needs are
 * given up (Symphony: Chen et al., "Symphony: Optimized DNN Model Serving using Deferred Batch
 * Scheduling", arXiv 2308.07470).
 */
final class SymphonyPolicy implements SchedulingPolicy {
  /**
   * hop_ms: time that each promise is shortened by, for the way to a lane and back; by default what
   * Symphony reserves for its controller, its timer and the reply.
   */
  static final List<Weight> PARAMETERS = List.of(new Weight("hop_ms", 2.2, 0, 10_000));

  private final long hopNs;

  SymphonyPolicy(Map<String, Double> parameters) {
    hopNs = Weight.nsOfMs(parameters, "hop_ms");
  }

  /**
   * A set's next batch.
   *
   * @param samples its size
   * @param startNs when it starts if a lane is idle
   * @param latestNs when it must start
   */
  private record Batch(Job first, int samples, long startNs, long latestNs) {}

  @Override
  public Needs needs() {
    return Needs.of(
        JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.JOINING, Need.DROPPING, Need.RATES);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Batch next = null;
    Lane on = null;
    long untilNs = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      Group group = Queues.first(set, JobOrder.DEADLINE).group();
      Lane idle = Queues.longestIdle(state, group);
      Lane lane = idle == null ? Queues.anyLane(state, set) : idle;
      if (lane == null) {
        continue;
      }
      int samples = samplesInTime(state, set, lane);
      long neededNs = hopNs + state.predictedNs(set, Math.max(1, samples), lane);
      long deadlineNs = set.firstKey(JobOrder.DEADLINE);
      if (deadlineNs < state.nowNs() + neededNs) {
        return Choice.drop(Queues.due(set, JobOrder.DEADLINE, state.nowNs() + neededNs), "late");
      }
      Batch batch = batch(state, set, lane, samples);
      untilNs = Math.min(untilNs, deadlineNs - neededNs + 1);
      if (idle == null) {
        continue;
      }
      if (batch.startNs > state.nowNs()) {
        untilNs = Math.min(untilNs, batch.startNs);
      } else if (next == null || batch.latestNs < next.latestNs) {
        next = batch;
        on = lane;
      }
    }
    if (next == null || on == null) {
      return Queues.nothingUntil(state, untilNs);
    }
    return Queues.start(state, next.first, on, JobOrder.DEADLINE, next.samples)
        .because(Map.of("slack_ms", (next.latestNs - state.nowNs()) / 1e6));
  }

  /**
   * Returns the size of a batch of the last jobs, up to the size that the load needs, that would
   * end by the first of their deadlines if it started now; 0: not even the last job would.
   */
  private int samplesInTime(SchedulerState state, CompatibleSet set, Lane lane) {
    int most = target(state, set, lane);
    int samples = 0;
    Walk last = set.walkBack(JobOrder.DEADLINE);
    for (Job job = last.next(); job != null && samples < most; job = last.next()) {
      int with = samples + job.group().samples();
      if (job.deadlineNs() < state.nowNs() + hopNs + state.predictedNs(set, with, lane)) {
        break;
      }
      samples = with;
    }
    return Math.min(samples, most);
  }

  /**
   * Returns the size of batches at which the lanes keep up with the load: the largest b with l(b)
   * (1 + 1 / n) within the promise, where n is the number of lanes that the load keeps busy at b;
   * for less than one lane the largest b with l(b) + b / rate within the promise; half of the
   * promise as long as no rate is known.
   */
  private int target(SchedulerState state, CompatibleSet set, Lane lane) {
    long promiseNs = Queues.first(set, JobOrder.DEADLINE).spec().sloNs() - hopNs;
    double perSecond = set.arrivalsPerSecond();
    if (Double.isNaN(perSecond)) {
      return Math.max(1, state.largestWithin(set, lane, promiseNs / 2));
    }
    double gapNs = 1e9 / Math.max(perSecond, 1e-9);
    int fits =
        Queues.largest(
            set.samplesMax(),
            samples -> {
              double serviceNs = state.predictedNs(set, samples, lane);
              return serviceNs + Math.min(serviceNs, samples * gapNs) <= promiseNs;
            });
    boolean needsMoreThanOneLane =
        state.predictedNs(set, fits + 1, lane) > (fits + 1) * gapNs || fits == 0;
    if (needsMoreThanOneLane || fits == set.samplesMax()) {
      return Math.max(1, fits);
    }
    int gathered =
        Queues.largest(
            fits, samples -> state.predictedNs(set, samples, lane) + samples * gapNs <= promiseNs);
    return Math.max(1, gathered);
  }

  /** Returns the batch that begins with the first job, as large as its deadline lets it be now. */
  private Batch batch(SchedulerState state, CompatibleSet set, Lane lane, int samplesInTime) {
    Job first = Queues.first(set, JobOrder.DEADLINE);
    long deadlineNs = first.deadlineNs() - hopNs;
    int most = state.largestWithin(set, lane, deadlineNs - state.nowNs());
    int waiting = (int) Math.min(Queues.samplesWaiting(set), Integer.MAX_VALUE);
    int samples =
        Math.max(first.group().samples(), Math.max(samplesInTime, Math.min(most, waiting)));
    long latestNs = deadlineNs - state.predictedNs(set, samples, lane);
    long oneMoreNs = deadlineNs - state.predictedNs(set, samples + 1, lane);
    boolean isFull = samples >= set.samplesMax();
    long startNs = isFull ? state.nowNs() : Math.max(state.nowNs(), Math.min(oneMoreNs, latestNs));
    return new Batch(first, samples, startNs, latestNs);
  }
}
