package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Two-sided p-values with known answers. */
final class BinomialTestTest {
  @Test
  void isTwiceTheSmallerTail() {
    // of 10 fair throws: P(at most 1) = 11 / 1024
    assertThat(BinomialTest.twoSided(1, 10, 0.5)).isCloseTo(22.0 / 1024, within(1e-12));
    assertThat(BinomialTest.twoSided(9, 10, 0.5)).isCloseTo(22.0 / 1024, within(1e-12));
    assertThat(BinomialTest.twoSided(5, 10, 0.5)).isEqualTo(1);
    assertThat(BinomialTest.twoSided(0, 100, 0.05))
        .isCloseTo(2 * Math.pow(0.95, 100), within(1e-12));
    assertThat(BinomialTest.twoSided(100, 100, 0.05)).isCloseTo(0, within(1e-100));
  }

  @Test
  void holdsForVeryManyTrials() {
    assertThat(BinomialTest.twoSided(50_000, 1_000_000, 0.05)).isGreaterThan(0.9);
    assertThat(BinomialTest.twoSided(51_000, 1_000_000, 0.05)).isLessThan(1e-5);
    assertThat(BinomialTest.twoSided(49_000, 1_000_000, 0.05)).isLessThan(1e-5);
  }
}
