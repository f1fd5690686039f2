package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Happening;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batch of the least slack first: deadline of its first job - now - upper bound of the whole
 * batch. It starts at once while a quarter of the lanes is idle beside its own, or none is busy, or
 * jobs of another set wait. Otherwise waiting takes the time of few lanes: the batch starts when
 * one more job could not join it and still end by the first deadline. Before a start a {@link
 * SlackForecast} tells how many of the first jobs to give up, so that the fewest are lost; nearly
 * always none. Where lanes have a memory it loads as {@link ClockworkPolicy} does, and what no lane
 * holds.
 *
 * <p>The bound is the state's times a margin that is learned: after each batch of a set it rises by
 * 0.95 of a step if the batch took longer, else it falls by 0.05 of a step, never below 1. So one
 * batch of twenty takes longer, also where nothing but the mean is known.
 */
final class SlackPolicy implements SchedulingPolicy {
  /**
   * hop_ms: how much earlier than it must a deferred batch starts, for the way to a lane and back;
   * horizon: how far the forecast expects arrivals, in promises.
   */
  static final List<Weight> PARAMETERS =
      List.of(new Weight("hop_ms", 2.2, 0, 10_000), new Weight("horizon", 1.5, 0, 100));

  /** Share of batches that take at most their bound times the margin. */
  private static final double QUANTILE = 0.95;

  private static final double MARGIN_STEP = 0.01;
  private static final double MARGIN_MAX = 2;

  /** Share by which a batch may take longer without counting so: times are whole nanoseconds. */
  private static final double ROUNDING = 1e-4;

  private final long hopNs;
  private final double horizon;

  SlackPolicy(Map<String, Double> parameters) {
    hopNs = Math.round(Weight.in(parameters, "hop_ms") * 1e6);
    horizon = Weight.in(parameters, "horizon");
  }

  /**
   * A set's next batch.
   *
   * @param startNs when it starts
   * @param latestNs when it must start
   */
  private record Batch(Job first, Lane lane, int samples, long startNs, long latestNs) {}

  @Override
  public Needs needs() {
    return Needs.of(
        JobOrder.DEADLINE,
        Need.DEADLINES,
        Need.ESTIMATES,
        Need.JOINING,
        Need.DROPPING,
        Need.RATES,
        Need.RESIDENCY,
        Need.MEMORY);
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    if (what instanceof Happening.Applied applied
        && applied.choice() instanceof Choice.Start start) {
      Lane lane = start.lanes().get(0);
      CompatibleSet set = start.batch().get(0).group().set();
      int samples = start.batch().stream().mapToInt(job -> job.group().samples()).sum();
      memory.set(boundOf(lane), (double) state.boundNs(set, samples, lane));
    } else if (what instanceof Happening.Completed done) {
      double boundNs = memory.get(boundOf(done.lane()), 0);
      String name = SlackForecast.marginOf(done.set());
      double margin = memory.get(name, 1);
      boolean isExceeded = boundNs > 0 && done.serviceNs() > boundNs * margin * (1 + ROUNDING);
      double next = margin + (isExceeded ? MARGIN_STEP * QUANTILE : MARGIN_STEP * (QUANTILE - 1));
      memory.set(name, Math.max(1, Math.min(MARGIN_MAX, next)));
    }
  }

  private static String boundOf(Lane lane) {
    return String.join("/", "bound", lane.executorId(), Integer.toString(lane.index()));
  }

  @Override
  public Choice choose(SchedulerState state) {
    Choice drop = Queues.dropLate(state);
    if (drop != null) {
      return drop;
    }
    Batch next = null;
    long untilNs = Queues.nextLateNs(state);
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      Batch batch = batch(state, sets.get(i));
      if (batch == null) {
        continue;
      }
      if (batch.startNs > state.nowNs()) {
        untilNs = Math.min(untilNs, batch.startNs);
      } else if (next == null || batch.latestNs < next.latestNs) {
        next = batch;
      }
    }
    if (next == null) {
      Choice load = ClockworkLoads.next(state, JobOrder.DEADLINE);
      load = load == null ? ClockworkLoads.missing(state) : load;
      return load == null ? Queues.nothingUntil(state, untilNs) : load;
    }
    CompatibleSet set = next.first.group().set();
    int skip = new SlackForecast(state, set, horizon).jobsToSkip();
    if (skip > 0) {
      return Choice.drop(firstOf(set, Math.min(skip, Queues.DROP_MAX)), "skipped");
    }
    return Queues.start(
        state,
        next.first,
        next.lane,
        JobOrder.DEADLINE,
        next.samples,
        Map.of("slack_ms", (next.latestNs - state.nowNs()) / 1e6));
  }

  private static List<Job> firstOf(CompatibleSet set, int jobs) {
    List<Job> first = new ArrayList<>();
    SchedulerState.Walk walk = set.walk(JobOrder.DEADLINE);
    for (Job job = walk.next(); job != null && first.size() < jobs; job = walk.next()) {
      first.add(job);
    }
    return first;
  }

  /** Returns the set's batch on the lane that is idle the longest; null: no lane can start it. */
  private @Nullable Batch batch(SchedulerState state, CompatibleSet set) {
    Job first = Queues.first(set, JobOrder.DEADLINE);
    long leftNs = first.deadlineNs() - state.nowNs();
    Lane lane = Queues.longestIdleWith(state, first.group(), leftNs);
    if (lane == null) {
      return null;
    }
    long waiting = Queues.samplesWaiting(set);
    double margin = SlackForecast.margin(state, set);
    int fits = SlackForecast.largestWithin(state, set, lane, leftNs, margin);
    int samples = Math.max(first.group().samples(), (int) Math.min(fits, waiting));
    long latestNs = first.deadlineNs() - SlackForecast.boundNs(state, set, samples, lane, margin);
    long startNs = state.nowNs();
    boolean isAlone = state.sets().size() == 1;
    if (isAlone && samples < set.samplesMax() && isScarce(state, first, lane)) {
      long oneMoreNs =
          first.deadlineNs() - SlackForecast.boundNs(state, set, samples + 1, lane, margin);
      startNs = Math.max(startNs, Math.min(oneMoreNs, latestNs) - hopNs);
    }
    return new Batch(first, lane, samples, startNs, latestNs);
  }

  /**
   * Returns whether beside an idle lane less than a quarter of all lanes is idle for a job, on few
   * lanes none, and one of them is busy.
   */
  private static boolean isScarce(SchedulerState state, Job job, Lane idle) {
    List<? extends Lane> lanes = state.lanes();
    int enough = Math.max(1, lanes.size() / 4);
    boolean anyBusy = false;
    int idleOthers = 0;
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get(i);
      if (lane != idle && SlackForecast.serves(state, lane, job.group().set())) {
        idleOthers += lane.idle() ? 1 : 0;
        anyBusy |= !lane.idle();
      }
    }
    return anyBusy && idleOthers < enough;
  }
}
