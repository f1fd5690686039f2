package dev.sluice.executor.layers;

/** Decides when the layers of a model come and go: the hooks that walk a schedule. */
@FunctionalInterface
public interface LayerScheduling {
  /**
   * Returns hooks for the steps of one session, from its first one on.
   *
   * @param budgetBytes bytes that layers may take together, at least those of the largest layer
   * @param resident the layers that the hooks fetch, prefetch and release
   */
  Hooks hooks(LayeredModel model, long budgetBytes, ResidentLayers resident);
}
