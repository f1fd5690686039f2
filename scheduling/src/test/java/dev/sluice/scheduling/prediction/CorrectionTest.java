package dev.sluice.scheduling.prediction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.scheduling.prediction.Correction.Factor;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How a table's correction follows what completions say. Errors are natural logarithms. */
final class CorrectionTest {
  private static final double SLOWER_BY_HALF = StrictMath.log(1.5);

  private final Correction correction = new Correction();
  private final Factor device = new Factor();
  private final Factor samples = new Factor();

  private double log() {
    return device.log + correction.workload.log + samples.log;
  }

  private void learn(double log) {
    correction.learn(log, device, samples);
  }

  @Test
  void learnsNothing_whileTheTableIsRight() {
    for (int i = 0; i < 100; i++) {
      learn(0);
    }
    assertThat(log()).isZero();
    assertThat(device.value).isEqualTo(1);
  }

  @Test
  void movesHardly_forOneOutlier_andComesBack() {
    learn(StrictMath.log(20));
    assertThat(log()).isEqualTo(0.01, within(1e-12));
    for (int i = 0; i < 12; i++) {
      learn(0);
    }
    assertThat(log()).isEqualTo(0, within(0.001));
  }

  @Test
  void movesByAFewPercent_forAPauseThatHitsFourBatchesAtOnce_andComesBackWithinTen() {
    for (int i = 0; i < 4; i++) {
      learn(StrictMath.log(20));
    }
    assertThat(log()).isBetween(0.05, 0.15);
    for (int i = 0; i < 10; i++) {
      learn(0);
    }
    assertThat(log()).isEqualTo(0, within(0.02));
  }

  @Test
  void hasAStepChangeWithinTwentyBatches_whateverTheNoise() {
    for (double noise : new double[] {0.02, 0.05, 0.1, 0.2}) {
      for (int seed = 0; seed < 50; seed++) {
        Random random = new Random(seed);
        Correction fresh = new Correction();
        Factor[] factors = {new Factor(), new Factor(), new Factor(), new Factor(), new Factor()};
        double[] former = errors(fresh, factors, 0, noise, 400, random);
        errors(fresh, factors, SLOWER_BY_HALF, noise, 20, random);
        double[] after = errors(fresh, factors, SLOWER_BY_HALF, noise, 40, random);
        assertThat(median(after))
            .as("noise %s, seed %d", noise, seed)
            .isLessThan(2 * median(former));
      }
    }
  }

  /** The remaining errors of a number of batches of four samples counts, whose times err by log. */
  private static double[] errors(
      Correction correction,
      Factor[] factors,
      double log,
      double noise,
      int batches,
      Random random) {
    double[] errors = new double[batches];
    for (int i = 0; i < batches; i++) {
      Factor ofSamples = factors[1 + random.nextInt(4)];
      double seen = log + noise * random.nextGaussian();
      double corrected = factors[0].log + correction.workload.log + ofSamples.log;
      errors[i] = Math.abs(seen - corrected);
      correction.learn(seen, factors[0], ofSamples);
    }
    return errors;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  @Test
  void tellsOtherWorkloadsOfASlowDevice_butNotOfOneSlowWorkload() {
    Correction other = new Correction();
    Factor otherSamples = new Factor();
    for (int i = 0; i < 60; i++) {
      learn(SLOWER_BY_HALF);
    }
    assertThat(log()).isEqualTo(SLOWER_BY_HALF, within(0.01));
    double lent = device.log;
    assertThat(lent).isBetween(0.05, SLOWER_BY_HALF / 2);

    for (int i = 0; i < 60; i++) {
      learn(SLOWER_BY_HALF);
      other.learn(0, device, otherSamples);
    }
    assertThat(device.log + other.workload.log + otherSamples.log).isEqualTo(0, within(0.01));
    assertThat(log()).isEqualTo(SLOWER_BY_HALF, within(0.01));
  }

  @Test
  void learnsWhatIsOfOneSamplesCountAlone() {
    Factor right = new Factor();
    for (int i = 0; i < 400; i++) {
      learn(0.1);
      correction.learn(0, device, right);
    }
    assertThat(log()).isEqualTo(0.1, within(0.01));
    assertThat(device.log + correction.workload.log + right.log).isEqualTo(0, within(0.01));
  }

  @Test
  void staysBounded() {
    for (int i = 0; i < 10_000; i++) {
      learn(1000);
    }
    assertThat(log()).isLessThan(3 * StrictMath.log(8) + 1e-9);
    assertThat(Math.abs(correction.run)).isEqualTo(20);
  }
}
