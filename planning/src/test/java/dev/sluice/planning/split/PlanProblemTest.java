package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Bounds of the numbers that a search takes, and how far its plan may be from the best. */
final class PlanProblemTest {
  @Test
  void refusesNumbersThatAreNegativeInfiniteOrNone() {
    refuses("memory of a layer (-1.0)", () -> problem(-1, 0, 0, 0));
    refuses("bytes at a cut (-1.0)", () -> problem(0, -1, 0, 0));
    refuses("buffers in (-1.0)", () -> problem(0, 0, -1, 0));
    refuses("buffers out (-1.0)", () -> problem(0, 0, 0, -1));
    refuses("t's bandwidth (NaN)", () -> type(Double.NaN, 0, 0));
    refuses("t's memory (Infinity)", () -> type(0, Double.POSITIVE_INFINITY, 0));
    refuses("t's time (-1.0)", () -> type(0, 0, -1));
    assertThat(problem(0, 0, 0, 0).layers()).isEqualTo(1);
  }

  @Test
  void aSearchTakesOneHostAndOneState_andNotFewer() {
    SearchSettings least = settings(1, 1);
    assertThat(least.hostsMax()).isEqualTo(1);
    refuses("hostsMax (0), statesMax (1)", () -> settings(0, 1));
    refuses("hostsMax (1), statesMax (0)", () -> settings(1, 0));
  }

  @Test
  void settingsWithoutLimit_areNeverOutOfTime() {
    SearchSettings unlimited = settings(3, 5).withoutLimit();
    assertThat(unlimited.outOfTime().getAsBoolean()).isFalse();
    assertThat(unlimited.hostsMax()).isEqualTo(3);
    assertThat(unlimited.statesMax()).isEqualTo(5);
  }

  @Test
  void theGapIsTheShareAboveTheBound_ofWhatTheObjectiveNames() {
    Plan plan = new Plan(List.of(), 6, 10, 0);
    assertThat(new Found(plan, 4, false, Objective.THROUGHPUT).gap()).isEqualTo(0.5);
    assertThat(new Found(plan, 8, false, Objective.LATENCY).gap()).isEqualTo(0.25);
  }

  @Test
  void thereIsNoGap_whenThePlanIsProvedOrTakesNoTime() {
    Plan plan = new Plan(List.of(), 6, 10, 0);
    assertThat(new Found(plan, 4, true, Objective.THROUGHPUT).gap()).isZero();
    Plan instant = new Plan(List.of(), 0, 0, 0);
    assertThat(new Found(instant, 0, false, Objective.LATENCY).gap()).isZero();
  }

  private static void refuses(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }

  private static SearchSettings settings(int hostsMax, int statesMax) {
    return new SearchSettings(Objective.LATENCY, hostsMax, statesMax, () -> true);
  }

  private static PlanProblem problem(double layerBytes, long cutBytes, int in, int out) {
    return new PlanProblem(List.of(layerBytes), List.of(0L, cutBytes), in, out, List.of());
  }

  private static DeviceType type(double bitsPerSecond, double memoryBytes, double seconds) {
    return new DeviceType("t", List.of("a"), bitsPerSecond, memoryBytes, List.of(seconds));
  }
}
