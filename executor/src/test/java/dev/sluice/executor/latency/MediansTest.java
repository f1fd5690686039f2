package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Medians, which model files and tables repeat to the last bit. */
final class MediansTest {
  /** Compares bits, since the fit of earlier model files must not change at all. */
  @Property(tries = 500)
  void isTheMiddleValue_orTheMeanOfTheTwoMiddleValues(
      @ForAll @Size(min = 1, max = 200) @DoubleRange(min = -50, max = 50) double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double expected =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    assertThat(Double.doubleToLongBits(Medians.of(values)))
        .isEqualTo(Double.doubleToLongBits(expected));
  }

  @Test
  void leavesTheValuesAsTheyAre() {
    double[] values = {3, 1, 2, 9, 8, 7, 4};
    assertThat(Medians.of(values)).isEqualTo(4);
    assertThat(values).containsExactly(3, 1, 2, 9, 8, 7, 4);
  }
}
