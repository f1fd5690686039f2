package dev.sluice.analytics.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Two-sided p-values with known answers. */
final class BinomialTestTest {
  @Test
  void isTwiceTheSmallerTail() {
    // of 10 fair throws: P(at most 1) = 11 / 1024
    assertThat(PredictionFigures.binomialTest(1, 10, 0.5)).isCloseTo(22.0 / 1024, within(1e-12));
    assertThat(PredictionFigures.binomialTest(9, 10, 0.5)).isCloseTo(22.0 / 1024, within(1e-12));
    assertThat(PredictionFigures.binomialTest(5, 10, 0.5)).isEqualTo(1);
    assertThat(PredictionFigures.binomialTest(0, 100, 0.05))
        .isCloseTo(2 * Math.pow(0.95, 100), within(1e-12));
    assertThat(PredictionFigures.binomialTest(100, 100, 0.05)).isCloseTo(0, within(1e-100));
  }

  @Test
  void holdsForVeryManyTrials() {
    assertThat(PredictionFigures.binomialTest(50_000, 1_000_000, 0.05)).isGreaterThan(0.9);
    assertThat(PredictionFigures.binomialTest(51_000, 1_000_000, 0.05)).isLessThan(1e-5);
    assertThat(PredictionFigures.binomialTest(49_000, 1_000_000, 0.05)).isLessThan(1e-5);
  }
}
