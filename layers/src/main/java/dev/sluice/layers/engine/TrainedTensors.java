package dev.sluice.layers.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.SafetensorsFile;
import dev.sluice.layers.parameters.SafetensorsFile.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The tensors of layers in training, one behind the other: the weights in the order in which the
 * module takes them, then of each parameter the optimizer's state, then its gradient. All but the
 * gradients are kept between two steps.
 */
final class TrainedTensors {
  private final Optimizer optimizer;
  private final List<Boolean> haveGradients;
  private final List<TensorShape> stored = new ArrayList<>();
  private final List<TensorShape> gradients = new ArrayList<>();

  TrainedTensors(NetworkPart part, Optimizer optimizer) {
    this.optimizer = optimizer;
    this.haveGradients = part.haveGradients();
    stored.addAll(part.tensors());
    for (int i = 0; i < haveGradients.size(); i++) {
      TensorShape weight = part.tensors().get(i);
      if (haveGradients.get(i)) {
        optimizer
            .stateNames()
            .forEach(name -> stored.add(named(weight, weight.name() + "." + name)));
        gradients.add(named(weight, weight.name() + ".gradient"));
      }
    }
  }

  /**
   * Returns values of a part's tensors before the first step, each in direct memory: the weights,
   * and zeros for all others.
   *
   * @param weights file of the network's weights
   * @param tensors tensors that begin with the part's weights
   */
  static List<ByteBuffer> initial(
      SafetensorsFile weights, NetworkPart part, List<TensorShape> tensors) throws IOException {
    List<String> names = part.tensors().stream().map(TensorShape::name).toList();
    var values = new ArrayList<ByteBuffer>();
    for (TensorShape tensor : tensors) {
      values.add(ByteBuffer.allocateDirect((int) tensor.bytes()).order(ByteOrder.nativeOrder()));
    }
    for (Entry entry : weights.entries()) {
      int at = names.indexOf(entry.tensor().name());
      if (at >= 0) {
        weights.read(entry.offset(), values.get(at));
        values.get(at).flip();
      }
    }
    return values;
  }

  static Shape shape(TensorShape tensor) {
    return new Shape(tensor.shape().stream().mapToLong(Long::longValue).toArray());
  }

  private static TensorShape named(TensorShape weight, String name) {
    return new TensorShape(name, weight.dtype(), weight.shape());
  }

  int weights() {
    return haveGradients.size();
  }

  /** Tells whether a weight is a parameter, not a running statistic. */
  boolean hasGradient(int weight) {
    return haveGradients.get(weight);
  }

  /** Returns the tensors that are kept between two steps. */
  List<TensorShape> stored() {
    return List.copyOf(stored);
  }

  List<TensorShape> all() {
    var all = new ArrayList<>(stored);
    all.addAll(gradients);
    return all;
  }

  /**
   * Applies the gradients, which stand in their places among all tensors, in a step that counts
   * from 1.
   */
  void update(NDList tensors, int step) {
    int state = weights();
    int gradient = stored.size();
    int states = optimizer.stateNames().size();
    for (int weight = 0; weight < weights(); weight++) {
      if (hasGradient(weight)) {
        List<NDArray> own = tensors.subList(state, state + states);
        optimizer.update(tensors.get(weight), tensors.get(gradient), own, step);
        state += states;
        gradient++;
      }
    }
  }
}
