package dev.sluice.layers.engine;

import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.layers.parameters.ParameterSource;

/** Decides when the layers of a lane's model come and go. */
@FunctionalInterface
public interface LayerScheduling {
  /**
   * Chooses a model's schedule, which all its sessions share; may compute layers to time them.
   *
   * @param model the network's layers
   * @param source source of the layers' tensors, which the caller closes
   * @param budgetBytes bytes that layers may take together, at least those of the largest layer
   * @throws LayerReadException if a layer cannot be read
   * @throws InferenceException if the engine refuses or fails
   */
  Chosen choose(Network network, LayeredModel model, ParameterSource source, long budgetBytes)
      throws InferenceException;

  /** A schedule that was chosen. */
  interface Chosen {
    /**
     * Returns hooks for the steps of one session, from its first one on.
     *
     * @param resident the layers that the hooks fetch, prefetch and release
     */
    Hooks hooks(ResidentLayers resident);
  }
}
