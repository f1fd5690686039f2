package dev.sluice.analytics.bound;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Comparator;
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
  private static final int LEVELS_MIN = 128;

  /** Jobs times lane times that are told apart: some seconds. */
  private static final int STEPS_MAX = 100_000_000;

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

  /** Returns how many of the jobs any scheduler makes good, at most. */
  public static int goodMax(SchedulingInstance jobs) {
    return new FluidBound(jobs).goodMax();
  }

  private int goodMax() {
    long[] rising = LongStream.of(laneNs).filter(ns -> ns > 0).sorted().toArray();
    long free = LongStream.of(laneNs).filter(ns -> ns == 0).count();
    int together = together(rising);
    double good = 0;
    long before = 0;
    int last;
    for (int first = 0; first < rising.length; first = last + 1) {
      last = Math.min(first + together, rising.length) - 1;
      while (last + 1 < rising.length && rising[last + 1] == rising[last]) {
        last++;
      }
      long work = work(rising[last]);
      good += (double) (work - before) / rising[first];
      before = work;
    }
    return (int) (free + Math.min(rising.length, Math.floor(good + ROUNDING)));
  }

  /**
   * Returns how many jobs, at least, count as if each took the least of their lane times: 1 unless
   * there are very many different ones.
   */
  private static int together(long[] rising) {
    int levels = Math.max(LEVELS_MIN, STEPS_MAX / Math.max(1, rising.length));
    return LongStream.of(rising).distinct().count() <= levels ? 1 : rising.length / levels + 1;
  }

  /**
   * Returns the most lane time that can be spent on the jobs with at most a lane time, none longer
   * on any than that: by earliest deadline first.
   */
  private long work(long laneNsMax) {
    var waiting = new RankHeap();
    long now = 0;
    long done = 0;
    for (int i = 0; i <= jobs.size(); i++) {
      if (i < jobs.size() && !(0 < laneNs[i] && laneNs[i] <= laneNsMax)) {
        continue;
      }
      long until = i == jobs.size() ? Long.MAX_VALUE : release[i];
      while (now < until && !waiting.isEmpty()) {
        int job = byDeadline[waiting.least()];
        long spent = Math.min(left[job], Math.min(deadline[job], until) - now);
        if (spent > 0) {
          now += spent;
          done += spent;
          left[job] -= spent;
        }
        if (left[job] == 0 || deadline[job] <= now) {
          waiting.removeLeast();
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

  /** Numbers of which the least is known. */
  private static final class RankHeap {
    private int[] ranks = new int[64];
    private int size;

    boolean isEmpty() {
      return size == 0;
    }

    int least() {
      return ranks[0];
    }

    void add(int added) {
      if (size == ranks.length) {
        ranks = Arrays.copyOf(ranks, 2 * size);
      }
      int place = size++;
      while (place > 0 && ranks[(place - 1) / 2] > added) {
        ranks[place] = ranks[(place - 1) / 2];
        place = (place - 1) / 2;
      }
      ranks[place] = added;
    }

    void removeLeast() {
      int moved = ranks[--size];
      int place = 0;
      while (2 * place + 1 < size) {
        int child = 2 * place + 1;
        child += child + 1 < size && ranks[child + 1] < ranks[child] ? 1 : 0;
        if (ranks[child] >= moved) {
          break;
        }
        ranks[place] = ranks[child];
        place = child;
      }
      ranks[place] = moved;
    }
  }
}
