package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.Arrivals;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.DoubleStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each arrival process is the distribution that it is named after. */
final class ArrivalProcessesTest {

  @Test
  void areKnownByName() {
    assertThat(ArrivalProcesses.names()).contains("constant", "poisson").isSorted();
  }

  @Test
  void listTheKnownOnes_whenTheNameIsUnknown() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrivalProcesses.of(drawn("poison"), 1))
        .withMessage(
            "arrivals (poison) is unknown. Known arrivals: %s",
            String.join(", ", ArrivalProcesses.names()));
  }

  /**
   * Allows four standard errors, which are 1/√n of the mean for both the mean and the variation.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 42, 8231})
  void poissonGapsAreExponential(long seed) {
    double rate = 300;
    double meanNs = 1e9 / rate;
    int n = 200_000;
    double[] gapsNs = gapsNs("poisson", rate, seed, n);
    double error = 1 / Math.sqrt(n);
    assertThat(Gaps.mean(gapsNs) / meanNs).isCloseTo(1, within(4 * error));
    assertThat(Gaps.variation(gapsNs)).isCloseTo(1, within(4 * error));
    assertThat(Gaps.distanceToExponential(gapsNs, meanNs)).isLessThan(1.95 * error); // 0.1 %
  }

  /**
   * Counts gaps above three means: 9957 of 200,000 are expected, none if gaps were capped there.
   */
  @Test
  void poissonGapsAreNotCapped() {
    double[] gapsNs = gapsNs("poisson", 1, 5, 200_000);
    assertThat(Arrays.stream(gapsNs).filter(gap -> gap > 3e9).count()).isBetween(9_570L, 10_350L);
    assertThat(Arrays.stream(gapsNs).max().orElseThrow()).isGreaterThan(9e9);
  }

  /** Allows six standard errors, so that no seed is expected to miss. */
  @Property(tries = 100)
  void poissonMeanAndVariationHold_forAnySeed(@ForAll long seed) {
    double[] gapsNs = gapsNs("poisson", 50, seed, 20_000);
    assertThat(Gaps.mean(gapsNs) / 2e7).isCloseTo(1, within(6 / Math.sqrt(20_000)));
    assertThat(Gaps.variation(gapsNs)).isCloseTo(1, within(6 / Math.sqrt(20_000)));
  }

  @Test
  void constantGapsAreEqual() {
    assertThat(gapsNs("constant", 8, 1, 100)).containsOnly(125e6);
  }

  /** Adds nine million gaps of 3333333.3… ns: the last time is still exact. */
  @Test
  void roundingDoesNotAddUp() {
    var times =
        new IntendedTimes(ArrivalProcesses.constant(300), new RandomStream(1), RescaledTime.EVEN);
    long lastNs = 0;
    for (int i = 1; i <= 9_000_001; i++) {
      lastNs = times.nextNs();
    }
    assertThat(lastNs).isEqualTo(30_000_003_333_333L);
  }

  private static Arrivals.Drawn drawn(String name) {
    return new Arrivals.Drawn(name, Map.of());
  }

  private static double[] gapsNs(String name, double rate, long seed, int count) {
    ArrivalProcess process = ArrivalProcesses.of(drawn(name), rate);
    var random = new RandomStream(seed);
    return DoubleStream.generate(() -> process.nextGapNs(random)).limit(count).toArray();
  }
}
