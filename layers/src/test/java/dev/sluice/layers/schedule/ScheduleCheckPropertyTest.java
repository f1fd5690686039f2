package dev.sluice.layers.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import dev.sluice.layers.schedule.ScheduleCheck.Fault;
import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** The check against a naive replay of three steps, and lists that pass it, walked by hooks. */
final class ScheduleCheckPropertyTest {
  /** All that may happen to one layer: p, f, c and r are the first letters of the operations. */
  private static final Pattern LIFE = Pattern.compile("((pf?|f)c+r)*((pf?|f)c*)?");

  private static final int STEPS = 3;

  @Property(tries = 10_000, shrinking = ShrinkingMode.OFF)
  void theVerdictIsThatOfANaiveReplay(@ForAll long seed, @ForAll boolean training) {
    RandomLayers drawn = new RandomLayers(seed, 1, 4, training, true);
    LayerSchedule list = drawnList(drawn, new SplittableRandom(seed));
    List<Fault> faults = ScheduleCheck.faults(list, drawn.layers, drawn.budgetBytes);
    assertThat(faults.isEmpty()).as("%s %s %s", drawn, list, faults).isEqualTo(passes(list, drawn));
  }

  @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
  void aListThatPassesRunsToItsEnd_withinItsBudget(@ForAll long seed, @ForAll boolean training) {
    RandomLayers drawn = new RandomLayers(seed, 1, 4, training, true);
    LayerSchedule list = drawnList(drawn, new SplittableRandom(seed));
    if (ScheduleCheck.faults(list, drawn.layers, drawn.budgetBytes).isEmpty()) {
      Memory memory = new Memory(drawn);
      ScheduleWalk walk = new ScheduleWalk(list, drawn.layers.names(), memory);
      for (int step = 0; step < STEPS; step++) {
        walk.on(Hook.STEP_START, Hooks.NO_LAYER);
        for (int use = 0; use < drawn.layers.uses(); use++) {
          int layer = drawn.layers.layer(use);
          if (use < drawn.layers.count()) {
            walk.on(Hook.PRE_FORWARD, layer);
            walk.on(Hook.POST_FORWARD, layer);
          } else {
            walk.on(Hook.PRE_BACKWARD, layer);
            walk.on(Hook.POST_BACKWARD, layer);
          }
        }
        walk.on(Hook.STEP_END, Hooks.NO_LAYER);
      }
      assertThat(memory.computes).isEqualTo(STEPS * drawn.layers.uses());
    }
  }

  /** Counts the bytes of what is there; a compute finds its layer waited for. */
  private static final class Memory implements LayerOperations {
    final RandomLayers drawn;
    final boolean[] resident;
    final boolean[] waitedFor;
    long bytes;
    int computes;

    Memory(RandomLayers drawn) {
      this.drawn = drawn;
      resident = new boolean[drawn.layers.count()];
      waitedFor = new boolean[drawn.layers.count()];
    }

    @Override
    public void fetch(int layer) {
      if (!resident[layer]) {
        prefetch(layer);
      }
      waitedFor[layer] = true;
    }

    @Override
    public void prefetch(int layer) {
      assertThat(resident[layer]).isFalse();
      resident[layer] = true;
      bytes += drawn.layers.bytes().get(layer);
      assertThat(bytes).isLessThanOrEqualTo(drawn.budgetBytes);
    }

    @Override
    public void compute(int layer) {
      assertThat(resident[layer] && waitedFor[layer]).isTrue();
      computes++;
    }

    @Override
    public void release(int layer) {
      assertThat(resident[layer]).isTrue();
      resident[layer] = false;
      waitedFor[layer] = false;
      bytes -= drawn.layers.bytes().get(layer);
    }
  }

  /** A list that was made, with up to three operations removed, put in, doubled or moved. */
  private static LayerSchedule drawnList(RandomLayers drawn, SplittableRandom random) {
    LayerSchedule made =
        switch (random.nextInt(3)) {
          case 0 ->
              AutoSchedule.best(drawn.layers, drawn.times, drawn.budgetBytes, drawn.steps)
                  .schedule();
          case 1 -> Schedules.eager(drawn.layers);
          default -> Schedules.prefetch(drawn.layers, random.nextInt(drawn.layers.uses()));
        };
    List<Operation> first = new ArrayList<>(made.first());
    List<Operation> step = new ArrayList<>(made.step());
    for (int changes = random.nextInt(4); changes > 0; changes--) {
      List<Operation> list = first.isEmpty() || random.nextInt(4) > 0 ? step : first;
      if (!list.isEmpty()) {
        change(list, drawn.layers.count(), random);
      }
    }
    return new LayerSchedule(first, step);
  }

  private static void change(List<Operation> list, int layers, SplittableRandom random) {
    int at = random.nextInt(list.size());
    switch (random.nextInt(4)) {
      case 0 -> list.remove(at);
      case 1 -> list.add(at, list.get(random.nextInt(list.size())));
      case 2 -> list.add(random.nextInt(list.size()), list.remove(at));
      default ->
          list.add(
              at,
              Operation.made(
                  Kind.values()[random.nextInt(Kind.values().length)], random.nextInt(layers)));
    }
  }

  private static boolean passes(LayerSchedule list, RandomLayers drawn) {
    List<Operation> all = new ArrayList<>(list.first());
    for (int step = 0; step < STEPS; step++) {
      all.addAll(list.step());
    }
    List<Integer> uses = new ArrayList<>();
    for (int layer = 0; layer < drawn.layers.count(); layer++) {
      uses.add(layer);
    }
    for (int layer = drawn.layers.count() - 1; drawn.layers.training() && layer >= 0; layer--) {
      uses.add(layer);
    }
    return list.first().stream().noneMatch(operation -> operation.kind() == Kind.COMPUTE)
        && uses.equals(
            list.step().stream()
                .filter(operation -> operation.kind() == Kind.COMPUTE)
                .map(Operation::layer)
                .toList())
        && lives(all, drawn).stream().allMatch(life -> LIFE.matcher(life).matches())
        && endsAsItBegan(list, drawn)
        && fits(all, drawn);
  }

  private static List<String> lives(List<Operation> operations, RandomLayers drawn) {
    List<String> lives = new ArrayList<>();
    for (int layer = 0; layer < drawn.layers.count(); layer++) {
      StringBuilder life = new StringBuilder();
      for (Operation operation : operations) {
        if (operation.layer() == layer) {
          life.append(operation.kind().text().charAt(0));
        }
      }
      lives.add(life.toString());
    }
    return lives;
  }

  private static boolean endsAsItBegan(LayerSchedule list, RandomLayers drawn) {
    List<Operation> both = new ArrayList<>(list.first());
    both.addAll(list.step());
    List<String> before = lives(list.first(), drawn);
    List<String> after = lives(both, drawn);
    for (int layer = 0; layer < before.size(); layer++) {
      if (isThere(before.get(layer)) != isThere(after.get(layer))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isThere(String life) {
    return !life.isEmpty() && !life.endsWith("r");
  }

  private static boolean fits(List<Operation> operations, RandomLayers drawn) {
    for (int i = 1; i <= operations.size(); i++) {
      List<String> lives = lives(operations.subList(0, i), drawn);
      long bytes = 0;
      for (int layer = 0; layer < lives.size(); layer++) {
        bytes += isThere(lives.get(layer)) ? drawn.layers.bytes().get(layer) : 0;
      }
      if (bytes > drawn.budgetBytes) {
        return false;
      }
    }
    return true;
  }
}
