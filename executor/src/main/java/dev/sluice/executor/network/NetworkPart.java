package dev.sluice.executor.network;

import java.util.List;
import java.util.function.Consumer;

/**
 * Consecutive layers of a network. Parts one behind the other compute what the whole network
 * computes: each takes the tensors that the part before it gives, among them those that only a
 * later part reads.
 */
public final class NetworkPart {
  private final String workload;
  private final List<Tensor> inputs;
  private final List<Tensor> outputs;
  private final List<Weight> weights;
  private final List<Consumer<Dialect>> operations;

  NetworkPart(
      String workload,
      List<Tensor> inputs,
      List<Tensor> outputs,
      List<Weight> weights,
      List<Consumer<Dialect>> operations) {
    this.workload = workload;
    this.inputs = List.copyOf(inputs);
    this.outputs = List.copyOf(outputs);
    this.weights = List.copyOf(weights);
    this.operations = List.copyOf(operations);
  }

  String workload() {
    return workload;
  }

  List<Tensor> inputs() {
    return inputs;
  }

  List<Tensor> outputs() {
    return outputs;
  }

  /** Returns the weights of these layers, in the order of the operations. */
  List<Weight> weights() {
    return weights;
  }

  /** Returns the weights as tensors of a file, in the order of {@link WeightsFile}. */
  public List<TensorShape> tensors() {
    return weights.stream()
        .map(weight -> TensorShape.float32(weight.name(), weight.shape()))
        .toList();
  }

  /**
   * Tells of each tensor whether training changes it by a gradient; running statistics it counts.
   */
  public List<Boolean> haveGradients() {
    return weights.stream().map(Weight::hasGradient).toList();
  }

  /** Calls the dialect's method for each operation, in order. */
  void tell(Dialect dialect) {
    operations.forEach(operation -> operation.accept(dialect));
  }

  /** Returns the shapes of one sample of the tensors that come in, without the batch axis. */
  public List<List<Integer>> inputShapes() {
    return inputs.stream().map(Tensor::shape).toList();
  }

  /** Returns the shapes of one sample of the tensors that go out, without the batch axis. */
  public List<List<Integer>> outputShapes() {
    return outputs.stream().map(Tensor::shape).toList();
  }

  public long weightBytes(Precision precision) {
    return weights.stream().mapToLong(precision::bytes).sum();
  }
}
