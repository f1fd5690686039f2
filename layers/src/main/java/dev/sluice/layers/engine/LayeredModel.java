package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.training.ParameterStore;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A network by blocks, as modules without weights, in float32 on the processor. The parameters come
 * and go in {@link ResidentLayers}. Several threads may compute at once, each with resident layers
 * of its own. Layers count from 0.
 */
public final class LayeredModel implements AutoCloseable {
  private final List<Layer> layers = new ArrayList<>();
  private final WeightlessModules modules = new WeightlessModules();
  private final NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
  private final List<Integer> inputShape;

  /** A layer, with the module that it may share with others. */
  private record Layer(String name, List<TensorShape> tensors, Block module) {}

  private LayeredModel(List<Integer> inputShape) {
    this.inputShape = inputShape;
  }

  /**
   * Loads the modules of a network's blocks.
   *
   * @throws InferenceException if the engine cannot load one
   */
  public static LayeredModel load(Network network, Engines engines) throws InferenceException {
    engines.start("pytorch");
    List<Network.Block> blocks = network.blocks();
    var model = new LayeredModel(blocks.get(0).part().inputShapes().get(0));
    try {
      for (Network.Block block : blocks) {
        model.layers.add(
            new Layer(
                block.name(),
                block.part().tensors(),
                model.modules.block(WeightlessModule.of(block.part()))));
      }
      return model;
    } catch (InferenceException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  public List<String> names() {
    return layers.stream().map(Layer::name).toList();
  }

  public List<List<TensorShape>> tensors() {
    return layers.stream().map(Layer::tensors).toList();
  }

  /**
   * Returns an empty place for this model's layers.
   *
   * @param source source of the layers' tensors, which the caller closes after the place
   * @param budgetBytes bytes that layers may take together
   * @param clockNs clock of the trace
   */
  public ResidentLayers resident(
      ParameterSource source, long budgetBytes, LongSupplier clockNs, LayerTrace trace) {
    return new ResidentLayers(names(), tensors(), source, budgetBytes, clockNs, trace);
  }

  /**
   * Computes one step of inference, layer by layer.
   *
   * @param in direct memory with the inputs, from its start; read in place
   * @param samples number of samples, at least 1
   * @param hooks hooks that bring each layer before it is computed
   * @return the logits, sample after sample
   * @throws LayerReadException if a hook needed a layer that could not be read
   * @throws InferenceException if the engine refuses or fails
   */
  public float[] forward(ByteBuffer in, int samples, Hooks hooks, ResidentLayers resident)
      throws InferenceException {
    var shape = new long[inputShape.size() + 1];
    shape[0] = samples;
    for (int i = 0; i < inputShape.size(); i++) {
      shape[i + 1] = inputShape.get(i);
    }
    try (NDManager step = manager.newSubManager()) {
      resident.beginStep();
      hooks.onStepStart();
      NDArray at = step.create(in, new Shape(shape), DataType.FLOAT32);
      for (int i = 0; i < layers.size(); i++) {
        resident.enter("on_pre_forward");
        hooks.onPreForward(i);
        long startNs = resident.nowNs();
        NDArray out = computed(layers.get(i), at, resident.tensors(i), step);
        resident.computed(i, startNs);
        at.close();
        at = out;
        resident.enter("on_post_forward");
        hooks.onPostForward(i);
      }
      resident.enter("on_step_end");
      hooks.onStepEnd();
      return at.toFloatArray();
    }
  }

  private static NDArray computed(Layer layer, NDArray in, NDList tensors, NDManager step)
      throws InferenceException {
    var arguments = new NDList(tensors.size() + 1);
    arguments.add(in); // first, since its manager takes the result
    arguments.addAll(tensors);
    try {
      return layer
          .module()
          .forward(new ParameterStore(step, false), arguments, false)
          .singletonOrThrow();
    } catch (EngineException e) {
      throw new InferenceException("layer " + layer.name() + " failed: " + e.getMessage(), e);
    }
  }

  /** Frees the modules; all resident layers of the model must be closed before. */
  @Override
  public void close() {
    modules.close();
    manager.close();
  }
}
