package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.junit.jupiter.api.Test;

/** Nearest rank: the smallest value that at least p percent of all values are not above. */
final class NearestRankTest {
  /** 99 % of 99 values are 98.01 of them: 98 are too few. */
  @Test
  void countsAHundredthOfAValueAsAWholeOne() {
    assertThat(NearestRank.of(99, 99)).isEqualTo(99);
    assertThat(NearestRank.of(1, 101)).isEqualTo(2);
    assertThat(NearestRank.of(67, 3)).isEqualTo(3);
  }

  @Test
  void isThePercentRoundedUp_ofEachCount() {
    for (int percent = 1; percent <= 100; percent++) {
      for (long count = 1; count <= 303; count++) {
        long expected =
            BigDecimal.valueOf(count * percent)
                .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING)
                .longValueExact();
        assertThat(NearestRank.of(percent, count)).isEqualTo(expected);
      }
    }
    assertThat(NearestRank.of(99, 0)).isZero();
  }

  @Test
  void isAValueThatOccurred() {
    long[] sorted = {10, 20, 30, 40};
    assertThat(NearestRank.percentile(sorted, 25)).isEqualTo(10);
    assertThat(NearestRank.percentile(sorted, 26)).isEqualTo(20);
    assertThat(NearestRank.percentile(sorted, 100)).isEqualTo(40);
    assertThat(NearestRank.percentile(new long[0], 50)).isNaN();
  }

  @Test
  void isInfinite_whereItFallsOnAValueThatIsNotThere() {
    long[] sorted = {10, 20, 30};
    assertThat(NearestRank.percentile(sorted, 75, 4)).isEqualTo(30);
    assertThat(NearestRank.percentile(sorted, 76, 4)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(NearestRank.percentile(new long[0], 50, 1)).isEqualTo(Double.POSITIVE_INFINITY);
  }
}
