package dev.sluice.analytics.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.bound.SchedulingInstance.BatchTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Both bounds beside the best of all schedules, in small random cases. */
final class EveryScheduleTest {
  private static final int CASES = 10_000;
  private static final int JOBS_MAX = 7;
  private static final double NEVER = 1e18;

  /** A case, with its tables as they are, for the naive search. */
  private record Case(
      long[] release,
      long[] deadline,
      int[] samples,
      long[] alone,
      int[] family,
      long[][] table,
      double[] speeds) {
    SchedulingInstance instance() {
      List<BatchTimes> families = new ArrayList<>();
      for (int i = 0; i < table.length; i++) {
        families.add(new BatchTimes(table[i]));
      }
      double fastest = Arrays.stream(speeds).max().orElseThrow();
      return new SchedulingInstance(
          release,
          deadline,
          samples,
          alone,
          family,
          families,
          Arrays.stream(speeds).sum() / fastest);
    }

    /** Time of a batch of these jobs on the fastest lane; never if they cannot be one. */
    private double batchNs(int set) {
      int sum = 0;
      int of = -1;
      long ns = 0;
      for (int job = 0; job < release.length; job++) {
        if ((set >> job & 1) == 1) {
          if (of >= 0 && family[job] != of) {
            return NEVER;
          }
          of = family[job];
          sum += samples[job];
          ns = alone[job];
        }
      }
      return sum <= table[of].length ? table[of][sum - 1] : Integer.bitCount(set) == 1 ? ns : NEVER;
    }

    /**
     * The least end of a lane that runs a set of jobs in any batches and any order, by set and by
     * how many of them are good.
     */
    private double[][] leastEnds(double slowness) {
      double[][] ends = new double[1 << release.length][release.length + 1];
      Arrays.fill(ends[0], 1, release.length + 1, NEVER);
      for (int set = 1; set < ends.length; set++) {
        Arrays.fill(ends[set], NEVER);
        for (int last = set; last > 0; last = (last - 1) & set) { // the last batch
          for (int good = 0; good < release.length && batchNs(last) < NEVER; good++) {
            double start = ends[set & ~last][good];
            for (int job = 0; job < release.length; job++) {
              start = (last >> job & 1) == 1 ? Math.max(start, release[job]) : start;
            }
            double end = start + batchNs(last) * slowness;
            int of = good;
            for (int job = 0; job < release.length; job++) {
              of += (last >> job & 1) == 1 && end <= deadline[job] ? 1 : 0;
            }
            ends[set][of] = Math.min(ends[set][of], end);
          }
        }
      }
      return ends;
    }

    /** The most good jobs of a lane, by the jobs that it runs. */
    private int[] mostGood(double slowness) {
      return Arrays.stream(leastEnds(slowness))
          .mapToInt(
              ends -> IntStream.range(0, ends.length).filter(g -> ends[g] < NEVER).max().orElse(0))
          .toArray();
    }

    /** The most good jobs of any schedule. */
    int best() {
      double fastest = Arrays.stream(speeds).max().orElseThrow();
      int[] one = mostGood(fastest / speeds[0]);
      int[] two = speeds.length == 2 ? mostGood(fastest / speeds[1]) : new int[one.length];
      int best = 0;
      for (int set = 0; set < one.length; set++) {
        for (int other = 0; other < two.length; other++) {
          best = (set & other) == 0 ? Math.max(best, one[set] + two[other]) : best;
        }
      }
      return best;
    }
  }

  /** A case whose jobs are alike or not, with tables that rise or not. */
  private static Case draw(Random random) {
    int jobs = 1 + random.nextInt(JOBS_MAX);
    boolean alike = random.nextInt(3) == 0;
    int families = alike ? 1 : 1 + random.nextInt(2);
    boolean rising = random.nextBoolean();
    long[][] table = new long[families][];
    int samplesMax = 1 + random.nextInt(3);
    for (int f = 0; f < families; f++) {
      table[f] = new long[random.nextInt(9)];
      for (int i = 0; i < table[f].length; i++) {
        table[f][i] =
            rising
                ? (i == 0 ? 1 + random.nextInt(20) : table[f][i - 1] + random.nextInt(5))
                : 1 + random.nextInt(30);
      }
    }
    long[] release = new long[jobs];
    long[] deadline = new long[jobs];
    int[] samples = new int[jobs];
    long[] alone = new long[jobs];
    int[] family = new int[jobs];
    int gap = 1 + random.nextInt(20);
    int promise = 5 + random.nextInt(50);
    for (int i = 0; i < jobs; i++) {
      release[i] = (i == 0 ? 0 : release[i - 1]) + random.nextInt(gap);
      boolean own = !alike && random.nextBoolean();
      deadline[i] = release[i] + (own ? 1 + random.nextInt(60) : promise);
      samples[i] = alike ? samplesMax : 1 + random.nextInt(samplesMax);
      family[i] = random.nextInt(families);
      alone[i] = alike ? 8 : 1 + random.nextInt(25);
    }
    double[][] speeds = {{1}, {1, 1}, {1, 0.5}, {1, 0.7}, {2, 1}};
    double[] lanes = speeds[random.nextInt(alike ? 2 : speeds.length)];
    return new Case(release, deadline, samples, alone, family, table, lanes);
  }

  @Test
  void noneIsBetterThanTheBounds() {
    int tight = 0;
    int optima = 0;
    for (int seed = 0; seed < CASES; seed++) {
      Case drawn = draw(new Random(seed));
      SchedulingInstance jobs = drawn.instance();
      int best = drawn.best();
      int bound = FluidBound.goodMax(jobs);
      assertThat(bound).as("seed " + seed).isBetween(best, jobs.size());
      assertThat(FluidBound.goodMax(jobs, 2)).as("seed " + seed).isBetween(bound, jobs.size());
      tight += bound == best ? 1 : 0;
      var optimum = OneLaneOptimum.good(jobs);
      if (optimum.isPresent()) {
        boolean exact = jobs.times(0).rising();
        assertThat(optimum.getAsInt())
            .as("seed " + seed)
            .isBetween(best, exact ? best : jobs.size());
        optima += exact ? 1 : 0;
      }
    }
    assertThat(tight).isGreaterThan(CASES / 2);
    assertThat(optima).isGreaterThan(CASES / 20);
  }
}
