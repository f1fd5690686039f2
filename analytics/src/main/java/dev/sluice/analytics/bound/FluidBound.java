package dev.sluice.analytics.bound;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The fluid relaxation: no scheduler makes more jobs good than lane time that flows freely. Each
 * good job takes at least its {@link LeastLaneTimes least lane time} within its window, and the
 * lanes have no more than their sum at any moment. Jobs may be interrupted, split over lanes, and
 * be good in part.
 *
 * <p>With jobs by their lane times w, rising, a job that takes x of its w is good by x / w. Summed
 * by parts, the good jobs are the sum over w of (1 / w - 1 / next w) × the work on jobs of at most
 * w, and that work is at most what the earliest deadline first does of them. The bound is the value
 * of this linear program, since the greedy choice by w attains it.
 */
public final class FluidBound {
  /** Different lane times that are told apart, at least; of fewer jobs more are. */
  private static final int LEVELS_MIN = 64;

  /** Jobs times lane times that are told apart: half a second. */
  private static final int STEPS_MAX = 20_000_000;

  private static final double OVERRATED_MIN = 1e-3;
  private static final double ROUNDING = 1e-6;

  private final SchedulingInstance jobs;
  private final long[] laneNs;

  /** Windows in lane time: as much as all lanes have up to then. */
  private final long[] release;

  private final long[] deadline;

  /** Jobs by deadline, and the place of each among them. */
  private final int[] byDeadline;

  private final int[] rank;
  private final long[] left;

  private FluidBound(SchedulingInstance jobs) {
    this.jobs = jobs;
    laneNs = LeastLaneTimes.of(jobs);
    int size = jobs.size();
    release = new long[size];
    deadline = new long[size];
    rank = new int[size];
    left = new long[size];
    for (int i = 0; i < size; i++) {
      release[i] = laneTime(jobs.releaseNs[i], RoundingMode.FLOOR);
      deadline[i] = laneTime(jobs.deadlineNs[i], RoundingMode.CEILING);
    }
    byDeadline =
        jobs.agreeable()
            ? IntStream.range(0, size).toArray()
            : IntStream.range(0, size)
                .boxed()
                .sorted(Comparator.comparingLong(i -> deadline[i]))
                .mapToInt(i -> i)
                .toArray();
    for (int i = 0; i < size; i++) {
      rank[byDeadline[i]] = i;
    }
  }

  private long laneTime(long ns, RoundingMode rounding) {
    long whole = (long) jobs.lanes;
    return jobs.lanes == whole
        ? whole * ns
        : new BigDecimal(jobs.lanes)
            .multiply(BigDecimal.valueOf(ns))
            .setScale(0, rounding)
            .longValueExact();
  }

  public static int goodMax(SchedulingInstance jobs) {
    return goodMax(jobs, Math.max(LEVELS_MIN, STEPS_MAX / Math.max(1, jobs.size())));
  }

  /**
   * Returns how many of the jobs any scheduler makes good, at most.
   *
   * @param levels different lane times that are told apart; if there are more, neighbours count as
   *     if they were the least of them
   */
  static int goodMax(SchedulingInstance jobs, int levels) {
    return new FluidBound(jobs).goodMax(levels);
  }

  private int goodMax(int levels) {
    long[] rising = LongStream.of(laneNs).filter(ns -> ns > 0).sorted().toArray();
    long free = LongStream.of(laneNs).filter(ns -> ns == 0).count();
    double good = 0;
    long before = 0;
    int first = 0;
    for (int end : levelEnds(rising, levels)) {
      long work = work(rising[end - 1]);
      good += (double) (work - before) / rising[first];
      before = work;
      first = end;
    }
    return (int) (free + Math.min(rising.length, Math.floor(good + ROUNDING)));
  }

  /**
   * Divides lane times into levels, so that each level overrates about as many good jobs.
   *
   * @return ends of the levels, exclusive
   */
  private static int[] levelEnds(long[] rising, int levelsMax) {
    double overrated = 0;
    while (true) {
      int[] ends = levelEnds(rising, overrated);
      if (ends.length <= levelsMax) {
        return ends;
      }
      overrated = Math.max(OVERRATED_MIN, 1.5 * overrated);
    }
  }

  /**
   * Divides lane times into levels.
   *
   * @param overrated good jobs that a level of several lane times has too many, at most
   */
  private static int[] levelEnds(long[] rising, double overrated) {
    int[] ends = new int[rising.length];
    int count = 0;
    int first = 0;
    for (int i = 1; i <= rising.length; i++) {
      boolean other = i == rising.length || rising[i] != rising[i - 1];
      if (other
          && (i == rising.length
              || (i + 1 - first) * ((double) rising[i] / rising[first] - 1) > overrated)) {
        ends[count++] = i;
        first = i;
      }
    }
    return Arrays.copyOf(ends, count);
  }

  /**
   * Returns the most lane time that can be spent on the jobs with at most a lane time, none longer
   * on any than that: by earliest deadline first.
   */
  private long work(long laneNsMax) {
    var waiting = new PriorityQueue<Integer>(); // ranks
    long now = 0;
    long done = 0;
    for (int i = 0; i <= jobs.size(); i++) {
      if (i < jobs.size() && !(0 < laneNs[i] && laneNs[i] <= laneNsMax)) {
        continue;
      }
      long until = i == jobs.size() ? Long.MAX_VALUE : release[i];
      while (now < until && !waiting.isEmpty()) {
        int job = byDeadline[waiting.element()];
        long spent = Math.min(left[job], Math.min(deadline[job], until) - now);
        if (spent > 0) {
          now += spent;
          done += spent;
          left[job] -= spent;
        }
        if (left[job] == 0 || deadline[job] <= now) {
          waiting.remove();
        }
      }
      if (i < jobs.size()) {
        now = Math.max(now, until);
        left[i] = laneNs[i];
        waiting.add(rank[i]);
      }
    }
    return done;
  }
}
