package dev.sluice.executor.network;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A network: its operations in order, its weights, and its cost. An architecture builds it, and
 * both writers read it.
 */
public final class Network {
  public static final int CLASSES = 1000;

  /** Batch-norm's and layer-norm's epsilon, as in torchvision. */
  private static final float BATCH_NORM_EPSILON = 1e-5f;

  private static final float LAYER_NORM_EPSILON = 1e-6f;

  private final String workload;
  private final Tensor input = new Tensor("input", List.of(3, 224, 224));
  private final List<Weight> weights = new ArrayList<>();
  private final List<Consumer<Dialect>> operations = new ArrayList<>();
  private Tensor output = input;
  private long parameters;
  private long multiplyAdds;

  /**
   * An empty network.
   *
   * @param workload name of the workload, which seeds the weights
   */
  Network(String workload) {
    this.workload = workload;
  }

  String workload() {
    return workload;
  }

  Tensor input() {
    return input;
  }

  /** Returns the result of the operation added last. */
  Tensor output() {
    return output;
  }

  /** Returns all weights, in the order of the operations. */
  List<Weight> weights() {
    return List.copyOf(weights);
  }

  public long weightBytes(Precision precision) {
    return weights.stream().mapToLong(precision::bytes).sum();
  }

  /**
   * Returns the number of values that training would change: all weights except the running
   * statistics.
   */
  long parameters() {
    return parameters;
  }

  /** Returns 2 × the multiply-adds of convolutions, linear layers and attention. */
  long flopsPerSample() {
    return 2 * multiplyAdds;
  }

  /** Calls the dialect's method for each operation, in order. */
  void tell(Dialect dialect) {
    operations.forEach(operation -> operation.accept(dialect));
  }

  /**
   * Adds a convolution without bias.
   *
   * @param gain variance of a result over the mean square of the inputs
   */
  Tensor convolve(
      Tensor in, String name, int channels, int size, int stride, Weight.Rule rule, float gain) {
    int padding = size / 2;
    Weight kernel = kernel(in, name, channels, size, rule, gain);
    Tensor out = convolved(in, channels, size, stride, padding);
    return then(out, dialect -> dialect.convolve(out, in, kernel, stride, padding));
  }

  /** Adds a convolution with bias whose squares of size × size tile the input. */
  Tensor convolvePatches(Tensor in, String name, int channels, int size, float gain) {
    Weight kernel = kernel(in, name, channels, size, Weight.Rule.RANDOM, gain);
    Weight bias = parameter(name + ".bias", List.of(channels), Weight.Rule.CONSTANT, 0);
    Tensor out = convolved(in, channels, size, size, 0);
    return then(out, dialect -> dialect.convolve(out, in, kernel, bias, size, 0));
  }

  private Weight kernel(
      Tensor in, String name, int channels, int size, Weight.Rule rule, float gain) {
    int fanIn = in.axis(0) * size * size;
    return parameter(
        name + ".weight",
        List.of(channels, in.axis(0), size, size),
        rule,
        (float) Math.sqrt(gain / fanIn));
  }

  private Tensor convolved(Tensor in, int channels, int size, int stride, int padding) {
    int side = (in.axis(1) + 2 * padding - size) / stride + 1;
    multiplyAdds += (long) channels * side * side * in.axis(0) * size * size;
    return next(channels, side, side);
  }

  /** Adds a batch norm in inference: running mean 0 and variance 1. */
  Tensor batchNorm(Tensor in, String name, float scaleValue) {
    List<Integer> shape = List.of(in.axis(0));
    Weight scale = parameter(name + ".weight", shape, Weight.Rule.CONSTANT, scaleValue);
    Weight shift = parameter(name + ".bias", shape, Weight.Rule.CONSTANT, 0);
    Weight mean = keep(new Weight(name + ".running_mean", shape, Weight.Rule.CONSTANT, 0));
    Weight variance = keep(new Weight(name + ".running_var", shape, Weight.Rule.CONSTANT, 1));
    Tensor out = new Tensor(nextName(), in.shape());
    return then(
        out,
        dialect -> dialect.batchNorm(out, in, scale, shift, mean, variance, BATCH_NORM_EPSILON));
  }

  /** Adds a ReLU on a tensor that no other operation reads. */
  Tensor relu(Tensor in) {
    Tensor out = new Tensor(nextName(), in.shape());
    return then(out, dialect -> dialect.relu(out, in));
  }

  Tensor maxPool(Tensor in, int size, int stride, int padding) {
    int side = (in.axis(1) + 2 * padding - size) / stride + 1;
    Tensor out = next(in.axis(0), side, side);
    return then(out, dialect -> dialect.maxPool(out, in, size, stride, padding));
  }

  Tensor add(Tensor left, Tensor right) {
    Tensor out = new Tensor(nextName(), left.shape());
    return then(out, dialect -> dialect.add(out, left, right));
  }

  /** Adds a learned tensor of the shape of one sample. */
  Tensor addPositions(Tensor in, String name, float deviation) {
    Weight weight =
        parameter(name, List.of(1, in.axis(0), in.axis(1)), Weight.Rule.RANDOM, deviation);
    Tensor out = new Tensor(nextName(), in.shape());
    return then(out, dialect -> dialect.addWeight(out, in, weight));
  }

  Tensor averagePool(Tensor in) {
    Tensor out = next(in.axis(0));
    return then(out, dialect -> dialect.averagePool(out, in));
  }

  /**
   * Adds a linear layer on the last axis, with bias.
   *
   * @param gain variance of a result over the mean square of the inputs
   */
  Tensor linear(Tensor in, String name, int width, float gain) {
    int fanIn = in.axis(in.shape().size() - 1);
    Weight matrix =
        parameter(
            name + ".weight",
            List.of(width, fanIn),
            Weight.Rule.RANDOM_ZERO_SUM,
            (float) Math.sqrt(gain / fanIn));
    Weight bias = parameter(name + ".bias", List.of(width), Weight.Rule.CONSTANT, 0);
    multiplyAdds += (long) in.elements() * width;
    Tensor out = in.shape().size() == 1 ? next(width) : next(in.axis(0), width);
    return then(out, dialect -> dialect.linear(out, in, matrix, bias));
  }

  Tensor layerNorm(Tensor in, String name) {
    List<Integer> shape = List.of(in.axis(in.shape().size() - 1));
    Weight scale = parameter(name + ".weight", shape, Weight.Rule.CONSTANT, 1);
    Weight shift = parameter(name + ".bias", shape, Weight.Rule.CONSTANT, 0);
    Tensor out = new Tensor(nextName(), in.shape());
    return then(out, dialect -> dialect.layerNorm(out, in, scale, shift, LAYER_NORM_EPSILON));
  }

  Tensor gelu(Tensor in) {
    Tensor out = new Tensor(nextName(), in.shape());
    return then(out, dialect -> dialect.gelu(out, in));
  }

  Tensor patchesToTokens(Tensor in) {
    Tensor out = next(in.axis(1) * in.axis(2), in.axis(0));
    return then(out, dialect -> dialect.patchesToTokens(out, in));
  }

  /** Puts a learned token, initially 0 as in torchvision, in front. */
  Tensor prependToken(Tensor in, String name) {
    Weight token = parameter(name, List.of(1, 1, in.axis(1)), Weight.Rule.CONSTANT, 0);
    Tensor out = next(in.axis(0) + 1, in.axis(1));
    return then(out, dialect -> dialect.prependToken(out, in, token));
  }

  Tensor selfAttention(Tensor in, int heads) {
    int tokens = in.axis(0);
    int width = in.axis(1) / 3;
    multiplyAdds += 2L * tokens * tokens * width;
    Tensor out = next(tokens, width);
    return then(out, dialect -> dialect.selfAttention(out, in, heads));
  }

  Tensor firstToken(Tensor in) {
    Tensor out = next(in.axis(1));
    return then(out, dialect -> dialect.firstToken(out, in));
  }

  private Tensor then(Tensor out, Consumer<Dialect> operation) {
    operations.add(operation);
    output = out;
    return out;
  }

  private Tensor next(Integer... shape) {
    return new Tensor(nextName(), List.of(shape));
  }

  private String nextName() {
    return "t" + operations.size();
  }

  private Weight parameter(String name, List<Integer> shape, Weight.Rule rule, float number) {
    Weight weight = keep(new Weight(name, shape, rule, number));
    parameters += weight.elements();
    return weight;
  }

  private Weight keep(Weight weight) {
    weights.add(weight);
    return weight;
  }
}
