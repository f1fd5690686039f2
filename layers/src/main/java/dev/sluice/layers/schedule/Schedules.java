package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.List;

/** Schedules that are made by a rule. Whether one fits a budget, {@link ScheduleCheck} tells. */
public final class Schedules {
  private Schedules() {}

  /** All layers are read before the first step, and stay. */
  public static LayerSchedule eager(Layers layers) {
    return prefetch(layers, layers.uses());
  }

  /** Each layer is read when it is due, and freed behind its compute. */
  public static LayerSchedule onDemand(Layers layers) {
    return prefetch(layers, 0);
  }

  /**
   * At each compute the layers of the next computes are there or being read, those of the next step
   * among them; a layer is freed when it is none of these.
   *
   * @param ahead number of computes, at least 0; 0: on demand
   */
  public static LayerSchedule prefetch(Layers layers, int ahead) {
    if (ahead < 0) {
      throw new IllegalArgumentException("ahead (" + ahead + ") must be at least 0");
    }
    int uses = layers.uses();
    List<Operation> first = new ArrayList<>();
    List<Operation> step = new ArrayList<>();
    for (int use = 0; use < uses; use++) {
      boolean firstOfStep = use < layers.count();
      if (staysSinceLastUse(layers, use, ahead)) {
        if (firstOfStep) {
          first.add(Operation.made(Kind.FETCH, layers.layer(use)));
        }
      } else if (use < ahead && firstOfStep) {
        first.add(Operation.made(Kind.PREFETCH, layers.layer(use)));
      }
    }
    for (int use = 0; use < uses; use++) {
      int layer = layers.layer(use);
      if (!staysSinceLastUse(layers, use, ahead)) {
        step.add(Operation.made(Kind.FETCH, layer));
      }
      int later = (use + ahead) % uses;
      if (ahead > 0 && ahead < uses && !staysSinceLastUse(layers, later, ahead)) {
        step.add(Operation.made(Kind.PREFETCH, layers.layer(later)));
      }
      step.add(Operation.made(Kind.COMPUTE, layer));
      if (!staysSinceLastUse(layers, layers.otherUse(use), ahead)) {
        step.add(Operation.made(Kind.RELEASE, layer));
      }
    }
    return new LayerSchedule(first, step);
  }

  /** Whether a layer is still there from its compute before, which may be of the step before. */
  private static boolean staysSinceLastUse(Layers layers, int use, int ahead) {
    return layers.slots(layers.otherUse(use)) <= Math.max(ahead, 1);
  }
}
