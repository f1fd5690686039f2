package dev.sluice.layers.runtime;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.Training;
import dev.sluice.layers.schedule.Layers;
import java.util.List;

/** The layers of a network, with the bytes that each takes of a budget. */
final class Sizes {
  private Sizes() {}

  /**
   * @throws UserMistakeException if the model is not among the known ones
   */
  static void checkModel(String command, String model, List<String> known)
      throws UserMistakeException {
    if (!known.contains(model)) {
      throw new UserMistakeException(
          "layers " + command,
          "model (" + model + ") is unknown",
          NearestName.advice(model, known, "models"));
    }
  }

  static Layers ofInference(Network network) {
    List<Network.Block> blocks = network.blocks();
    return new Layers(
        blocks.stream().map(Network.Block::name).toList(),
        blocks.stream().map(block -> block.part().weightBytes(Precision.FP32)).toList(),
        false);
  }

  /**
   * The layers with their gradients and optimizer state.
   *
   * @throws UserMistakeException if the model is not one that can be trained, or there is no such
   *     optimizer
   */
  static Layers ofTraining(String model, String optimizer) throws UserMistakeException {
    checkModel("train", model, Workloads.trainable());
    if (!Training.optimizers().contains(optimizer)) {
      throw new UserMistakeException(
          "--optimizer",
          "the optimizer (" + optimizer + ") is unknown",
          NearestName.advice(optimizer, Training.optimizers(), "optimizers"));
    }
    List<Training.LayerSize> sizes = Training.layers(model, optimizer);
    return new Layers(
        sizes.stream().map(Training.LayerSize::name).toList(),
        sizes.stream().map(Training.LayerSize::budgetBytes).toList(),
        true);
  }
}
