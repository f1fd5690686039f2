package dev.sluice.layers.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Virtual time of lists made by hand. */
final class ScheduleTimeTest {
  private static final Layers TWO = new Layers(List.of("a", "b"), List.of(1L, 1L), false);
  private static final Layers.Times TIMES =
      new Layers.Times(List.of(10L, 30L), List.of(12L, 5L), List.of(0L, 0L));

  @Test
  void theLoopWaitsForWhatNoComputeHides() {
    var schedule =
        new LayerSchedule(
            List.of(),
            List.of(
                Operation.made(Kind.PREFETCH, 0),
                Operation.made(Kind.PREFETCH, 1),
                Operation.made(Kind.COMPUTE, 0),
                Operation.made(Kind.RELEASE, 0),
                Operation.made(Kind.COMPUTE, 1),
                Operation.made(Kind.RELEASE, 1)));

    ScheduleTime once = ScheduleTime.of(schedule, TWO, TIMES, 1);

    // a is there at 10 and computed until 22, b is there at 40 and computed until 45
    assertThat(once.wallNs()).isEqualTo(45);
    assertThat(once.stallNs()).containsExactly(10, 18);
    ScheduleTime twice = ScheduleTime.of(schedule, TWO, TIMES, 2);
    assertThat(twice.wallNs()).isEqualTo(90);
    assertThat(twice.stallNs()).containsExactly(20, 36);
  }

  @Test
  void aFetchWaits_alsoWhereTheLayerIsComputedLater() {
    var schedule =
        new LayerSchedule(
            List.of(Operation.made(Kind.FETCH, 0), Operation.made(Kind.FETCH, 1)),
            List.of(Operation.made(Kind.COMPUTE, 0), Operation.made(Kind.COMPUTE, 1)));

    // both are there at 40, then come the computes
    ScheduleTime once = ScheduleTime.of(schedule, TWO, TIMES, 1);
    assertThat(once.wallNs()).isEqualTo(57);
    assertThat(once.stallNs()).containsExactly(10, 30);
  }

  /**
   * Reads run behind the loop, more so from step to step: 30, 30, 32, then what all reads take. A
   * clock that goes on from what repeats comes to the same time as one that goes through all steps.
   */
  @Test
  void stepsThatAreNotGoneThrough_takeAsLong() {
    var layers = new Layers(List.of("a", "b", "c"), List.of(1L, 1L, 1L), false);
    var times =
        new Layers.Times(List.of(12L, 12L, 12L), List.of(10L, 10L, 10L), List.of(0L, 0L, 0L));
    List<Operation> step = new ArrayList<>();
    for (int layer = 0; layer < 3; layer++) {
      step.add(Operation.made(Kind.COMPUTE, layer));
      step.add(Operation.made(Kind.RELEASE, layer));
      step.add(Operation.made(Kind.PREFETCH, layer));
    }
    var schedule =
        new LayerSchedule(
            List.of(
                Operation.made(Kind.FETCH, 0),
                Operation.made(Kind.FETCH, 1),
                Operation.made(Kind.FETCH, 2)),
            step);
    assertThat(ScheduleTime.of(schedule, layers, times, 3).wallNs()).isEqualTo(36 + 30 + 30 + 32);
    for (int steps = 1; steps <= 30; steps++) {
      assertThat(new ScheduleTime(schedule, layers, times).wallNs(steps))
          .as("%d steps", steps)
          .isEqualTo(ScheduleTime.of(schedule, layers, times, steps).wallNs());
    }
  }
}
