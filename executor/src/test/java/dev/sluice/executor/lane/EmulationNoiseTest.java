package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The noise of emulated batches. */
final class EmulationNoiseTest {
  private static DoubleStream factors(double spread) {
    return IntStream.range(0, 20_000).mapToDouble(i -> Emulation.noise(42, "job-" + i, 1, spread));
  }

  @Test
  void hasMeanOne_andTheSpreadAskedFor() {
    assertThat(factors(0.2).average().orElseThrow()).isCloseTo(1, within(0.01));
    double meanOfLogs = factors(0.2).map(Math::log).average().orElseThrow();
    double variance =
        factors(0.2).map(f -> Math.pow(Math.log(f) - meanOfLogs, 2)).average().orElseThrow();
    assertThat(Math.sqrt(variance)).isCloseTo(0.2, within(0.01));
    assertThat(meanOfLogs).isCloseTo(-0.02, within(0.01));
  }

  @Property(tries = 200)
  void isAFunctionOfItsArguments(@ForAll long seed, @ForAll String job) {
    double factor = Emulation.noise(seed, job, 1, 0.1);
    assertThat(Emulation.noise(seed, job, 1, 0.1)).isEqualTo(factor).isPositive();
    assertThat(Emulation.noise(seed, job, 1, 0)).isEqualTo(1);
  }

  @Test
  void differsBySeedJobAndAttempt() {
    double factor = Emulation.noise(42, "job-7", 1, 0.1);
    assertThat(factor)
        .isNotEqualTo(Emulation.noise(43, "job-7", 1, 0.1))
        .isNotEqualTo(Emulation.noise(42, "job-8", 1, 0.1))
        .isNotEqualTo(Emulation.noise(42, "job-7", 2, 0.1));
  }

  @Test
  void staysTheSameInEveryBuild() {
    assertThat(Emulation.noise(42, "job-0", 1, 0.1)).isEqualTo(0.9755568924942112);
  }
}
