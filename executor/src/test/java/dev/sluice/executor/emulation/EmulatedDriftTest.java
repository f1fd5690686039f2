package dev.sluice.executor.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.LoadShape.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EmulatedDriftTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void changesNothing_unlessSomethingIsAsked() {
    assertThat(EmulatedDrift.NONE.factor(0)).isEqualTo(1);
    assertThat(EmulatedDrift.NONE.factor(1_000 * SECOND)).isEqualTo(1);
  }

  @Test
  void stepsAtOnce_andGoesBack() {
    var drift = new EmulatedDrift(List.of(new Step(10, 1.5, 0), new Step(20, 1, 0)));
    assertThat(drift.factor(10 * SECOND - 1)).isEqualTo(1);
    assertThat(drift.factor(10 * SECOND)).isEqualTo(1.5);
    assertThat(drift.factor(20 * SECOND - 1)).isEqualTo(1.5);
    assertThat(drift.factor(20 * SECOND)).isEqualTo(1);
  }

  @Test
  void goesLinearly_fromTheFactorBefore() {
    var drift = new EmulatedDrift(List.of(new Step(0, 2, 10), new Step(10, 1, 4)));
    assertThat(drift.factor(5 * SECOND)).isCloseTo(1.5, within(1e-12));
    assertThat(drift.factor(10 * SECOND)).isCloseTo(2, within(1e-12));
    assertThat(drift.factor(11 * SECOND)).isCloseTo(1.75, within(1e-12));
    assertThat(drift.factor(100 * SECOND)).isEqualTo(1);
  }
}
