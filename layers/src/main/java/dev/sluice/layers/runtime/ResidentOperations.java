package dev.sluice.layers.runtime;

import dev.sluice.layers.engine.ResidentLayers;
import dev.sluice.layers.schedule.LayerOperations;

/** A list's operations on resident layers; the loop that fires the hooks computes. */
record ResidentOperations(ResidentLayers resident) implements LayerOperations {
  @Override
  public void fetch(int layer) {
    resident.fetch(layer);
  }

  @Override
  public void prefetch(int layer) {
    resident.prefetch(layer);
  }

  @Override
  public void compute(int layer) {
    // the loop computes, between the hooks
  }

  @Override
  public void release(int layer) {
    resident.release(layer);
  }
}
