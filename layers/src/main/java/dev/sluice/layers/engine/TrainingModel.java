package dev.sluice.layers.engine;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.layers.engine.LayerModules.Layer;
import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.schedule.Hooks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A network by layers, in training. The forward pass builds no graph and keeps each layer's input;
 * the backward pass computes a layer once more, with a graph, and applies its gradients at once. So
 * a layer's tensors need be there only while it is computed.
 *
 * <p>Running statistics are counted by the second computing alone, which changes the layer in any
 * case: a layer that is released behind its first one is unchanged. Used by one thread.
 */
final class TrainingModel implements AutoCloseable {
  private final LayerModules modules;

  /** Tensors of each layer. */
  private final List<TrainedTensors> tensors;

  private long keptInputBytesMax;

  private TrainingModel(LayerModules modules, List<TrainedTensors> tensors) {
    this.modules = modules;
    this.tensors = tensors;
  }

  /** Loads the modules of a network's blocks. */
  static TrainingModel load(Network network, Optimizer optimizer, Engines engines)
      throws InferenceException {
    List<Network.Block> blocks = network.blocks();
    return new TrainingModel(
        LayerModules.load(blocks, WeightlessModule::forTraining, engines),
        blocks.stream().map(block -> new TrainedTensors(block.part(), optimizer)).toList());
  }

  long keptInputBytesMax() {
    return keptInputBytesMax;
  }

  /**
   * Trains one step.
   *
   * @param step number of the step, from 1
   * @param hooks hooks that bring each layer before it is computed
   * @param changed takes each layer whose tensors are about to change
   * @return the loss before the step
   * @throws LayerReadException if a hook needed a layer that could not be read
   * @throws InferenceException if the engine refuses or fails
   */
  float step(int step, TrainingData data, Hooks hooks, ResidentLayers resident, IntConsumer changed)
      throws InferenceException {
    List<Layer> layers = modules.layers;
    try (NDManager scope = modules.manager.newSubManager()) {
      resident.beginStep();
      hooks.onStepStart();
      var kept = new ArrayList<NDArray>();
      NDArray at = data.pictures(step, scope);
      long keptBytes = 0;
      for (int i = 0; i < layers.size(); i++) {
        resident.enter("on_pre_forward");
        hooks.onPreForward(i);
        long startNs = resident.nowNs();
        kept.add(at);
        keptBytes += at.size() * Float.BYTES;
        at = forward(layers.get(i), tensors.get(i), at, resident.tensors(i), scope);
        resident.done(Row.COMPUTE, i, startNs);
        resident.enter("on_post_forward");
        hooks.onPostForward(i);
      }
      keptInputBytesMax = Math.max(keptInputBytesMax, keptBytes);
      Gradients.Loss loss = Gradients.ofLoss(at, data.oneHotLabels(step, scope), scope);
      at.close();
      NDArray upstream = loss.gradient();
      for (int i = layers.size() - 1; i >= 0; i--) {
        resident.enter("on_pre_backward");
        hooks.onPreBackward(i);
        long startNs = resident.nowNs();
        changed.accept(i);
        NDArray next =
            backward(
                layers.get(i),
                tensors.get(i),
                kept.get(i),
                resident.tensors(i),
                upstream,
                i == 0 ? null : scope); // nothing wants a gradient by the pictures
        resident.done(Row.COMPUTE, i, startNs);
        long updateNs = resident.nowNs();
        tensors.get(i).update(resident.tensors(i), step);
        resident.done(Row.UPDATE, i, updateNs);
        upstream.close();
        kept.get(i).close();
        if (next != null) {
          upstream = next;
        }
        resident.enter("on_post_backward");
        hooks.onPostBackward(i);
      }
      resident.enter("on_step_end");
      hooks.onStepEnd();
      return loss.value();
    }
  }

  private static NDArray forward(
      Layer layer, TrainedTensors layout, NDArray in, NDList tensors, NDManager scope)
      throws InferenceException {
    try (NDManager copies = scope.newSubManager()) {
      var weights = new NDList();
      for (int weight = 0; weight < layout.weights(); weight++) {
        NDArray tensor = tensors.get(weight);
        if (layout.hasGradient(weight)) {
          weights.add(tensor);
        } else {
          NDArray copy = tensor.duplicate();
          copy.attach(copies);
          weights.add(copy);
        }
      }
      NDArray out = Gradients.forward(layer.module(), in, weights, scope);
      out.attach(scope);
      return out;
    } catch (EngineException e) {
      throw new InferenceException("layer " + layer.name() + " failed: " + e.getMessage(), e);
    }
  }

  private static @Nullable NDArray backward(
      Layer layer,
      TrainedTensors layout,
      NDArray in,
      NDList tensors,
      NDArray upstream,
      @Nullable NDManager scope)
      throws InferenceException {
    try {
      return Gradients.backward(
          layer.module(), in, tensors, layout, scope, out -> out.mul(upstream).sum());
    } catch (EngineException e) {
      throw new InferenceException(
          "layer " + layer.name() + " failed in its backward pass: " + e.getMessage(), e);
    }
  }

  /** Frees the modules; all resident layers must be closed before. */
  @Override
  public void close() {
    modules.close();
  }
}
