package dev.sluice.layers.engine;

import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;

/** Schedules of inference as tests need them, by the hooks of which they consist. */
class ListedHooks implements Hooks {
  /** All layers stay. */
  static final String EAGER = "eager";

  /** A layer comes just before it is computed, and goes afterwards. */
  static final String ON_DEMAND = "on_demand";

  /** As on demand, and the next layer is asked for before a layer is computed. */
  static final String PREFETCH = "prefetch";

  private final String schedule;
  private final int layers;
  private final ResidentLayers resident;
  private boolean began;

  ListedHooks(String schedule, int layers, ResidentLayers resident) {
    this.schedule = schedule;
    this.layers = layers;
    this.resident = resident;
  }

  @Override
  public void on(Hook hook, int layer) {
    switch (hook) {
      case STEP_START -> {
        if (schedule.equals(EAGER) && !began) {
          for (int each = 0; each < layers; each++) {
            resident.fetch(each);
          }
        }
        began = true;
      }
      case PRE_FORWARD -> {
        if (!schedule.equals(EAGER)) {
          resident.fetch(layer);
        }
        if (schedule.equals(PREFETCH) && layer + 1 < layers) {
          resident.prefetch(layer + 1);
        }
      }
      case POST_FORWARD -> {
        if (!schedule.equals(EAGER)) {
          resident.release(layer);
        }
      }
      case STEP_END -> {}
      default -> throw new IllegalStateException("inference has no backward");
    }
  }
}
