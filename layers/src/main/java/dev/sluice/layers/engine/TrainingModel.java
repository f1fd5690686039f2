package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.nn.Block;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.schedule.Hooks;
import java.util.ArrayList;
import java.util.List;
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
  private final WeightlessModules modules = new WeightlessModules();
  private final NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
  private final List<Layer> layers = new ArrayList<>();
  private long keptInputBytesMax;

  /** A layer, with the module that it may share with others. */
  private record Layer(String name, TrainedTensors tensors, Block module) {}

  private TrainingModel() {}

  /**
   * Loads the modules of a network's blocks.
   *
   * @throws InferenceException if the engine cannot load one
   */
  static TrainingModel load(Network network, Optimizer optimizer, Engines engines)
      throws InferenceException {
    engines.start("pytorch");
    var model = new TrainingModel();
    try {
      for (Network.Block block : network.blocks()) {
        Block module = model.modules.block(WeightlessModule.forTraining(block.part()));
        model.layers.add(
            new Layer(block.name(), new TrainedTensors(block.part(), optimizer), module));
      }
      return model;
    } catch (InferenceException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  long keptInputBytesMax() {
    return keptInputBytesMax;
  }

  /** Called when a layer's tensors were changed. */
  interface Changed {
    void layer(int layer);
  }

  /**
   * Trains one step.
   *
   * @param step number of the step, from 1
   * @param hooks hooks that bring each layer before it is computed
   * @return the loss before the step
   * @throws LayerReadException if a hook needed a layer that could not be read
   * @throws InferenceException if the engine refuses or fails
   */
  float step(int step, TrainingData data, Hooks hooks, ResidentLayers resident, Changed changed)
      throws InferenceException {
    try (NDManager scope = manager.newSubManager()) {
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
        at = forward(layers.get(i), at, resident.tensors(i), scope);
        resident.computed(i, startNs);
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
        changed.layer(i);
        NDArray next =
            backward(
                layers.get(i),
                kept.get(i),
                resident.tensors(i),
                upstream,
                i == 0 ? null : scope); // nothing wants a gradient by the pictures
        resident.computed(i, startNs);
        long updateNs = resident.nowNs();
        layers.get(i).tensors().update(resident.tensors(i), step);
        resident.updated(i, updateNs);
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

  private static NDArray forward(Layer layer, NDArray in, NDList tensors, NDManager scope)
      throws InferenceException {
    try (NDManager copies = scope.newSubManager()) {
      var weights = new NDList();
      for (int weight = 0; weight < layer.tensors().weights(); weight++) {
        NDArray tensor = tensors.get(weight);
        if (layer.tensors().hasGradient(weight)) {
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
      Layer layer, NDArray in, NDList tensors, NDArray upstream, @Nullable NDManager scope)
      throws InferenceException {
    try {
      return Gradients.backward(
          layer.module(),
          in,
          tensors,
          layer.tensors(),
          scope,
          out -> out.mul(upstream).sum(),
          number -> {});
    } catch (EngineException e) {
      throw new InferenceException(
          "layer " + layer.name() + " failed in its backward pass: " + e.getMessage(), e);
    }
  }

  /** Frees the modules; all resident layers must be closed before. */
  @Override
  public void close() {
    modules.close();
    manager.close();
  }
}
