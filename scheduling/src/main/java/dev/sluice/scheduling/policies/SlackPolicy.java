package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batch of the least slack first: deadline of its first job - now - upper bound of the whole
 * batch, which is no larger than saves time. It starts at once while a quarter of the lanes is idle
 * beside its own, or none is busy, or jobs of more other sets wait than a quarter of the lanes.
 * Otherwise waiting takes the time of few lanes: the batch starts when one more job could not join
 * it and still end by the first deadline. Before a start a {@link SlackForecast} tells how many of
 * the first jobs to give up, so that the fewest are lost; nearly always none. {@link SlackLoads}
 * loads models where lanes have a memory.
 *
 * <p>The bound is the state's times a margin that is learned: after each batch of a set it rises by
 * 0.97 of a step if the batch took longer, else it falls by 0.03 of a step, never below 1. So three
 * batches of a hundred take longer, also where nothing but the mean is known. The time from a
 * decision to the start on a lane, the hop, is learned likewise.
 */
final class SlackPolicy implements SchedulingPolicy {
  /**
   * hop_ms: what the hop to an executor is taken to be, at most, until its batches tell; horizon:
   * how far the forecast expects arrivals, in promises.
   */
  static final List<Weight> PARAMETERS =
      List.of(new Weight("hop_ms", 2.2, 0, 10_000), new Weight("horizon", 1.5, 0, 100));

  /** Share of batches that take at most their bound times the margin, and at most the hop. */
  private static final double QUANTILE = 0.97;

  private static final double MARGIN_STEP = 0.01;
  private static final double MARGIN_MAX = 2;
  private static final double HOP_STEP_NS = 200_000;

  /** Largest share of the time left that is kept for the hop when a batch's size is chosen. */
  private static final long HOP_SHARE = 4;

  /** Share of the time for each sample that larger batches must save. */
  private static final double SAVING = 0.05;

  /** Share by which a batch may take longer without counting so: times are whole nanoseconds. */
  private static final double ROUNDING = 1e-4;

  private final long firstHopNs;
  private final double horizon;

  SlackPolicy(Map<String, Double> parameters) {
    firstHopNs = Weight.nsOfMs(parameters, "hop_ms");
    horizon = Weight.in(parameters, "horizon");
  }

  /**
   * A set's next batch.
   *
   * @param samplesMax from which on larger batches save next to no time
   * @param startNs when it starts
   * @param latestNs when it must start
   */
  private record Batch(
      Job first, Lane lane, int samples, int samplesMax, long startNs, long latestNs) {}

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
      memory.set(Queues.nameOf("bound", lane), (double) state.boundNs(set, samples, lane));
    } else if (what instanceof Happening.Completed done) {
      double boundNs = memory.get(Queues.nameOf("bound", done.lane()), 0);
      String name = SlackForecast.marginOf(done.set());
      double margin = memory.get(name, 1);
      boolean isExceeded = boundNs > 0 && done.serviceNs() > boundNs * margin * (1 + ROUNDING);
      double next = margin + (isExceeded ? MARGIN_STEP * QUANTILE : MARGIN_STEP * (QUANTILE - 1));
      memory.set(name, Math.max(1, Math.min(MARGIN_MAX, next)));
      String hop = hopOf(done.lane());
      double hopNs = memory.get(hop, (double) Math.min(firstHopNs, done.hopNs()));
      boolean isLonger = done.hopNs() > hopNs;
      hopNs += isLonger ? HOP_STEP_NS * QUANTILE : HOP_STEP_NS * (QUANTILE - 1);
      memory.set(hop, Math.max(0, hopNs));
    }
  }

  private static String hopOf(Lane lane) {
    return "hop/" + lane.executorId();
  }

  @Override
  public Choice choose(SchedulerState state) {
    Choice drop = Queues.dropLate(state);
    if (drop != null) {
      return drop;
    }
    Choice load = SlackLoads.next(state);
    if (load != null) {
      return load;
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
      return Queues.nothingUntil(state, untilNs);
    }
    CompatibleSet set = next.first.group().set();
    long hopNs = Math.min(hopNs(state, next.lane), next.first.spec().sloNs() / HOP_SHARE);
    int skip = new SlackForecast(state, set, horizon, next.samplesMax, hopNs).jobsToSkip();
    if (skip > 0) {
      return Choice.drop(firstOf(set, Math.min(skip, Queues.DROP_MAX)), "skipped");
    }
    return Queues.start(state, next.first, next.lane, JobOrder.DEADLINE, next.samples)
        .because(Map.of("slack_ms", (next.latestNs - state.nowNs()) / 1e6));
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
    Lane lane = Queues.longestIdle(state, first.group(), leftNs, true);
    if (lane == null) {
      return null;
    }
    long hopNs = hopNs(state, lane);
    long fitNs = leftNs - Math.min(hopNs, leftNs / HOP_SHARE);
    double margin = SlackForecast.margin(state, set);
    int max = worthwhile(state, set, lane);
    int fits = Math.min(max, SlackForecast.largestWithin(state, set, lane, fitNs, margin));
    int samples =
        Math.max(first.group().samples(), (int) Math.min(fits, Queues.samplesWaiting(set)));
    long latestNs = first.deadlineNs() - SlackForecast.boundNs(state, set, samples, lane, margin);
    long startNs = state.nowNs();
    boolean areOthersFew = state.sets().size() <= Math.max(1, state.lanes().size() / 4);
    if (areOthersFew && samples < max && isScarce(state, first, lane)) {
      long oneMoreNs =
          first.deadlineNs() - SlackForecast.boundNs(state, set, samples + 1, lane, margin);
      startNs = Math.max(startNs, Math.min(oneMoreNs, latestNs) - hopNs);
    }
    return new Batch(first, lane, samples, max, startNs, latestNs);
  }

  private long hopNs(SchedulerState state, Lane lane) {
    return Math.round(state.remembered(hopOf(lane), (double) firstHopNs));
  }

  /**
   * Returns the size from which on larger batches save next to no time for each sample, beside the
   * best of the sizes 1, 2, 4 and so on.
   */
  static int worthwhile(SchedulerState state, CompatibleSet set, Lane lane) {
    int max = set.samplesMax();
    double leastNs = (double) state.boundNs(set, max, lane) / max;
    for (int size = 1; size < max; size *= 2) {
      leastNs = Math.min(leastNs, (double) state.boundNs(set, size, lane) / size);
    }
    double enoughNs = leastNs * (1 + SAVING);
    int enough = 1;
    while (enough < max && state.boundNs(set, enough, lane) > enoughNs * enough) {
      enough = Math.min(2 * enough, max);
    }
    int tooSmall = enough / 2;
    while (tooSmall + 1 < enough) {
      int middle = (tooSmall + enough) >>> 1;
      if (state.boundNs(set, middle, lane) <= enoughNs * middle) {
        enough = middle;
      } else {
        tooSmall = middle;
      }
    }
    return enough;
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
