package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.Weight;
import java.util.List;
import java.util.Map;

/**
 * The dynamic batcher of NVIDIA's Triton inference server: first in first out for each model, as
 * many jobs as the largest or a preferred batch size takes, waiting for more at most a delay. Of
 * several models the one that the lane ran least often goes first, as its rate limiter does by
 * execution counts. It reads no promise and no prediction, unless {@code promise_share} is set.
 */
final class TritonPolicy implements SchedulingPolicy {
  /**
   * delay_ms: Triton's max_queue_delay; promise_share: if above 0, no batch takes longer than this
   * share of the promise by the predicted mean, which Triton is told by its operator as a batch
   * size.
   */
  static final List<Weight> PARAMETERS =
      List.of(new Weight("delay_ms", 0, 0, 10_000), new Weight("promise_share", 0, 0, 1));

  private final long delayNs;
  private final double promiseShare;

  TritonPolicy(Map<String, Double> parameters) {
    delayNs = Weight.nsOfMs(parameters, "delay_ms");
    promiseShare = Weight.in(parameters, "promise_share");
  }

  @Override
  public Needs needs() {
    return promiseShare > 0
        ? Needs.of(
            JobOrder.ENTRY,
            Need.DEADLINES,
            Need.ESTIMATES,
            Need.JOINING,
            Need.MEMORY,
            Need.SETS_OF_ALL_CLASSES)
        : Needs.of(JobOrder.ENTRY, Need.JOINING, Need.MEMORY, Need.SETS_OF_ALL_CLASSES);
  }

  private static String runsOf(Lane lane, CompatibleSet set) {
    return Queues.nameOf("runs", lane) + "/" + set.name();
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    if (what instanceof Happening.Applied applied
        && applied.choice() instanceof Choice.Start start) {
      String name = runsOf(start.lanes().get(0), start.batch().get(0).group().set());
      memory.set(name, memory.get(name, 0) + 1);
    }
  }

  @Override
  public Choice choose(SchedulerState state) {
    Job first = null;
    Lane on = null;
    int samples = 0;
    double fewestRuns = Double.POSITIVE_INFINITY;
    long untilNs = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      Job head = Queues.first(set, JobOrder.ENTRY);
      Lane lane = Queues.longestIdle(state, head.group());
      if (lane == null) {
        continue;
      }
      int ready = ready(state, set, head, lane);
      if (ready == 0) {
        untilNs = Math.min(untilNs, queuedAtNs(head) + delayNs);
        continue;
      }
      double runs = state.remembered(runsOf(lane, set), 0);
      if (runs < fewestRuns
          || (runs == fewestRuns && first != null && head.entry() < first.entry())) {
        first = head;
        on = lane;
        samples = ready;
        fewestRuns = runs;
      }
    }
    return first == null || on == null
        ? Queues.nothingUntil(state, untilNs)
        : Queues.start(state, first, on, JobOrder.ENTRY, samples);
  }

  private static long queuedAtNs(Job job) {
    return job.spec().intendedAtNs();
  }

  /** Returns the size of the batch that may go now; 0: it waits for more. */
  private int ready(SchedulerState state, CompatibleSet set, Job head, Lane lane) {
    int most = set.samplesMax();
    if (promiseShare > 0) {
      long withinNs = (long) (promiseShare * head.spec().sloNs());
      most = Math.max(1, state.largestWithin(set, lane, withinNs));
    }
    List<Integer> preferred = set.preferredSamples();
    int enough = preferred.isEmpty() ? most : preferred.get(preferred.size() - 1);
    int pending = 0;
    int preferredPending = 0;
    boolean noMoreFits = false;
    Walk walk = set.walk(JobOrder.ENTRY);
    for (Job job = walk.next(); job != null && !noMoreFits; job = walk.next()) {
      int with = pending + job.group().samples();
      if (with > most && pending > 0) {
        noMoreFits = true;
      } else {
        pending = with;
        preferredPending = preferred.contains(pending) ? pending : preferredPending;
      }
    }
    boolean waitedLongEnough = delayNs == 0 || queuedAtNs(head) + delayNs <= state.nowNs();
    if (preferredPending > 0 && (delayNs == 0 || !waitedLongEnough)) {
      return preferredPending;
    }
    return noMoreFits || pending >= enough || waitedLongEnough ? pending : 0;
  }
}
