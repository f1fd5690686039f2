package dev.sluice.layers.schedule;

/** What a {@link ScheduleWalk} does with layers; each is called with the layer's index, from 0. */
public interface LayerOperations {
  /** Waits until the layer is there, and reads it if no prefetch has asked for it. */
  void fetch(int layer);

  /** Asks for the layer and does not wait. */
  void prefetch(int layer);

  /** Says that the layer is computed next; the loop that fires the hooks computes it. */
  default void compute(int layer) {}

  /** Frees the layer. */
  void release(int layer);
}
