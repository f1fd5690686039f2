package dev.sluice.layers.engine;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.parameters.SafetensorsFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The reference of layered training: all tensors are resident, one module computes the whole
 * network, and one graph gives all gradients. No schedule, no files. Used by one thread.
 */
public final class WholeGraphTraining implements AutoCloseable {
  private final LayerModules modules;
  private final TrainedTensors layout;
  private final NDList tensors = new NDList();
  private final TrainingData data;
  private int stepsDone;

  private WholeGraphTraining(
      LayerModules modules, TrainedTensors layout, TrainingData data, List<ByteBuffer> values) {
    this.modules = modules;
    this.layout = layout;
    this.data = data;
    for (int i = 0; i < values.size(); i++) {
      Shape shape = TrainedTensors.shape(layout.all().get(i));
      tensors.add(modules.manager.create(values.get(i), shape, DataType.FLOAT32));
    }
  }

  /**
   * Loads a network that can be trained, before its first step.
   *
   * @param batch pictures of a step
   */
  public static WholeGraphTraining load(
      String model, String optimizer, long seed, int batch, ModelCache cache, Engines engines)
      throws UserMistakeException, IOException, InferenceException {
    Network network = Workloads.network(model);
    NetworkPart whole = network.whole();
    var layout = new TrainedTensors(whole, Optimizer.named(optimizer));
    List<ByteBuffer> values;
    Path file = cache.weights(model, ModelProgress.none());
    try (SafetensorsFile weights = SafetensorsFile.open(file)) {
      values = TrainedTensors.initial(weights, whole, layout.all());
    }
    List<Network.Block> block = List.of(new Network.Block("network", whole));
    return new WholeGraphTraining(
        LayerModules.load(block, WeightlessModule::forTraining, engines),
        layout,
        new TrainingData(seed, batch, network),
        values);
  }

  /**
   * Trains one step.
   *
   * @return the loss before the step
   * @throws InferenceException if the engine refuses or fails
   */
  public float step() throws InferenceException {
    int step = stepsDone + 1;
    var loss = new float[1];
    try (NDManager scope = modules.manager.newSubManager()) {
      NDArray labels = data.oneHotLabels(step, scope);
      Gradients.backward(
          modules.layers.get(0).module(),
          data.pictures(step, scope),
          tensors,
          layout,
          null,
          logits -> {
            NDArray number = Gradients.loss(logits, labels);
            loss[0] = number.getFloat();
            return number;
          });
      layout.update(tensors, step);
    } catch (EngineException e) {
      throw new InferenceException("the network failed: " + e.getMessage(), e);
    }
    stepsDone = step;
    return loss[0];
  }

  /** Returns the shapes of all tensors: weights, optimizer state, gradients. */
  List<TensorShape> shapes() {
    return layout.all();
  }

  /** Returns all tensors, in the order of {@link #shapes}. */
  NDList tensors() {
    return tensors;
  }

  @Override
  public void close() {
    modules.close();
  }
}
