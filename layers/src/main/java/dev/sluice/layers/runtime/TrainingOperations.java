package dev.sluice.layers.runtime;

import dev.sluice.layers.engine.Training;
import dev.sluice.layers.schedule.LayerOperations;

/** A list's operations on a training's layers; the training's loop computes. */
record TrainingOperations(Training state) implements LayerOperations {
  @Override
  public void fetch(int layer) {
    state.fetch(layer);
  }

  @Override
  public void prefetch(int layer) {
    state.prefetch(layer);
  }

  @Override
  public void compute(int layer) {
    // the loop computes, between the hooks
  }

  @Override
  public void release(int layer) {
    state.release(layer);
  }
}
