package dev.sluice.layers.engine;

import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import java.util.function.Function;

/** Decides when the layers of a lane's model come and go. */
@FunctionalInterface
public interface LayerScheduling {
  /**
   * Chooses a model's schedule, which all its sessions share; may compute layers to time them.
   *
   * @param model the network's layers
   * @param source source of the layers' tensors, which the caller closes
   * @param budgetBytes bytes that layers may take together, at least those of the largest layer
   * @return hooks for the steps of one session, from its first one on, by the layers that they
   *     fetch, prefetch and release
   * @throws LayerReadException if a layer cannot be read
   * @throws InferenceException if the engine refuses or fails
   */
  Function<ResidentLayers, Hooks> choose(
      Network network, LayeredModel model, ParameterSource source, long budgetBytes)
      throws InferenceException;
}
