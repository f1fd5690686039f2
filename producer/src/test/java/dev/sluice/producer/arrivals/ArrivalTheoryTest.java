package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.Arrivals;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each process beside its theory, over 10^6 draws at fixed seeds: mean and variation of the gaps,
 * and the dispersion (variance / mean) of the counts in windows.
 */
final class ArrivalTheoryTest {
  private static final int DRAWS = 1_000_000;
  private static final double RATE = 100;

  /** Where the regularised incomplete gamma function of 1/4 is 1/2. */
  private static final double MEDIAN_OF_SHAPE_QUARTER = 0.043_673_8;

  /**
   * What theory says of a process at {@link #RATE}.
   *
   * @param windowSeconds window in which arrivals are counted
   * @param dispersion variance / mean of the counts in that window
   * @param longDispersion the same in very long windows, which sets the errors of sums
   * @param kurtosisExcess of the gaps, which sets the error of their variation
   */
  private record Theory(
      String process,
      Map<String, Double> settings,
      double cv,
      double windowSeconds,
      double dispersion,
      double longDispersion,
      double kurtosisExcess) {
    @Override
    public String toString() {
      return process + settings;
    }
  }

  static Stream<Theory> theories() {
    return Stream.of(
        new Theory("poisson", Map.of(), 1, 1, 1, 1, 6),
        gamma(0.1),
        gamma(0.5),
        gamma(1),
        gamma(2),
        gamma(5),
        mmpp(4, 0.2, 0.02),
        mmpp(4, 0.2, 0.5),
        mmpp(2, 0.5, 0.1),
        mmpp(10, 0.05, 0.1),
        mmpp(1, 0.3, 1));
  }

  /**
   * A gamma renewal process. Counts of a stationary one have the variance cv² m + (1 − cv⁴) / 6
   * around a large mean m (Cox, Renewal Theory, 1962, 4.5).
   */
  private static Theory gamma(double cv) {
    double squared = cv * cv;
    double counts = 50 * Math.max(1, squared);
    return new Theory(
        "gamma",
        Map.of("cv", cv),
        cv,
        counts / RATE,
        squared + (1 - squared * squared) / 6 / counts,
        squared,
        6 * squared);
  }

  /**
   * The closed forms of the two-state process (Fischer and Meier-Hellstern 1993). Its gaps are
   * correlated, so that their fourth moment alone does not set the error of their variation.
   */
  private static Theory mmpp(double burst, double share, double meanBurstSeconds) {
    double high = RATE * burst;
    double low = RATE * (1 - burst * share) / (1 - share);
    double end = 1 / meanBurstSeconds;
    double begin = end * share / (1 - share);
    double spread = 2 * end * begin * (high - low) * (high - low) / Math.pow(end + begin, 2);
    double squaredCv = 1 + spread / (high * low + high * begin + low * end);
    double longDispersion = 1 + spread / (high * begin + low * end);
    double windowSeconds = meanBurstSeconds;
    double t = (end + begin) * windowSeconds;
    double dispersion = 1 + (longDispersion - 1) * (1 - (1 - Math.exp(-t)) / t);
    return new Theory(
        "mmpp",
        Map.of("burst", burst, "share", share, "mean_burst_seconds", meanBurstSeconds),
        Math.sqrt(squaredCv),
        windowSeconds,
        dispersion,
        longDispersion,
        6 * squaredCv * longDispersion);
  }

  @ParameterizedTest
  @MethodSource("theories")
  void theGapsHaveTheirMeanAndVariation(Theory theory) {
    double[] gaps = gapsSeconds(theory, 11);
    double mean = Gaps.mean(gaps);
    assertThat(mean * RATE).isCloseTo(1, within(4 * Math.sqrt(theory.longDispersion / DRAWS)));
    double error = Math.sqrt((theory.kurtosisExcess + 2) / 4 / DRAWS) + 1.0 / DRAWS;
    assertThat(Gaps.variation(gaps) / theory.cv).isCloseTo(1, within(5 * error));
  }

  @ParameterizedTest
  @MethodSource("theories")
  void theCountsHaveTheirDispersion(Theory theory) {
    double[] gaps = gapsSeconds(theory, 12);
    long windows = (long) (0.9 * DRAWS / RATE / theory.windowSeconds);
    double error = Math.sqrt((2 + 6 * theory.dispersion / RATE / theory.windowSeconds) / windows);
    assertThat(dispersion(gaps, theory.windowSeconds, windows) / theory.dispersion)
        .isCloseTo(1, within(5 * error));
  }

  @Test
  void gammaOfVariationOne_isExponential() {
    double[] gaps = gapsSeconds(gamma(1), 3);
    assertThat(Gaps.distanceToExponential(gaps, 1 / RATE)).isLessThan(1.95 / Math.sqrt(DRAWS));
  }

  @Test
  void gammaOfVariationTwo_hasItsMedian() {
    double[] gaps = gapsSeconds(gamma(2), 4);
    Arrays.sort(gaps);
    double median = gaps[DRAWS / 2] * RATE / 4; // in units of the scale
    assertThat(median).isCloseTo(MEDIAN_OF_SHAPE_QUARTER, within(0.0006));
  }

  @Test
  void arePortable_bitByBit() {
    assertThat(
            List.of(
                ArrivalProcesses.of(drawn(gamma(0.5)), RATE).nextGapNs(new RandomStream(1)),
                ArrivalProcesses.of(drawn(gamma(2)), RATE).nextGapNs(new RandomStream(1)),
                ArrivalProcesses.of(drawn(mmpp(4, 0.2, 0.5)), RATE).nextGapNs(new RandomStream(1))))
        .containsExactly(9032095.253153604, 1387811.625782183, 1.15028342025819E7);
  }

  private static Arrivals.Drawn drawn(Theory theory) {
    return new Arrivals.Drawn(theory.process, theory.settings);
  }

  private static double[] gapsSeconds(Theory theory, long seed) {
    ArrivalProcess process = ArrivalProcesses.of(drawn(theory), RATE);
    var random = new RandomStream(seed);
    var gaps = new double[DRAWS];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = process.nextGapNs(random) / 1e9;
    }
    return gaps;
  }

  private static double dispersion(double[] gaps, double windowSeconds, long windows) {
    double sum = 0;
    double squares = 0;
    double atSeconds = 0;
    int next = 0;
    for (long window = 1; window <= windows; window++) {
      int count = 0;
      while (next < gaps.length && atSeconds + gaps[next] < window * windowSeconds) {
        atSeconds += gaps[next++];
        count++;
      }
      assertThat(next).isLessThan(gaps.length);
      sum += count;
      squares += (double) count * count;
    }
    double mean = sum / windows;
    return (squares / windows - mean * mean) / mean;
  }
}
