package dev.sluice.planning.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The spread of a model's layers, by example. */
final class LayerSpreadTest {
  @Test
  void isTheSumOfTheMiddleHalves_overTheSumOfTheMedians() {
    List<Double> steady = List.of(1.0, 1.0, 1.0, 1.0, 1.0);
    List<Double> wide = List.of(9.0, 2.0, 3.0, 1.0, 4.0); // sorted 1 2 3 4 9: quartiles 2 and 4
    assertThat(LayerProfileRun.spread(List.of(steady, steady))).isZero();
    assertThat(LayerProfileRun.spread(List.of(steady, wide))).isCloseTo(2.0 / 4, within(1e-12));
    assertThat(LayerProfileRun.spread(List.of(List.of(1.0, 2.0, 3.0)))).isEqualTo(1);
    assertThat(LayerProfileRun.spread(List.of(List.of(1.0)))).as("one time tells none").isNull();
  }
}
