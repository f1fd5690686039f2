package dev.sluice.layers.engine;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.layers.engine.LayerModules.Layer;
import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A network by blocks, as modules without weights, in float32 on the processor. The parameters come
 * and go in {@link ResidentLayers}. Several threads may compute at once, each with resident layers
 * of its own. Layers count from 0.
 */
public final class LayeredModel implements AutoCloseable {
  private final LayerModules modules;
  private final Shape inputShape;

  private LayeredModel(LayerModules modules, List<Integer> inputShape) {
    this.modules = modules;
    this.inputShape = new Shape(inputShape.stream().mapToLong(Integer::longValue).toArray());
  }

  /** Loads the modules of a network's blocks. */
  public static LayeredModel load(Network network, Engines engines) throws InferenceException {
    List<Network.Block> blocks = network.blocks();
    LayerModules modules = LayerModules.load(blocks, WeightlessModule::of, engines);
    return new LayeredModel(modules, blocks.get(0).part().inputShapes().get(0));
  }

  public List<String> names() {
    return modules.layers.stream().map(Layer::name).toList();
  }

  public List<List<TensorShape>> tensors() {
    return modules.layers.stream().map(layer -> layer.part().tensors()).toList();
  }

  /** Returns an empty place for this model's layers, whose source the caller closes after it. */
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
    try (NDManager step = modules.manager.newSubManager()) {
      resident.fire(hooks, Hook.STEP_START, Hooks.NO_LAYER);
      NDArray at = step.create(in, new Shape(samples).addAll(inputShape), DataType.FLOAT32);
      for (int i = 0; i < modules.layers.size(); i++) {
        resident.fire(hooks, Hook.PRE_FORWARD, i);
        long startNs = resident.nowNs();
        NDArray out = computed(modules.layers.get(i), at, resident.tensors(i), step);
        resident.done(Row.COMPUTE, i, startNs);
        at.close();
        at = out;
        resident.fire(hooks, Hook.POST_FORWARD, i);
      }
      resident.fire(hooks, Hook.STEP_END, Hooks.NO_LAYER);
      return at.toFloatArray();
    }
  }

  private static NDArray computed(Layer layer, NDArray in, NDList tensors, NDManager step)
      throws InferenceException {
    try {
      return Gradients.forward(layer.module(), in, tensors, step);
    } catch (EngineException e) {
      throw new InferenceException("layer " + layer.name() + " failed: " + e.getMessage(), e);
    }
  }

  /** Frees the modules; all resident layers of the model must be closed before. */
  @Override
  public void close() {
    modules.close();
  }
}
