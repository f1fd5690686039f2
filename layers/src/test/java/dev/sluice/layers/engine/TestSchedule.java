package dev.sluice.layers.engine;

import dev.sluice.layers.schedule.Hooks;

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
  public void onStepStart() {
    if (plan == Plan.EAGER && !begun) {
      for (int layer = 0; layer < layers; layer++) {
        training.fetch(layer);
      }
    }
    begun = true;
  }

  @Override
  public void onPreForward(int layer) {
    if (plan != Plan.EAGER) {
      training.fetch(layer);
    }
    if (plan == Plan.PREFETCH && layer + 1 < layers) {
      training.prefetch(layer + 1);
    }
  }

  @Override
  public void onPostForward(int layer) {
    boolean neededAtOnce = plan == Plan.PREFETCH && layer == layers - 1;
    if (plan != Plan.EAGER && !neededAtOnce) {
      training.release(layer);
    }
  }

  @Override
  public void onPreBackward(int layer) {
    if (plan != Plan.EAGER) {
      training.fetch(layer);
    }
    if (plan == Plan.PREFETCH && layer > 0) {
      training.prefetch(layer - 1);
    }
  }

  @Override
  public void onPostBackward(int layer) {
    if (plan != Plan.EAGER) {
      training.release(layer);
    }
  }

  @Override
  public void onStepEnd() {}
}
