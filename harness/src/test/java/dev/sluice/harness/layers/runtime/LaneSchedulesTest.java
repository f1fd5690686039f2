package dev.sluice.harness.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.layers.Layers;
import dev.sluice.scheduling.layers.ScheduleCheck;
import dev.sluice.scheduling.layers.Schedules;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules of lanes, by their budget. */
final class LaneSchedulesTest {
  private final Layers layers =
      new Layers(List.of("a", "b", "c", "d"), List.of(3L, 10L, 10L, 4L), false);

  @Test
  void readAsFarAheadAsTheBudgetAllows() {
    assertThat(LaneSchedules.schedule(layers, 27)).isEqualTo(Schedules.eager(layers));
    assertThat(LaneSchedules.schedule(layers, 20)).isEqualTo(Schedules.prefetch(layers, 1));
    assertThat(LaneSchedules.schedule(layers, 19)).isEqualTo(Schedules.onDemand(layers));
  }

  @Test
  void passTheCheck_withinEveryBudgetThatHoldsTheLargestLayer() {
    for (long budget = 10; budget < 30; budget++) {
      assertThat(ScheduleCheck.faults(LaneSchedules.schedule(layers, budget), layers, budget))
          .isEmpty();
    }
  }
}
