package dev.sluice.layers.engine;

import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;

/** Hooks that bring the layers of a training by a fixed plan. */
final class TestSchedule implements Hooks {
  private final Training training;
  private final int layers;
  private final Plan plan;
  private boolean begun;

  enum Plan {
    /** All layers before step 1. */
    EAGER,
    /** Each layer before each use, and released behind it. */
    ON_DEMAND,
    /** As ON_DEMAND, with the next use's layer read while one computes. */
    PREFETCH
  }

  TestSchedule(Training training, int layers, Plan plan) {
    this.training = training;
    this.layers = layers;
    this.plan = plan;
  }

  @Override
  public void on(Hook hook, int layer) {
    switch (hook) {
      case STEP_START -> {
        if (plan == Plan.EAGER && !begun) {
          for (int each = 0; each < layers; each++) {
            training.fetch(each);
          }
        }
        begun = true;
      }
      case PRE_FORWARD -> bring(layer, layer + 1);
      case POST_FORWARD -> {
        boolean neededAtOnce = plan == Plan.PREFETCH && layer == layers - 1;
        if (plan != Plan.EAGER && !neededAtOnce) {
          training.release(layer);
        }
      }
      case PRE_BACKWARD -> bring(layer, layer - 1);
      case POST_BACKWARD -> {
        if (plan != Plan.EAGER) {
          training.release(layer);
        }
      }
      case STEP_END -> {}
    }
  }

  private void bring(int layer, int following) {
    if (plan != Plan.EAGER) {
      training.fetch(layer);
    }
    if (plan == Plan.PREFETCH && following >= 0 && following < layers) {
      training.prefetch(following);
    }
  }
}
