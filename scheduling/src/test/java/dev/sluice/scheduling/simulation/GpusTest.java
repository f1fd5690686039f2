package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import org.junit.jupiter.api.Test;

/** Bounds of the numbers, and the cost of a change. */
final class GpusTest {
  @Test
  void takesOneGpu_andAChangeWithoutOverhead() {
    Gpus least = new Gpus(1, 4, 0, GangSwitch.LONGEST);
    GpuModel small = new GpuModel("small", 3, 1, 7, 0);
    GpuModel large = new GpuModel("large", 5, 1, 9, 0);
    assertThat(least.switchNs(null, large)).isEqualTo(9);
    assertThat(least.switchNs(large, large)).isZero();
    assertThat(least.switchNs(small, large)).isEqualTo(2_000_000_000L); // (3 + 5) / 4 seconds
  }

  @Test
  void refusesNoGpu_noBandwidth_andNegativeOverhead() {
    refuses(0, 4, 0);
    refuses(1, 0, 0);
    refuses(1, Double.NaN, 0);
    refuses(1, 4, -1);
  }

  private static void refuses(int count, double gbPerSecond, long overheadNs) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Gpus(count, gbPerSecond, overheadNs, GangSwitch.LONGEST))
        .withMessage(
            "count (%d), bandwidthGbPerSecond (%s), overheadNs (%d)"
                .formatted(count, gbPerSecond, overheadNs));
  }
}
