package dev.sluice.scheduling.prediction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Upper bounds from residuals, and how often they are missed. */
final class ConformalBoundsTest {
  private static final int P95 = 0;
  private static final int P99 = 1;

  private final ConformalBounds bounds = new ConformalBounds(0.95, 0.99);

  @Test
  void needsNineteenResidualsForAP95_andNinetyNineForAP99() {
    observe(18);
    assertThat(bounds.factor(P95)).isNaN();
    observe(1);
    assertThat(bounds.factor(P95)).isPositive();
    observe(79);
    assertThat(bounds.factor(P99)).isNaN();
    observe(1);
    assertThat(bounds.factor(P99)).isPositive();
  }

  private void observe(int times) {
    for (int i = 0; i < times; i++) {
      int unused = bounds.observe(0.001 * i);
    }
  }

  @Test
  void takesTheQuantileOfTheCalibration_whenNothingHasCompleted() {
    bounds.calibrate(IntStream.rangeClosed(1, 199).mapToDouble(i -> 0.01 * i).toArray());

    // of 199 the 190th keeps 95 % of 200, the 198th 99 %
    assertThat(bounds.factor(P95)).isEqualTo(StrictMath.exp(1.9), within(1e-9));
    assertThat(bounds.factor(P99)).isEqualTo(StrictMath.exp(1.98), within(1e-9));
  }

  @Test
  void hasNoP99_ofNinetyEightCalibrationResiduals() {
    bounds.calibrate(new double[98]);
    assertThat(bounds.factor(P99)).isNaN();
    assertThat(bounds.factor(P95)).isEqualTo(1);
  }

  @Test
  void trustsTheRunAlone_onceItsWindowIsFull() {
    bounds.calibrate(new double[200]);
    double[] seen = IntStream.rangeClosed(1, 200).mapToDouble(i -> 0.01 * i).toArray();
    for (double residual : seen) {
      int unused = bounds.observe(residual);
    }
    assertThat(bounds.factor(P95)).isEqualTo(StrictMath.exp(1.91), within(1e-9));

    observe(200);
    assertThat(bounds.factor(P95)).as("the first window is forgotten").isLessThan(1.21);
  }

  @Test
  void risesWithMisses_andFallsWithoutThem_butStaysWithinTheResiduals() {
    bounds.calibrate(IntStream.rangeClosed(1, 200).mapToDouble(i -> 0.01 * i).toArray());
    double first = bounds.factor(P95);
    bounds.judge(P95, true);
    bounds.calibrate(IntStream.rangeClosed(1, 200).mapToDouble(i -> 0.01 * i).toArray());
    double missed = bounds.factor(P95);
    assertThat(missed).isGreaterThan(first);

    for (int i = 0; i < 1000; i++) {
      bounds.judge(P99, true);
    }
    int unused = bounds.observe(0);
    assertThat(bounds.factor(P99)).isEqualTo(StrictMath.exp(2), within(1e-9));
    for (int i = 0; i < 10_000; i++) {
      bounds.judge(P99, false);
      bounds.judge(P95, false);
    }
    int unusedAgain = bounds.observe(0);
    assertThat(bounds.missRates()[P99]).isEqualTo(0.04, within(1e-9));
    assertThat(bounds.factor(P95)).isLessThan(missed);
  }

  /** Nine residuals and what is not known yet: one of ten is the least. */
  @Test
  void isTheLeastResidual_whereNineOfTenMayMissIt() {
    double[] nine = IntStream.rangeClosed(1, 9).mapToDouble(i -> 0.01 * i).toArray();
    ConformalBounds seen = new ConformalBounds(0.1);
    for (double residual : nine) {
      int unused = seen.observe(residual);
    }
    assertThat(seen.factor(0)).isEqualTo(StrictMath.exp(0.01), within(1e-12));
    ConformalBounds calibrated = new ConformalBounds(0.1);
    calibrated.calibrate(nine);
    assertThat(calibrated.factor(0)).isEqualTo(StrictMath.exp(0.01), within(1e-12));
  }

  @Test
  void countsTheRunsOwnLargestResidual_beforeLesserOnesOfTheCalibration() {
    ConformalBounds both = new ConformalBounds(0.9);
    both.calibrate(IntStream.rangeClosed(1, 9).mapToDouble(i -> 0.01 * i).toArray());
    int unused = both.observe(0.5);
    assertThat(both.factor(0)).isEqualTo(StrictMath.exp(0.5), within(1e-12));
  }

  @Test
  void missesAsPromised_overFiftySeeds_whenTheCalibrationIsRight() {
    assertPromised(0.1, i -> 0.1);
  }

  @Test
  void missesAsPromised_overFiftySeeds_whenTheCalibrationIsHalfAsWideAsTheTruth() {
    assertPromised(0.05, i -> 0.1);
  }

  @Test
  void missesAsPromised_overFiftySeeds_whileTheNoiseGrowsAndShrinks() {
    assertPromised(0.1, i -> 0.1 * (1 + 0.5 * Math.sin(i / 300.0)));
  }

  /** In each of 50 runs of 2,000 batches, by the binomial interval of all of them and of each. */
  private static void assertPromised(double calibrated, IntToDoubleFunction noise) {
    int batches = 2000;
    int[] misses = new int[2];
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      ConformalBounds fresh = new ConformalBounds(0.95, 0.99);
      fresh.calibrate(
          random.doubles(200).map(u -> calibrated * random.nextGaussian()).sorted().toArray());
      int[] ofSeed = new int[2];
      for (int i = 0; i < batches; i++) {
        double residual = noise.applyAsDouble(i) * random.nextGaussian();
        for (int level = 0; level < 2; level++) {
          boolean missed = StrictMath.exp(residual) > fresh.factor(level);
          ofSeed[level] += missed ? 1 : 0;
          fresh.judge(level, missed);
        }
        int unused = fresh.observe(residual);
      }
      assertThat(ofSeed[P95] / (double) batches).as("p95 of %d", seed).isBetween(0.035, 0.065);
      assertThat(ofSeed[P99] / (double) batches).as("p99 of %d", seed).isBetween(0.003, 0.019);
      misses[P95] += ofSeed[P95];
      misses[P99] += ofSeed[P99];
    }
    assertThat(misses[P95] / (50.0 * batches)).isBetween(0.047, 0.053);
    assertThat(misses[P99] / (50.0 * batches)).isBetween(0.0085, 0.0115);
  }

  @Test
  void goesOnAsBefore_whenRestored() {
    Random random = new Random(3);
    ConformalBounds restored = new ConformalBounds(0.95, 0.99);
    double[] bySlot = new double[ConformalBounds.WINDOW];
    for (int i = 0; i < 333; i++) {
      double residual = random.nextGaussian();
      bounds.judge(P95, random.nextInt(20) == 0);
      bySlot[bounds.observe(residual)] = residual;
    }
    restored.restore(bounds.seen(), bounds.missRates(), bySlot);
    for (int i = 0; i < 300; i++) {
      double residual = random.nextGaussian();
      assertThat(restored.factor(P95)).isEqualTo(bounds.factor(P95));
      assertThat(restored.factor(P99)).isEqualTo(bounds.factor(P99));
      assertThat(restored.observe(residual)).isEqualTo(bounds.observe(residual));
    }
  }
}
