package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.LoadShape.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The drift of emulated service times. */
final class EmulatedDriftTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void changesNothing_unlessSomethingIsAsked() {
    assertThat(Emulation.drift(List.of(), 0)).isEqualTo(1);
    assertThat(Emulation.drift(List.of(), 1_000 * SECOND)).isEqualTo(1);
  }

  @Test
  void stepsAtOnce_andGoesBack() {
    var drift = List.of(new Step(10, 1.5, 0), new Step(20, 1, 0));
    assertThat(Emulation.drift(drift, 10 * SECOND - 1)).isEqualTo(1);
    assertThat(Emulation.drift(drift, 10 * SECOND)).isEqualTo(1.5);
    assertThat(Emulation.drift(drift, 20 * SECOND - 1)).isEqualTo(1.5);
    assertThat(Emulation.drift(drift, 20 * SECOND)).isEqualTo(1);
  }

  @Test
  void goesLinearly_fromTheFactorBefore() {
    var drift = List.of(new Step(0, 2, 10), new Step(10, 1, 4));
    assertThat(Emulation.drift(drift, 5 * SECOND)).isCloseTo(1.5, within(1e-12));
    assertThat(Emulation.drift(drift, 10 * SECOND)).isCloseTo(2, within(1e-12));
    assertThat(Emulation.drift(drift, 11 * SECOND)).isCloseTo(1.75, within(1e-12));
    assertThat(Emulation.drift(drift, 100 * SECOND)).isEqualTo(1);
  }
}
