package dev.sluice.scheduling.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** The least wall time, against all lists where they are few, and against made ones elsewhere. */
final class AutoScheduleTest {
  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void noListIsFaster_ofFewLayers(@ForAll long seed) {
    RandomLayers drawn = new RandomLayers(seed, 2, 3, true);
    AutoSchedule auto = auto(drawn);
    assertThat(auto.exact()).isTrue();
    assertThat(auto.lowerBoundNs()).isEqualTo(auto.wallNs());
    assertThat(EveryList.fastestNs(drawn, auto.wallNs() + 1)).as("%s", drawn).isEqualTo(auto.wallNs());
  }

  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void noListIsFaster_ofFourOrFiveLayers(@ForAll long seed) {
    RandomLayers drawn = new RandomLayers(seed, 4, 4, false);
    assertThat(EveryList.fastestNs(drawn, auto(drawn).wallNs()))
        .as("%s", drawn)
        .isEqualTo(auto(drawn).wallNs());
  }

  private static AutoSchedule auto(RandomLayers drawn) {
    AutoSchedule auto =
        AutoSchedule.best(drawn.layers, drawn.times, drawn.budgetBytes, drawn.steps);
    assertThat(ScheduleTime.of(auto.schedule(), drawn.layers, drawn.times, drawn.steps).wallNs())
        .as("%s", drawn)
        .isEqualTo(auto.wallNs());
    return auto;
  }
}
