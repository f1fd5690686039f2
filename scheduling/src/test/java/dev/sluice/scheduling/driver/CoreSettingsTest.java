package dev.sluice.scheduling.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Predictor;
import org.junit.jupiter.api.Test;

/** Bounds of the settings. */
final class CoreSettingsTest {
  @Test
  void leasesTakeOne_andNothingBelow() {
    assertThat(new Leases(1, 1, 1).leaseNs()).isEqualTo(1);
    refuses(0, 1, 1);
    refuses(1, 0, 1);
    refuses(1, 1, 0);
  }

  private static void refuses(long heartbeatNs, long leaseNs, int maxAttempts) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Leases(heartbeatNs, leaseNs, maxAttempts))
        .withMessageContaining("must be at least 1");
  }

  @Test
  void aQuantileIsAboveZeroAndBelowOne() {
    for (double quantile : new double[] {0, 1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Predictor(true, quantile))
          .withMessage("quantile (" + quantile + ") must be in (0, 1)");
    }
  }
}
