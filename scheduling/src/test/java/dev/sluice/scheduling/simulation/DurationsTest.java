package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.scheduling.simulation.GraphSchedule.Durations;
import org.junit.jupiter.api.Test;

/** Figures of durations. */
final class DurationsTest {
  @Test
  void percentiles_areNumpysDefault() {
    var durations = new Durations(new long[] {40, 10, 20, 30});
    assertThat(durations.percentileNs(0)).isEqualTo(10);
    assertThat(durations.percentileNs(50)).isEqualTo(25);
    assertThat(durations.percentileNs(99)).isCloseTo(39.7, within(1e-9));
    assertThat(durations.percentileNs(100)).isEqualTo(40);
    assertThat(new Durations(new long[0]).percentileNs(99)).isZero();
  }

  @Test
  void theMeanOfNoDurationsIsZero() {
    assertThat(new Durations(new long[] {10, 20, 60}).meanNs()).isEqualTo(30);
    assertThat(new Durations(new long[0]).meanNs()).isZero();
  }
}
