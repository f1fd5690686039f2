package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.WeightlessModule;
import dev.sluice.executor.network.Workloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The reference of layered training: all tensors are resident, one module computes the whole
 * network, and one graph gives all gradients. No schedule, no files. Used by one thread.
 */
public final class WholeGraphTraining implements AutoCloseable {
  private final WeightlessModules modules = new WeightlessModules();
  private final NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
  private final TrainedTensors layout;
  private final NDList tensors = new NDList();
  private final Block module;
  private final TrainingData data;
  private int stepsDone;

  private WholeGraphTraining(
      NetworkPart whole, Optimizer optimizer, TrainingData data, List<ByteBuffer> values)
      throws InferenceException {
    this.layout = new TrainedTensors(whole, optimizer);
    this.data = data;
    this.module = modules.block(WeightlessModule.forTraining(whole));
    for (int i = 0; i < values.size(); i++) {
      long[] shape = layout.all().get(i).shape().stream().mapToLong(Long::longValue).toArray();
      tensors.add(manager.create(values.get(i), new Shape(shape), DataType.FLOAT32));
    }
  }

  /**
   * Loads a network that can be trained, before its first step.
   *
   * @param batch pictures of a step
   * @throws InferenceException if the engine cannot load it
   */
  public static WholeGraphTraining load(
      String model, String optimizer, long seed, int batch, ModelCache cache, Engines engines)
      throws UserMistakeException, IOException, InferenceException {
    engines.start("pytorch");
    Network network = Workloads.network(model);
    Optimizer rule = Optimizer.named(optimizer);
    List<TensorShape> all = new TrainedTensors(network.whole(), rule).all();
    try (var weights = new InitialWeights(model, cache)) {
      return new WholeGraphTraining(
          network.whole(),
          rule,
          new TrainingData(seed, batch, network),
          weights.of(network.whole(), all));
    }
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
    try (NDManager scope = manager.newSubManager()) {
      NDArray labels = data.oneHotLabels(step, scope);
      Gradients.backward(
          module,
          data.pictures(step, scope),
          tensors,
          layout,
          null,
          logits -> Gradients.loss(logits, labels),
          number -> loss[0] = number.getFloat());
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
    manager.close();
  }
}
