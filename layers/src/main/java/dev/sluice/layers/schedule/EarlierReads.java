package dev.sluice.layers.schedule;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Betters a plan whose reads have the order of their uses: a read that the loop waits for goes
 * before others, which are then read where it was. So a large layer need not wait until small ones,
 * which are used before it, have had their room.
 */
final class EarlierReads {
  /** Bound of the work: operations of all lists that are tried. */
  private static final long WORK_MAX = 100_000;

  /** Slots by which a read goes back at once. */
  private static final int SLOTS_BACK_MAX = 3;

  /** Steps after which the waiting of later ones is known well enough. */
  private static final int STEPS_SEEN = 4;

  private final Layers layers;
  private final Layers.Times times;
  private final long budgetBytes;
  private final int steps;
  private StepPlan best;
  private long wallNs;
  private long work;

  EarlierReads(
      Layers layers, Layers.Times times, long budgetBytes, int steps, StepPlan plan, long wallNs) {
    this.layers = layers;
    this.times = times;
    this.budgetBytes = budgetBytes;
    this.steps = steps;
    this.best = plan;
    this.wallNs = wallNs;
  }

  long wallNs() {
    return wallNs;
  }

  /** The best plan found, no worse than the one given. */
  StepPlan best() {
    StepPlan better = best;
    while (better != null) {
      best = better;
      better = better();
    }
    return best;
  }

  private @Nullable StepPlan better() {
    long[] stallNs =
        ScheduleTime.of(best.schedule(layers), layers, times, Math.min(steps, STEPS_SEEN))
            .stallNs();
    for (int slot = 1; slot < layers.uses(); slot++) {
      for (int layer : best.reads().get(slot)) {
        for (int back = 1; back <= Math.min(SLOTS_BACK_MAX, slot); back++) {
          if (stallNs[layer] > 0 && work < WORK_MAX) {
            StepPlan moved = moved(slot, layer, slot - back);
            if (isBetter(moved)) {
              return moved;
            }
          }
        }
      }
    }
    return null;
  }

  /** The plan in which a layer is read first in an earlier slot, and what was read since behind. */
  private StepPlan moved(int slot, int layer, int earlier) {
    List<List<Integer>> reads = new ArrayList<>(best.reads());
    List<Integer> behind = new ArrayList<>();
    for (int i = earlier; i <= slot; i++) {
      behind.addAll(reads.get(i));
      reads.set(i, List.of());
    }
    behind.remove(Integer.valueOf(layer));
    reads.set(earlier, List.of(layer));
    reads.set(slot, behind);
    return new StepPlan(best.first(), reads, best.keep());
  }

  private boolean isBetter(StepPlan plan) {
    LayerSchedule list = plan.schedule(layers);
    work += list.step().size();
    if (!ScheduleCheck.faults(list, layers, budgetBytes).isEmpty()) {
      return false;
    }
    long planNs = new ScheduleTime(list, layers, times).wallNs(steps);
    if (planNs >= wallNs) {
      return false;
    }
    wallNs = planNs;
    return true;
  }
}
