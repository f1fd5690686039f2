package dev.sluice.layers.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** The least wall time, against all lists where they are few, and against made ones elsewhere. */
final class AutoScheduleTest {
  /** Operations of all lists of one case that are gone through before it is given up. */
  private static final long OPERATIONS_MAX = 2_000_000;

  private static final int CASES_MAX = 50;

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void noListIsBelowTheBound_orFasterThanOneThatIsCalledExact_ofTwoOrThreeLayers(
      @ForAll long seed, @ForAll boolean training) {
    besideAll(seed, drawn -> new RandomLayers(drawn, 2, 3, training, true));
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void noListIsBelowTheBound_orFasterThanOneThatIsCalledExact_ofFourLayers(
      @ForAll long seed, @ForAll boolean training) {
    besideAll(seed, drawn -> new RandomLayers(drawn, 4, 4, training, false));
  }

  /** Takes the first case whose lists are few enough to go through all of them. */
  private static void besideAll(long seed, LongFunction<RandomLayers> cases) {
    for (int i = 0; i < CASES_MAX; i++) {
      RandomLayers drawn = cases.apply(seed + i);
      AutoSchedule auto = auto(drawn);
      OptionalLong fastestNs = EveryList.fastestNs(drawn, auto.wallNs() + 1, OPERATIONS_MAX);
      if (fastestNs.isPresent()) {
        assertThat(fastestNs.getAsLong())
            .as("%s", drawn)
            .isBetween(auto.exact() ? auto.wallNs() : auto.lowerBoundNs(), auto.wallNs());
        return;
      }
    }
    fail("no case from seed %d on could be gone through", seed);
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void noMadeScheduleThatFitsIsFaster(@ForAll long seed, @ForAll boolean training) {
    RandomLayers drawn = new RandomLayers(seed, 1, 12, training, true);
    AutoSchedule auto = auto(drawn);
    List<LayerSchedule> made = new ArrayList<>();
    made.add(Schedules.eager(drawn.layers));
    made.add(Schedules.onDemand(drawn.layers));
    for (int ahead = 1; ahead <= drawn.layers.uses(); ahead++) {
      made.add(Schedules.prefetch(drawn.layers, ahead));
    }
    for (LayerSchedule schedule : made) {
      if (ScheduleCheck.faults(schedule, drawn.layers, drawn.budgetBytes).isEmpty()) {
        assertThat(time(schedule, drawn)).as("%s", drawn).isGreaterThanOrEqualTo(auto.wallNs());
      }
    }
    assertThat(auto.lowerBoundNs()).as("%s", drawn).isLessThanOrEqualTo(auto.wallNs());
    assertThat(auto.exact()).isEqualTo(auto.lowerBoundNs() == auto.wallNs());
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void theBoundIsNoMoreThanTheLeastTime(@ForAll long seed, @ForAll boolean training) {
    RandomLayers drawn = new RandomLayers(seed, 2, 5, training, false);
    assertThat(AutoSchedule.wallBoundNs(drawn.layers, drawn.times, drawn.budgetBytes, drawn.steps))
        .as("%s", drawn)
        .isLessThanOrEqualTo(auto(drawn).wallNs());
  }

  @Test
  void aModelThatFitsStays_andItsFirstStepDoesNotWaitForAllOfIt() {
    Layers layers = new Layers(List.of("a", "b", "c"), List.of(10L, 10L, 10L), true);
    List<Long> tens = Collections.nCopies(3, 10L);
    AutoSchedule auto =
        AutoSchedule.best(layers, new Layers.Times(tens, tens, tens), 30, Integer.MAX_VALUE);
    assertThat(auto.schedule().first())
        .containsExactly(
            Operation.made(Kind.PREFETCH, 0),
            Operation.made(Kind.PREFETCH, 1),
            Operation.made(Kind.PREFETCH, 2));
    assertThat(auto.schedule().step()).allMatch(operation -> operation.kind() == Kind.COMPUTE);
    assertThat(auto.wallNs()).isEqualTo(10 + 60L * Integer.MAX_VALUE);
    assertThat(auto.exact()).isTrue();
  }

  @Test
  void twoHundredLayersAreReadAhead_withinTheBound() {
    List<Long> bytes = Collections.nCopies(200, 28L);
    Layers layers = new Layers(Collections.nCopies(200, "block"), bytes, true);
    Layers.Times times =
        new Layers.Times(bytes, Collections.nCopies(200, 35L), Collections.nCopies(200, 70L));
    AutoSchedule auto = AutoSchedule.best(layers, times, 56, 20);
    assertThat(auto.wallNs()).isEqualTo(28 + 20 * 200 * 105L).isEqualTo(auto.lowerBoundNs());
    assertThat(ScheduleCheck.faults(auto.schedule(), layers, 56)).isEmpty();
  }

  @Test
  void aLargeLayerIsReadBeforeSmallOnesThatAreUsedFirst_whereItsRoomComesEarlier() {
    List<String> names = List.of("stem", "b0", "b1", "b2", "b3", "b4", "head");
    Layers layers = new Layers(names, List.of(3L, 28L, 28L, 28L, 28L, 28L, 3L), false);
    List<Long> fetchNs = List.of(2L, 20L, 20L, 20L, 20L, 20L, 2L);
    List<Long> computeNs = List.of(4L, 28L, 28L, 28L, 28L, 28L, 1L);
    Layers.Times times = new Layers.Times(fetchNs, computeNs, computeNs);
    AutoSchedule auto = AutoSchedule.best(layers, times, 56, 100);
    assertThat(ScheduleCheck.faults(auto.schedule(), layers, 56)).isEmpty();
    assertThat(ScheduleTime.of(auto.schedule(), layers, times, 100).wallNs())
        .isEqualTo(auto.wallNs())
        .as("b0's 20 would be waited for but for head and stem, of 4 together and 5 of computing")
        .isLessThan(2 + 100 * (145 + 7));
    assertThat(auto.schedule().step())
        .containsSubsequence(
            Operation.made(Kind.PREFETCH, 1),
            Operation.made(Kind.COMPUTE, 5),
            Operation.made(Kind.PREFETCH, 0));
  }

  @Test
  void aBudgetBelowTheLargestLayerIsRefused() {
    Layers layers = new Layers(List.of("a"), List.of(10L), false);
    List<Long> one = List.of(1L);
    assertThatThrownBy(() -> AutoSchedule.best(layers, new Layers.Times(one, one, one), 9, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 bytes");
  }

  /** The schedule, once its time is told again and it is found without a fault. */
  private static AutoSchedule auto(RandomLayers drawn) {
    AutoSchedule auto =
        AutoSchedule.best(drawn.layers, drawn.times, drawn.budgetBytes, drawn.steps);
    assertThat(time(auto.schedule(), drawn)).as("%s", drawn).isEqualTo(auto.wallNs());
    assertThat(ScheduleCheck.faults(auto.schedule(), drawn.layers, drawn.budgetBytes))
        .as("%s", drawn)
        .isEmpty();
    return auto;
  }

  private static long time(LayerSchedule schedule, RandomLayers drawn) {
    return ScheduleTime.of(schedule, drawn.layers, drawn.times, drawn.steps).wallNs();
  }

  /** Six layers of 10 bytes, each read in 10 and computed in 1, and in training in 2 backward. */
  private static AutoSchedule six(boolean training, long budgetBytes, int steps) {
    Layers layers =
        new Layers(List.of("a", "b", "c", "d", "e", "f"), Collections.nCopies(6, 10L), training);
    Layers.Times times =
        new Layers.Times(
            Collections.nCopies(6, 10L), Collections.nCopies(6, 1L), Collections.nCopies(6, 2L));
    return AutoSchedule.best(layers, times, budgetBytes, steps);
  }

  /** 25 bytes save the reads of two layers and a half, and 1 ns more that rounding may take. */
  @Test
  void noScheduleFallsBelowItsReads_lessThoseThatTheBudgetSaves() {
    // 60 at first, 60 - 26 in each of two more steps, and the last compute
    AutoSchedule forward = six(false, 25, 3);
    assertThat(forward.lowerBoundNs()).isEqualTo(60 + 2 * 34 + 1);
    assertThat(forward.wallNs()).isGreaterThanOrEqualTo(forward.lowerBoundNs());
    // in training again in the middle of each step
    AutoSchedule training = six(true, 25, 3);
    assertThat(training.lowerBoundNs()).isEqualTo(60 + 2 * 34 + 3 * 34 + 2);
    assertThat(training.wallNs()).isGreaterThanOrEqualTo(training.lowerBoundNs());
  }

  @Test
  void aModelThatJustFitsTheBudget_isReadOnce() {
    AutoSchedule whole = six(false, 60, 3);
    assertThat(whole.exact()).isTrue();
    assertThat(whole.wallNs()).as("all reads, then 1 and twice 6").isEqualTo(60 + 1 + 2 * 6);
  }
}
