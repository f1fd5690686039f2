package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Intervals of one series, held to AR(1) series of known mean and known variance. */
final class BatchMeansTest {
  private static final int SERIES = 1_000;

  /** A stationary AR(1) series with mean 10: x = 10 + φ (x' − 10) + standard normal noise. */
  private static double[] ar1(double phi, int length, long seed) {
    var random = new Random(seed);
    var series = new double[length];
    double x = random.nextGaussian() / Math.sqrt(1 - phi * phi);
    for (int i = 0; i < length; i++) {
      series[i] = 10 + x;
      x = phi * x + random.nextGaussian();
    }
    return series;
  }

  private static boolean holdsTen(BatchMeans means) {
    MeanInterval interval = MeanInterval.of(means.means());
    return interval.low() <= 10 && 10 <= interval.high();
  }

  @Test
  void isTheMeanOfTwentyBatches() {
    double[] steps = IntStream.range(0, 60).mapToDouble(i -> i / 3).toArray(); // 0 0 0 1 1 1 …
    BatchMeans means = BatchMeans.of(steps);
    assertThat(means.means())
        .isEqualTo(IntStream.range(0, 20).mapToObj(i -> Double.valueOf(i)).toList());
    MeanInterval interval = MeanInterval.of(means.means());
    assertThat(interval.mean()).isEqualTo(9.5);
    // sd of 0 to 19 is √35; t(0.975; 19) = 2.09302 in every table of Student's t
    assertThat(interval.halfWidth()).isCloseTo(2.09302 * Math.sqrt(35.0 / 20), within(1e-4));
    assertThat(BatchMeans.correlation(means.means()))
        .isCloseTo(1 - 19 / (2 * 665.0), within(1e-12));
    assertThat(means.correlated()).isTrue();
    assertThat(means.isTrusted()).isFalse();
  }

  @Test
  void saysNothingOfAShortSeries() {
    BatchMeans means = BatchMeans.of(new double[39]);
    assertThat(means.isTrusted()).isFalse();
    assertThat(means.means()).isEmpty();
  }

  @Test
  void keepsEveryValue_whereBatchesCannotBeEqual() {
    BatchMeans means = BatchMeans.of(ar1(0, 47, 1));
    assertThat(means.means()).hasSize(20).allSatisfy(mean -> assertThat(mean).isFinite());
  }

  @Test
  void holdsTheMeanNineteenTimesInTwenty_whereBatchesAreLong() {
    for (double phi : new double[] {0, 0.5, 0.9}) {
      int held = 0;
      int trusted = 0;
      for (int seed = 0; seed < SERIES; seed++) {
        BatchMeans means = BatchMeans.of(ar1(phi, 10_000, seed));
        trusted += means.isTrusted() ? 1 : 0;
        held += holdsTen(means) ? 1 : 0;
      }
      // 1,000 trials of 0.95: 950 ± 21 with probability 0.998
      assertThat(held).as("held with φ = %s", phi).isBetween(924, 975);
      assertThat(trusted).as("trusted with φ = %s", phi).isGreaterThan(850);
    }
  }

  @Test
  void isAsWideAsTheKnownVarianceSays() {
    double phi = 0.5;
    int length = 10_000;
    double width =
        IntStream.range(0, SERIES)
            .mapToDouble(
                seed -> MeanInterval.of(BatchMeans.of(ar1(phi, length, seed)).means()).sd())
            .map(sd -> sd * sd / BatchMeans.BATCHES)
            .average()
            .orElseThrow();
    // the variance of the mean of an AR(1) series tends to σ² / ((1 − φ)² n), here 4e-4
    assertThat(width).isCloseTo(1 / ((1 - phi) * (1 - phi) * length), within(2e-5));
  }

  @Test
  void trustsNoSeriesWhoseBatchesCorrelate() {
    int trusted = 0;
    for (int seed = 0; seed < SERIES; seed++) {
      trusted += BatchMeans.of(ar1(0.99, 1_000, seed)).isTrusted() ? 1 : 0; // 100 values remember
    }
    assertThat(trusted).isLessThan(SERIES / 20);
  }

  @Test
  void ofATrustedSeries_stillHoldsTheMean_whereSomeBatchesAreTooShort() {
    int trusted = 0;
    int held = 0;
    for (int seed = 0; seed < 4 * SERIES; seed++) {
      BatchMeans means = BatchMeans.of(ar1(0.9, 1_500, seed));
      if (means.isTrusted()) {
        trusted++;
        held += holdsTen(means) ? 1 : 0;
      }
    }
    assertThat(trusted).isGreaterThan(100);
    assertThat((double) held / trusted).isGreaterThan(0.9);
  }

  @Test
  void staysWithinWhatAShareCanBe() {
    double[] none = new double[1_000];
    assertThat(MeanInterval.of(BatchMeans.of(none).means(), Bounds.SHARE).high()).isZero();
    assertThat(BatchMeans.of(none).isTrusted()).isTrue();
    double[] few = none.clone();
    Arrays.fill(few, 100, 103, 1);
    MeanInterval share = MeanInterval.of(BatchMeans.of(few).means(), Bounds.SHARE);
    assertThat(share.low()).isBetween(0.0, 0.003);
    assertThat(share.high()).isBetween(0.003, 0.1);
  }
}
