package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holm's procedure, held to p.adjust of R, which gives 0.03 0.06 0.06 0.02 for these four. */
final class HolmTest {
  private static final List<Double> PS = List.of(0.01, 0.04, 0.03, 0.005);

  @Test
  void findsWhatTheAdjustedProbabilitySays() {
    assertThat(Holm.of(PS, 0.05).found()).containsExactly(true, false, false, true);
    assertThat(Holm.of(PS, 0.061).found()).containsExactly(true, true, true, true);
    assertThat(Holm.of(PS, 0.029).found()).containsExactly(false, false, false, true);
    assertThat(Holm.of(PS, 0.019).found()).containsOnly(false);
  }

  @Test
  void saysWhichProbabilityWouldHaveBeenFound() {
    assertThat(Holm.of(PS, 0.05).level()).isCloseTo(0.025, within(1e-12)); // 0.05 / 2
    assertThat(Holm.of(List.of(0.01, 0.0249, 0.03, 0.005), 0.05).found())
        .containsExactly(true, true, true, true);
    assertThat(Holm.of(List.of(0.01, 0.0251, 0.03, 0.005), 0.05).found())
        .containsExactly(true, false, false, true);
  }

  @Test
  void ofOneTest_isThatTest_andOfNoneIsNone() {
    assertThat(Holm.of(List.of(0.05), 0.05).found()).containsExactly(true);
    assertThat(Holm.of(List.of(0.0501), 0.05).found()).containsExactly(false);
    assertThat(Holm.of(List.of(), 0.05).found()).isEmpty();
    assertThat(Holm.of(Collections.nCopies(3, 1.0), 0.05).found()).containsOnly(false);
  }
}
