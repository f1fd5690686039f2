package dev.sluice.analytics.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.bound.SchedulingInstance.BatchTimes;
import java.util.List;
import java.util.Random;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/**
 * ResNet-50 as Symphony has it (1.053 ms for each sample and 5.072 ms for each batch, promise 25
 * ms), beside a prototype's rates at which 99 % of the jobs can be good, and a proof by hand.
 */
final class PublishedCellsTest {
  private static final long PROMISE_NS = 25_000_000;
  private static final int JOBS = 30_000;
  private static final double GOOD = 0.99;
  private static final double SHAPE = 0.1;

  private static final BatchTimes RESNET50 =
      new BatchTimes(
          IntStream.rangeClosed(1, 64).mapToLong(k -> 1_053_000L * k + 5_072_000).toArray());

  private interface Gaps {
    /** A gap of mean 1. */
    double next(Random random);
  }

  private static SchedulingInstance jobs(double ratePerSecond, int lanes, Gaps gaps) {
    var random = new Random(11);
    long[] release = new long[JOBS];
    long[] deadline = new long[JOBS];
    int[] samples = new int[JOBS];
    double seconds = 0;
    for (int i = 0; i < JOBS; i++) {
      seconds += gaps.next(random) / ratePerSecond;
      release[i] = Math.round(seconds * 1e9);
      deadline[i] = release[i] + PROMISE_NS;
      samples[i] = 1;
    }
    return new SchedulingInstance(
        release, deadline, samples, new long[JOBS], new int[JOBS], List.of(RESNET50), lanes);
  }

  private static double poisson(Random random) {
    return -Math.log(1 - random.nextDouble());
  }

  /** Ahrens and Dieter (1974), for shapes below 1. */
  private static double gamma(Random random) {
    double b = 1 + SHAPE / Math.E;
    while (true) {
      double p = b * random.nextDouble();
      double x = p <= 1 ? Math.pow(p, 1 / SHAPE) : -Math.log((b - p) / SHAPE);
      if (random.nextDouble() <= (p <= 1 ? Math.exp(-x) : Math.pow(x, SHAPE - 1))) {
        return x / SHAPE;
      }
    }
  }

  /** The highest rate up to which a bound leaves 99 % of the jobs good. */
  private static double rate(int lanes, Gaps gaps, ToIntFunction<SchedulingInstance> bound) {
    double low = 100;
    double high = 10_000;
    while (high / low > 1.001) {
      double rate = Math.sqrt(low * high);
      if (bound.applyAsInt(jobs(rate, lanes, gaps)) >= GOOD * JOBS) {
        low = rate;
      } else {
        high = rate;
      }
    }
    return low;
  }

  private static int optimum(SchedulingInstance jobs) {
    return OneLaneOptimum.good(jobs).orElseThrow();
  }

  @Test
  void hasTheRatesOfThePrototype() {
    Percentage few = Percentage.withPercentage(3);
    assertThat(rate(8, PublishedCellsTest::poisson, FluidBound::goodMax)).isCloseTo(5919, few);
    assertThat(rate(1, PublishedCellsTest::poisson, FluidBound::goodMax)).isCloseTo(591, few);
    assertThat(rate(8, PublishedCellsTest::gamma, FluidBound::goodMax))
        .isCloseTo(5592, Percentage.withPercentage(5));
  }

  @Test
  void isTheOptimumOfOneLane() {
    assertThat(rate(1, random -> 1, PublishedCellsTest::optimum)).isCloseTo(568, within(1.0));
    assertThat(rate(1, PublishedCellsTest::poisson, PublishedCellsTest::optimum))
        .isBetween(430.0, 490.0);
  }

  /**
   * One lane, l(1) = 6, l(2) = 8, l(3) = 10, promises of 10. Two may share a batch if they come
   * within 10 - 8, three within 10 - 10. So the first four take 8 / 2 = 4 at least, and the last,
   * alone, 6. The four have 13 from 0 to 13, enough for 13 / 4 of them: 3.25 + 1 are good at most.
   * In truth no two batches of the first four but {0} and {3} both end in time: 2 + 1 are good.
   */
  @Test
  void provesAsByHand() {
    List<BatchTimes> families = List.of(new BatchTimes(new long[] {6, 8, 10}));
    long[] release = {0, 1, 2, 3, 20};
    long[] deadline = {10, 11, 12, 13, 30};
    var jobs =
        new SchedulingInstance(
            release, deadline, new int[] {1, 1, 1, 1, 1}, new long[5], new int[5], families, 1);
    assertThat(LeastLaneTimes.of(jobs)).containsExactly(4, 4, 4, 4, 6);
    assertThat(FluidBound.goodMax(jobs)).isEqualTo(4);
    assertThat(OneLaneOptimum.good(jobs)).hasValue(3);
  }
}
