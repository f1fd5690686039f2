package dev.sluice.analytics.figure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The test of a rising queue on made-up runs whose lanes can do about 53 jobs a second. */
final class StabilityFiguresTest {
  @Test
  void callsNoRunUnstable_underALoadThatItsLanesCanBear() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(unstable(40, 60, seed)).as("seed " + seed).isEqualTo(false);
    }
  }

  @Test
  void callsARunUnstable_whenMoreArrivesThanItsLanesCanBear() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(unstable(70, 60, seed)).as("seed " + seed).isEqualTo(true);
    }
  }

  @Test
  void decidesNothing_underTwentyArrivals() {
    assertThat(unstable(2, 5, 1)).isNull();
  }

  private static Object unstable(double rate, double seconds, long seed) {
    return SyntheticRun.of(SyntheticRun.experiment(rate, 0, seconds, 2, Map.of()), seed)
        .report()
        .summary()
        .values()
        .get("unstable");
  }
}
