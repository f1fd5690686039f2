package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Executor;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The twin of {@code slack} at its defaults: each forecast is made anew from the sorted queue. */
final class NaiveSlack extends NaiveJoining {
  private static final long HOP_NS = 2_200_000;
  private static final double HORIZON = 1.5;
  private static final int JOBS_MAX = 512;
  private static final int DROP_MAX = 500;

  private record Batch(
      JobSetOf set,
      Waiting first,
      LaneOf lane,
      int samples,
      int samplesMax,
      long startNs,
      long latestNs) {}

  /** Upper bounds of the batches that lanes run, and margins of sets. */
  private final Map<List<Object>, Long> bounds = new HashMap<>();

  private final Map<String, Double> margins = new HashMap<>();
  private final Map<String, Double> hops = new HashMap<>();

  /** A job of the forecast: when it comes, when it must be done, and its size. */
  private record Expected(long atNs, long deadlineNs, int samples) {}

  /** Says nothing where a larger batch may take less: a batch may then come due early. */
  @Override
  public boolean wouldAct(NaiveState state) {
    boolean timesRise =
        state.sets().stream()
            .allMatch(
                set ->
                    state.executors.stream()
                        .filter(e -> NaiveState.canRun(e, set.spec()))
                        .allMatch(e -> timesRise(state, set.spec(), e)));
    return timesRise && super.wouldAct(state);
  }

  private static boolean timesRise(NaiveState state, JobSpec job, Executor executor) {
    return IntStream.rangeClosed(1, 4)
        .allMatch(
            busy ->
                IntStream.rangeClosed(1, 24)
                    .allMatch(
                        b ->
                            state.boundNs(executor, job, b, busy)
                                <= state.boundNs(executor, job, b + 1, busy)));
  }

  @Override
  public void completed(NaiveState state, Held held, BatchCompleted completion) {
    Long boundNs = bounds.get(List.of(held.start.executorId(), held.start.lane()));
    if (boundNs != null) {
      String set = name(held.jobs.get(0).spec);
      double margin = margins.getOrDefault(set, 1.0);
      boolean isExceeded = completion.serviceNs() > boundNs * margin * 1.0001;
      double step = isExceeded ? 0.01 * 0.97 : 0.01 * (0.97 - 1);
      margins.put(set, Math.max(1, Math.min(2, margin + step)));
    }
    long tookNs = Math.max(0, completion.startedAtNs() - held.startedNs - completion.switchNs());
    double hopNs = hops.getOrDefault(held.start.executorId(), (double) Math.min(HOP_NS, tookNs));
    double step = tookNs > hopNs ? 200_000 * 0.97 : 200_000 * (0.97 - 1);
    hops.put(held.start.executorId(), Math.max(0, hopNs + step));
  }

  private static String name(JobSpec job) {
    return String.join("/", job.workload(), job.backend(), job.precision(), job.classType());
  }

  private double margin(JobSetOf set) {
    return margins.getOrDefault(name(set.spec()), 1.0);
  }

  @Override
  public Dropped drops(NaiveState state) {
    Dropped late = state.late();
    Batch next = late == null ? next(state) : null;
    if (next == null) {
      return late;
    }
    int skip = jobsToSkip(state, next);
    return skip == 0
        ? null
        : new Dropped(
            next.set.in(NaiveState.BY_DEADLINE).subList(0, Math.min(skip, DROP_MAX)), "skipped");
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Batch next = next(state);
    if (next == null) {
      return null;
    }
    Held held = state.fill(next.first, next.lane, NaiveState.BY_DEADLINE, next.samples, followed);
    bounds.put(
        List.of(next.lane.executor().report.executorId(), next.lane.index()),
        timeNs(state, next.set, held.samples, next.lane));
    return held;
  }

  private Batch next(NaiveState state) {
    Batch next = null;
    for (JobSetOf set : state.sets()) {
      Batch batch = batch(state, set);
      if (batch != null
          && batch.startNs <= state.nowNs
          && (next == null || batch.latestNs < next.latestNs)) {
        next = batch;
      }
    }
    return next;
  }

  private Batch batch(NaiveState state, JobSetOf set) {
    Waiting first = set.first(NaiveState.BY_DEADLINE);
    long deadlineNs = first.spec.deadlineNs();
    LaneOf lane = state.longestIdle(first, deadlineNs - state.nowNs);
    if (lane == null) {
      return null;
    }
    long leftNs = deadlineNs - state.nowNs;
    long hopNs = hopNs(lane);
    int most = worthwhile(state, set, lane);
    int fits = largestWithin(state, set, lane, leftNs - Math.min(hopNs, leftNs / 4));
    int samples =
        Math.max(first.spec.samples(), Math.min(Math.min(most, fits), set.samplesWaiting()));
    long latestNs = deadlineNs - boundNs(state, set, samples, lane);
    List<LaneOf> others =
        lanes(state, set.spec()).stream().filter(other -> !other.equals(lane)).toList();
    long idle = others.stream().filter(l -> state.takesAt(l.executor(), l.index()) == 0).count();
    long all = state.joined().mapToLong(e -> e.report.lanes().size()).sum();
    boolean isScarce = idle < others.size() && idle < Math.max(1, all / 4);
    long startNs =
        isScarce && state.sets().size() <= Math.max(1, all / 4) && samples < most
            ? Math.min(latestNs, deadlineNs - boundNs(state, set, samples + 1, lane)) - hopNs
            : state.nowNs;
    return new Batch(set, first, lane, samples, most, startNs, latestNs);
  }

  private long hopNs(LaneOf lane) {
    return Math.round(hops.getOrDefault(lane.executor().report.executorId(), (double) HOP_NS));
  }

  /** The size from which on larger batches save less than 5 % for each sample. */
  private static int worthwhile(NaiveState state, JobSetOf set, LaneOf lane) {
    int max = state.samplesMax(set);
    double leastNs =
        IntStream.rangeClosed(1, max)
            .filter(size -> size == max || Integer.bitCount(size) == 1)
            .mapToDouble(size -> (double) timeNs(state, set, size, lane) / size)
            .min()
            .orElseThrow();
    double enoughNs = leastNs * (1 + 0.05);
    int enough =
        IntStream.rangeClosed(1, max)
            .filter(size -> size == max || Integer.bitCount(size) == 1)
            .filter(size -> size == max || timeNs(state, set, size, lane) <= enoughNs * size)
            .min()
            .orElseThrow();
    int tooSmall = enough / 2;
    while (tooSmall + 1 < enough) {
      int middle = (tooSmall + enough) / 2;
      if (timeNs(state, set, middle, lane) <= enoughNs * middle) {
        enough = middle;
      } else {
        tooSmall = middle;
      }
    }
    return enough;
  }

  /** The lanes that run the job and are idle, or will be. */
  private static List<LaneOf> lanes(NaiveState state, JobSpec job) {
    return state
        .joined()
        .filter(e -> NaiveState.canRun(e, job))
        .flatMap(
            e ->
                IntStream.range(0, e.report.lanes().size())
                    .filter(
                        i -> {
                          List<Held> held = state.heldOn(e, i);
                          boolean isBusy =
                              !held.isEmpty() && !e.lost && held.stream().noneMatch(h -> h.lost);
                          return isBusy || state.takesAt(e, i) == 0;
                        })
                    .mapToObj(i -> new LaneOf(e, i)))
        .toList();
  }

  private static long timeNs(NaiveState state, JobSetOf set, int samples, LaneOf lane) {
    return state.boundNs(
        lane.executor(), set.spec(), samples, state.busyLanesWith(lane, set.spec()));
  }

  private long boundNs(NaiveState state, JobSetOf set, int samples, LaneOf lane) {
    return Math.round(timeNs(state, set, samples, lane) * margin(set));
  }

  private int largestWithin(NaiveState state, JobSetOf set, LaneOf lane, long ns) {
    int fits = 0;
    int tooLarge = state.samplesMax(set) + 1;
    while (fits + 1 < tooLarge) {
      int middle = (fits + tooLarge) / 2;
      if (timeNs(state, set, middle, lane) <= Math.round(ns / margin(set))) {
        fits = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fits == 0 ? state.largestWithin(set, lane, ns) : fits;
  }

  private int jobsToSkip(NaiveState state, Batch next) {
    JobSetOf set = next.set;
    List<Expected> jobs = jobs(state, set);
    int best = 0;
    int fewestLost = Integer.MAX_VALUE;
    long triedNs = Long.MIN_VALUE;
    for (int skip = 0;
        skip < Math.min(JOBS_MAX, set.waiting().size());
        skip += skip == 0 ? 1 : 1 + skip / 8) {
      boolean isLikeTheOneBefore = skip > 0 && jobs.get(skip).deadlineNs == triedNs;
      triedNs = jobs.get(skip).deadlineNs;
      if (skip < fewestLost && !isLikeTheOneBefore) {
        int lost = skip + lost(state, next, jobs.subList(skip, jobs.size()));
        if (lost < fewestLost) {
          fewestLost = lost;
          best = skip;
        }
      }
    }
    return best;
  }

  private static List<Expected> jobs(NaiveState state, JobSetOf set) {
    List<Expected> jobs = new ArrayList<>();
    for (Waiting w : set.in(NaiveState.BY_DEADLINE)) {
      jobs.add(new Expected(state.nowNs, w.spec.deadlineNs(), w.spec.samples()));
    }
    double perSecond = state.arrivalsPerSecond(set);
    if (perSecond > 0) {
      JobSpec first = set.first(NaiveState.BY_DEADLINE).spec;
      long gapNs = Math.max(1, Math.round(1e9 / perSecond));
      long untilNs = state.nowNs + Math.round(HORIZON * first.sloNs());
      for (long atNs = state.nowNs + gapNs;
          atNs <= untilNs && jobs.size() < JOBS_MAX;
          atNs += gapNs) {
        jobs.add(new Expected(atNs, atNs + first.sloNs(), first.samples()));
      }
    }
    return jobs.subList(0, Math.min(JOBS_MAX, jobs.size()));
  }

  /** How many of the jobs are lost if each lane takes what ends by the first deadline. */
  private int lost(NaiveState state, Batch batch, List<Expected> jobs) {
    JobSetOf set = batch.set;
    long hopNs = Math.min(hopNs(batch.lane), batch.first.spec.sloNs() / 4);
    List<LaneOf> lanes = lanes(state, set.spec());
    long[] freeNs =
        lanes.stream().mapToLong(l -> Math.max(state.nowNs, state.laneFreeNs(l))).toArray();
    List<Expected> left = new ArrayList<>(jobs);
    int lost = 0;
    while (!left.isEmpty()) {
      int next =
          IntStream.range(0, freeNs.length)
              .reduce((a, b) -> freeNs[b] < freeNs[a] ? b : a)
              .orElseThrow();
      LaneOf lane = lanes.get(next);
      Expected first = left.remove(0);
      long startNs = Math.max(freeNs[next], first.atNs);
      long leftNs = first.deadlineNs - startNs - hopNs;
      int fits =
          leftNs <= 0 ? 0 : Math.min(batch.samplesMax, largestWithin(state, set, lane, leftNs));
      int size = first.samples;
      if (size > fits && (leftNs <= 0 || timeNs(state, set, size, lane) * margin(set) > leftNs)) {
        lost++;
        continue;
      }
      while (!left.isEmpty() && left.get(0).atNs <= startNs && size + left.get(0).samples <= fits) {
        size += left.remove(0).samples;
      }
      freeNs[next] = startNs + hopNs + boundNs(state, set, size, lane);
    }
    return lost;
  }
}
