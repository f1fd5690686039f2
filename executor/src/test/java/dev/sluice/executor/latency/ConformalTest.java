package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.executor.latency.LatencyModel.Reach;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upper quantiles from residuals: their rank, when there is no quantile, and their coverage. */
final class ConformalTest {
  private static double[] upTo(int n) {
    return IntStream.rangeClosed(1, n).asDoubleStream().toArray();
  }

  @ParameterizedTest
  @CsvSource({"99, 0.99, 99", "199, 0.99, 198", "100, 0.99, 100", "19, 0.95, 19", "39, 0.95, 38"})
  void isTheOneOfRankNPlusOneTimesTheLevel(int n, double level, double expected) {
    assertThat(Conformal.quantile(upTo(n), level)).hasValue(expected);
  }

  @ParameterizedTest
  @CsvSource({"98, 0.99", "18, 0.95", "0, 0.5"})
  void thereIsNone_withTooFewRows(int n, double level) {
    assertThat(Conformal.quantile(upTo(n), level)).isEmpty();
  }

  @Property
  void thinnedResidualsGiveNoLowerQuantile(
      @ForAll @IntRange(min = 1, max = 2_000) int n,
      @ForAll @IntRange(min = 1, max = 200) int most,
      @ForAll @DoubleRange(min = 0.01, max = 0.99) double level) {
    double[] all = upTo(n);
    double[] thinned = Conformal.thinned(all, most);
    assertThat(thinned).hasSizeLessThanOrEqualTo(most).isSorted();
    var ofThinned = Conformal.quantile(thinned, level);
    if (ofThinned.isPresent()) {
      var ofAll = Conformal.quantile(all, level);
      assertThat(ofAll).isPresent();
      assertThat(ofThinned.getAsDouble()).isGreaterThanOrEqualTo(ofAll.getAsDouble());
    }
  }

  /**
   * 50 profiles of 240 rows of a workload on a backend, 200 new rows each. A profile's own miss
   * rate varies around 1 − level by √(level (1 − level) / 242), its 200 rows by binomial chance;
   * 2.6 standard deviations of their mean are 99 %.
   */
  @ParameterizedTest
  @CsvSource({"0.95", "0.99"})
  void quantilesCoverWhatTheyPromise_over50Seeds(double level) {
    var profile = SyntheticProfile.linear(0, 0.2);
    LatencyKey key = SyntheticProfile.key("small", "onnx", 4, 1);
    int misses = 0;
    for (int seed = 1; seed <= 50; seed++) {
      LatencyModel model = Models.ofMedians(profile.rows(seed));
      double boundMs = model.quantileNs(key, level).orElseThrow() / 1e6;
      var random = new Random(-seed);
      for (int i = 0; i < 200; i++) {
        double ms = SyntheticProfile.linearMs(key) * Math.exp(0.2 * random.nextGaussian());
        misses += ms > boundMs ? 1 : 0;
      }
    }
    double variance = level * (1 - level);
    double deviation = Math.sqrt((variance / 242 + variance / 200) / 50);
    assertThat(misses / 10_000.0).isCloseTo(1 - level, within(2.6 * deviation));
  }

  @Test
  void thereIsNoP99_below99CalibrationRowsOfTheWorkloadAndBackend() {
    // two busy counts × four samples counts × three passes = 24 rows a repeat
    var four = new SyntheticProfile(SyntheticProfile.keys(1, 2, 4, 8), k -> 5, 3, 4, 0, 0.1);
    var five = new SyntheticProfile(SyntheticProfile.keys(1, 2, 4, 8), k -> 5, 3, 5, 0, 0.1);
    LatencyKey key = SyntheticProfile.key("small", "onnx", 4, 1);
    assertThat(Models.ofMedians(four.rows(1)).quantileNs(key, 0.99)).isEmpty();
    assertThat(Models.ofMedians(four.rows(1)).quantileNs(key, 0.95)).isPresent();
    assertThat(Models.ofMedians(five.rows(1)).quantileNs(key, 0.99)).isPresent();
    assertThat(Models.ofMedians(four.rows(1)).residuals("small", "onnx", Reach.SEEN)).hasSize(96);
    assertThat(Models.ofMedians(five.rows(1)).residuals("small", "onnx", Reach.SEEN)).hasSize(120);
  }
}
