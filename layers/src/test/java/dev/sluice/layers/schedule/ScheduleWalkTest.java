package dev.sluice.layers.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which operations each hook runs, and which hooks stop the run. */
final class ScheduleWalkTest {
  private static final List<String> NAMES = List.of("a", "b");
  private final List<String> done = new ArrayList<>();

  @Test
  void preHooksRunUpToTheCompute_postHooksReleaseAndPrefetchBehindIt() {
    ScheduleWalk walk =
        walk(
            List.of("prefetch a"),
            List.of(
                "fetch a",
                "prefetch b",
                "compute a",
                "release a",
                "fetch b",
                "compute b",
                "release b",
                "prefetch a"));
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    assertThat(drained()).containsExactly("prefetch a");
    walk.on(Hook.PRE_FORWARD, 0);
    assertThat(drained()).containsExactly("fetch a", "prefetch b", "compute a");
    walk.on(Hook.POST_FORWARD, 0);
    assertThat(drained()).containsExactly("release a");
    walk.on(Hook.PRE_FORWARD, 1);
    assertThat(drained()).containsExactly("fetch b", "compute b");
    walk.on(Hook.POST_FORWARD, 1);
    assertThat(drained()).containsExactly("release b", "prefetch a");
    walk.on(Hook.STEP_END, Hooks.NO_LAYER);
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    assertThat(drained()).as("what stands first runs once").isEmpty();
    walk.on(Hook.PRE_FORWARD, 0);
    assertThat(drained()).containsExactly("fetch a", "prefetch b", "compute a");
  }

  @Test
  void theSecondComputeIsTheBackward() {
    ScheduleWalk walk =
        walk(
            List.of("fetch a", "fetch b"),
            List.of("compute a", "compute b", "compute b", "compute a"));
    for (int step = 0; step < 2; step++) {
      walk.on(Hook.STEP_START, Hooks.NO_LAYER);
      walk.on(Hook.PRE_FORWARD, 0);
      walk.on(Hook.POST_FORWARD, 0);
      walk.on(Hook.PRE_FORWARD, 1);
      walk.on(Hook.POST_FORWARD, 1);
      walk.on(Hook.PRE_BACKWARD, 1);
      walk.on(Hook.POST_BACKWARD, 1);
      walk.on(Hook.PRE_BACKWARD, 0);
      walk.on(Hook.POST_BACKWARD, 0);
      walk.on(Hook.STEP_END, Hooks.NO_LAYER);
    }
    assertThat(done).filteredOn("compute b"::equals).hasSize(4);
  }

  @Test
  void aComputeWaitsForALayerThatWasOnlyPrefetched_once() {
    ScheduleWalk walk = walk(List.of("prefetch a", "fetch b"), List.of("compute a", "compute b"));
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    walk.on(Hook.PRE_FORWARD, 0);
    walk.on(Hook.POST_FORWARD, 0);
    walk.on(Hook.PRE_FORWARD, 1);
    walk.on(Hook.POST_FORWARD, 1);
    walk.on(Hook.STEP_END, Hooks.NO_LAYER);
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    walk.on(Hook.PRE_FORWARD, 0);
    assertThat(done)
        .containsExactly("prefetch a", "fetch b", "fetch a", "compute a", "compute b", "compute a");
  }

  @Test
  void theStepsEndRunsWhatIsLeft() {
    ScheduleWalk walk =
        walk(List.of("fetch a"), List.of("compute a", "release a", "fetch a"), List.of("a"));
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    walk.on(Hook.PRE_FORWARD, 0);
    walk.on(Hook.POST_FORWARD, 0);
    drained();
    walk.on(Hook.STEP_END, Hooks.NO_LAYER);
    assertThat(drained()).containsExactly("fetch a");
  }

  @Test
  void aHookForAnotherLayerStopsAndNamesBothAndTheLine_beforeAnythingRan() {
    ScheduleWalk walk = walk(List.of(), List.of("fetch a", "compute a", "fetch b", "compute b"));
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    assertThatThrownBy(() -> walk.on(Hook.PRE_FORWARD, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "on_pre_forward came for b, and the list's next is the first compute of a (line 12)");
    assertThat(done).isEmpty();
  }

  @Test
  void aBackwardForAForwardStops() {
    ScheduleWalk walk = walk(List.of("fetch a", "fetch b"), List.of("compute a", "compute a"));
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    assertThatThrownBy(() -> walk.on(Hook.PRE_BACKWARD, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the first compute of a");
    walk.on(Hook.PRE_FORWARD, 0);
    walk.on(Hook.POST_FORWARD, 0);
    assertThatThrownBy(() -> walk.on(Hook.PRE_FORWARD, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the second compute of a");
  }

  @Test
  void hooksOutOfTurnStop() {
    ScheduleWalk walk = walk(List.of("fetch a", "fetch b"), List.of("compute a", "compute b"));
    assertThatThrownBy(() -> walk.on(Hook.PRE_FORWARD, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no compute left");
    walk.on(Hook.STEP_START, Hooks.NO_LAYER);
    assertThatThrownBy(() -> walk.on(Hook.POST_FORWARD, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no layer was computed");
    assertThatThrownBy(() -> walk.on(Hook.STEP_END, Hooks.NO_LAYER))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("on_step_end came, and the list's next is the first compute of a (line 11)");
    walk.on(Hook.PRE_FORWARD, 0);
    assertThatThrownBy(() -> walk.on(Hook.PRE_FORWARD, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("before a was over");
    assertThatThrownBy(() -> walk.on(Hook.POST_FORWARD, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the list's last compute is of a (line 11)");
  }

  private List<String> drained() {
    List<String> drained = List.copyOf(done);
    done.clear();
    return drained;
  }

  private ScheduleWalk walk(List<String> first, List<String> step) {
    return walk(first, step, NAMES);
  }

  private ScheduleWalk walk(List<String> first, List<String> step, List<String> names) {
    return new ScheduleWalk(
        new LayerSchedule(operations(first, 1, names), operations(step, 11, names)),
        names,
        new LayerOperations() {
          @Override
          public void fetch(int layer) {
            done.add("fetch " + names.get(layer));
          }

          @Override
          public void prefetch(int layer) {
            done.add("prefetch " + names.get(layer));
          }

          @Override
          public void compute(int layer) {
            done.add("compute " + names.get(layer));
          }

          @Override
          public void release(int layer) {
            done.add("release " + names.get(layer));
          }
        });
  }

  private static List<Operation> operations(List<String> texts, int line, List<String> names) {
    List<Operation> operations = new ArrayList<>();
    for (String text : texts) {
      String[] words = text.split(" ", -1);
      operations.add(
          new Operation(
              Kind.valueOf(words[0].toUpperCase(java.util.Locale.ROOT)),
              names.indexOf(words[1]),
              line + operations.size()));
    }
    return operations;
  }
}
