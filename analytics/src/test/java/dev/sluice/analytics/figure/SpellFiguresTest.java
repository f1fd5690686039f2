package dev.sluice.analytics.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Autocorrelation of made-up rows. */
final class SpellFiguresTest {
  @Test
  void isNearOne_whenTenSlowOnesFollowTenFastOnes() {
    double[] spells = IntStream.range(0, 1000).mapToDouble(i -> i / 10 % 2 == 0 ? 1 : -1).toArray();
    assertThat(SpellFigures.autocorrelation(spells, 1)).isEqualTo(0.8, within(0.01));
    assertThat(SpellFigures.autocorrelation(spells, 10)).isEqualTo(-0.99, within(0.001));
  }

  @Test
  void isMinusOne_whenEachSlowOneFollowsAFastOne() {
    double[] inTurn = IntStream.range(0, 1000).mapToDouble(i -> i % 2 == 0 ? 1 : -1).toArray();
    assertThat(SpellFigures.autocorrelation(inTurn, 1)).isEqualTo(-0.999, within(1e-9));
    assertThat(SpellFigures.autocorrelation(inTurn, 10)).isEqualTo(0.99, within(1e-9));
  }

  @Test
  void isNoNumber_whenAllTookTheSame() {
    assertThat(SpellFigures.autocorrelation(new double[50], 1)).isNaN();
  }
}
