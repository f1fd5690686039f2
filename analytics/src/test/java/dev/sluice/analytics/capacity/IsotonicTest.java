package dev.sluice.analytics.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The monotone fit by an example worked out by hand, and by what makes it the nearest one. */
final class IsotonicTest {
  @Test
  void poolsNeighboursThatFall() {
    // 4 and 2 pool to 3, which is above 2.7: all three pool to 2.9.
    assertThat(CapacitySearch.rising(new double[] {1, 4, 2, 2.7, 8, 6}))
        .containsExactly(new double[] {1, 2.9, 2.9, 2.9, 7, 7}, within(1e-12));
    assertThat(CapacitySearch.rising(new double[0])).isEmpty();
  }

  /**
   * The projection on a convex cone is the one member whose residual is at right angles to it, and
   * has no acute angle with any member (the conditions of Kuhn and Tucker). Each rising list is a
   * constant and steps upwards.
   */
  @Property
  void isTheNearestRisingList(
      @ForAll @Size(min = 1, max = 30) List<@DoubleRange(min = -100, max = 100) Double> drawn) {
    double[] values = drawn.stream().mapToDouble(v -> v).toArray();
    double[] fit = CapacitySearch.rising(values);
    assertThat(fit).hasSameSizeAs(values);
    double alongFit = 0;
    double above = 0; // residuals from a place on: a step there
    for (int i = values.length - 1; i >= 0; i--) {
      above += values[i] - fit[i];
      alongFit += (values[i] - fit[i]) * fit[i];
      assertThat(above).isLessThan(1e-8);
      if (i > 0) {
        assertThat(fit[i]).isGreaterThanOrEqualTo(fit[i - 1]);
      }
    }
    assertThat(above).isCloseTo(0, within(1e-8)); // all of them: the constant
    assertThat(alongFit).isCloseTo(0, within(1e-6));
    double[] rising = Arrays.copyOf(values, values.length);
    Arrays.sort(rising);
    assertThat(CapacitySearch.rising(rising)).containsExactly(rising);
  }
}
