package dev.sluice.harness.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Shares of the processors between two readings. */
final class HostLoadTest {
  private static final HostLoad EARLIER = new HostLoad(100, 10, 1000, 0, 7);

  @Test
  void leavesThisProcessOut() {
    var later = new HostLoad(250, 10, 1200, 500_000_000, 1_000_000_007);
    assertThat(later.foreignShareSince(EARLIER, 2)).isEqualTo(0.5, within(1e-9));
  }

  @Test
  void isNeverNegative_howeverCoarseTheTicks() {
    var later = new HostLoad(110, 10, 1200, 1_000_000_000, 1_000_000_007);
    assertThat(later.foreignShareSince(EARLIER, 2)).isZero();
  }

  @Test
  void tellsWhatTheHypervisorWithheld() {
    var later = new HostLoad(100, 60, 1200, 0, 1_000_000_007);
    assertThat(later.stealShareSince(EARLIER)).isEqualTo(0.25, within(1e-9));
    assertThat(EARLIER.stealShareSince(EARLIER)).as("no time between").isZero();
  }
}
