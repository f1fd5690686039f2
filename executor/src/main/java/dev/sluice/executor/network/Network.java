package dev.sluice.executor.network;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

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
  private final Tensor input;
  private final List<Weight> weights = new ArrayList<>();
  private final List<Operation> operations = new ArrayList<>();
  private final List<Integer> cuts = new ArrayList<>();
  private final Map<String, Integer> blockStarts = new LinkedHashMap<>();

  private Tensor output;
  private int weightsUsed;
  private long multiplyAdds;

  /** A tensor or a weight, as an operation reads it. */
  sealed interface Value permits Tensor, Weight {
    String name();

    List<Integer> shape();

    default int elements() {
      return shape().stream().reduce(1, Math::multiplyExact);
    }
  }

  /** A tensor; its shape is of one sample, without the axis of samples. */
  record Tensor(String name, List<Integer> shape) implements Value {
    int axis(int index) {
      return shape.get(index);
    }
  }

  /** The kinds of operations, each with what it reads, and with its numbers, in their order. */
  enum Kind {
    /**
     * A 2-D convolution of a tensor with a kernel; size of the square kernel, and stride and
     * padding on both axes.
     */
    CONVOLVE,
    /** A convolution as above; behind the kernel a number for each output channel. */
    CONVOLVE_WITH_BIAS,
    /**
     * (in − mean) / √(variance + epsilon) × scale + shift, per channel: the tensor, scale, shift,
     * mean, variance; epsilon, which keeps the divisor above 0.
     */
    BATCH_NORM,
    /** max(in, 0); {@code in} is used by nothing else. */
    RELU,
    /** Size of the square window, stride and padding. */
    MAX_POOL,
    /** Adds two tensors, or a weight to each sample. */
    ADD,
    /** [channels, height, width] to [channels] by their mean. */
    AVERAGE_POOL,
    /**
     * in × transposed matrix + bias on the last axis: the tensor, the matrix [out, in], the bias.
     */
    LINEAR,
    /**
     * Normalizes the last axis to mean 0 and variance 1, then × scale + shift: the tensor, scale,
     * shift; size of the axis, epsilon.
     */
    LAYER_NORM,
    /** The exact GELU: in × Φ(in). */
    GELU,
    /** [channels, height, width] to [height × width, channels]. */
    PATCHES_TO_TOKENS,
    /** Puts one token, a weight [1, 1, width], in front of a tensor's. */
    PREPEND_TOKEN,
    /**
     * [tokens, 3 × width] of queries, keys and values to [tokens, width], scaled by 1/√head width;
     * number of heads.
     */
    SELF_ATTENTION,
    /** [tokens, width] to [width] of the first token. */
    FIRST_TOKEN
  }

  /**
   * An operation.
   *
   * @param out its result, which is the result of no other operation of the network
   * @param weightsBefore number of the network's weights that operations before it use
   */
  record Operation(
      Kind kind, Tensor out, List<Value> reads, List<Number> numbers, int weightsBefore) {}

  /** The operations of a network, as one file format writes them. */
  interface Dialect {
    /** Casts a tensor to a precision; the two are given by their names. */
    void convert(String out, String in, Precision to);

    void write(Operation operation);
  }

  /** A block: the stem or embedding, a residual or transformer block, or the head. */
  public record Block(String name, NetworkPart part) {}

  Network(String workload) {
    this(workload, 224);
  }

  Network(String workload, int side) {
    this.workload = workload;
    this.input = new Tensor("input", List.of(3, side, side));
    this.output = input;
  }

  Tensor input() {
    return input;
  }

  List<Weight> weights() {
    return List.copyOf(weights);
  }

  public long weightBytes(Precision precision) {
    return weights.stream().mapToLong(precision::bytes).sum();
  }

  /** Returns the number of values that training would change: all but the running statistics. */
  long parameters() {
    return weights.stream().filter(Weight::hasGradient).mapToLong(Weight::elements).sum();
  }

  /** Returns 2 × the multiply-adds of convolutions, linear layers and attention. */
  long flopsPerSample() {
    return 2 * multiplyAdds;
  }

  /**
   * Ends a layer, so that the network can be cut behind the last operation. A ReLU, which changes
   * its input in place, must not be the next one.
   */
  void endLayer() {
    cuts.add(operations.size());
  }

  /** Begins a block with the next operation, which must not be a ReLU, as behind a layer. */
  void beginBlock(String name) {
    blockStarts.put(name, operations.size());
  }

  /** Coarser parts than layers for a transformer, equal ones for a residual network. */
  public List<Block> blocks() {
    var ends = new ArrayDeque<>(blockStarts.values());
    ends.remove();
    ends.add(operations.size());
    return blockStarts.entrySet().stream()
        .map(start -> new Block(start.getKey(), part(start.getValue(), ends.remove())))
        .toList();
  }

  public int layers() {
    return cuts.size() + 1;
  }

  public NetworkPart whole() {
    return layers(1, layers());
  }

  /** Returns consecutive layers, counted from 1. */
  public NetworkPart layers(int first, int last) {
    if (first < 1 || last < first || last > layers()) {
      throw new IllegalArgumentException(
          "layers (%d) to (%d) of (%d)".formatted(first, last, layers()));
    }
    return part(operationsBefore(first - 1), operationsBefore(last));
  }

  private NetworkPart part(int from, int to) {
    int weightsFrom = operations.get(from).weightsBefore();
    int weightsTo = to == operations.size() ? weights.size() : operations.get(to).weightsBefore();
    return new NetworkPart(
        workload,
        crossing(from),
        crossing(to),
        weights.subList(weightsFrom, weightsTo),
        operations.subList(from, to));
  }

  /**
   * Returns the number of values of one sample that cross a cut: of all tensors, such as a residual
   * beside the branch that will be added to it.
   *
   * @param layer the layer before the cut; 0: the network's input
   */
  public int elementsBehind(int layer) {
    return crossing(operationsBefore(layer)).stream().mapToInt(Tensor::elements).sum();
  }

  private int operationsBefore(int layer) {
    return layer == 0 ? 0 : layer == layers() ? operations.size() : cuts.get(layer - 1);
  }

  /** Tensors that exist before an operation and are read by it or later ones, in their order. */
  private List<Tensor> crossing(int at) {
    if (at == operations.size()) {
      return List.of(output);
    }
    Set<Value> read = new HashSet<>();
    operations.subList(at, operations.size()).forEach(later -> read.addAll(later.reads()));
    return Stream.concat(Stream.of(input), operations.subList(0, at).stream().map(Operation::out))
        .filter(read::contains)
        .toList();
  }

  /**
   * Adds a convolution without bias.
   *
   * @param gain variance of a result over the mean square of the inputs
   */
  Tensor convolve(
      Tensor in, String name, int channels, int size, int stride, Weight.Rule rule, float gain) {
    Weight kernel = kernel(in, name, channels, size, rule, gain);
    return convolve(Kind.CONVOLVE, List.of(in, kernel), kernel, stride, size / 2);
  }

  /** Adds a convolution with bias whose squares of size × size tile the input. */
  Tensor convolvePatches(Tensor in, String name, int channels, int size, float gain) {
    Weight kernel = kernel(in, name, channels, size, Weight.Rule.RANDOM, gain);
    Weight bias = constant(name + ".bias", List.of(channels), 0);
    return convolve(Kind.CONVOLVE_WITH_BIAS, List.of(in, kernel, bias), kernel, size, 0);
  }

  private Weight kernel(
      Tensor in, String name, int channels, int size, Weight.Rule rule, float gain) {
    List<Integer> shape = List.of(channels, in.axis(0), size, size);
    int fanIn = in.axis(0) * size * size;
    return weight(name + ".weight", shape, rule, (float) Math.sqrt(gain / fanIn));
  }

  private Tensor convolve(Kind kind, List<Value> reads, Weight kernel, int stride, int padding) {
    int channels = kernel.shape().get(0);
    int size = kernel.shape().get(2);
    int side = side(reads.get(0), size, stride, padding);
    multiplyAdds += (long) side * side * kernel.elements();
    return then(kind, List.of(channels, side, side), reads, size, stride, padding);
  }

  private static int side(Value in, int size, int stride, int padding) {
    return (in.shape().get(1) + 2 * padding - size) / stride + 1;
  }

  /** Adds a batch norm in inference: running mean 0 and variance 1. */
  Tensor batchNorm(Tensor in, String name, float scale) {
    List<Integer> shape = List.of(in.axis(0));
    List<Value> reads =
        List.of(
            in,
            constant(name + ".weight", shape, scale),
            constant(name + ".bias", shape, 0),
            constant(name + Weight.RUNNING_MEAN, shape, 0),
            constant(name + Weight.RUNNING_VARIANCE, shape, 1));
    return then(Kind.BATCH_NORM, in.shape(), reads, BATCH_NORM_EPSILON);
  }

  Tensor relu(Tensor in) {
    return then(Kind.RELU, in.shape(), List.of(in));
  }

  Tensor maxPool(Tensor in, int size, int stride, int padding) {
    int side = side(in, size, stride, padding);
    return then(Kind.MAX_POOL, List.of(in.axis(0), side, side), List.of(in), size, stride, padding);
  }

  Tensor add(Tensor left, Tensor right) {
    return then(Kind.ADD, left.shape(), List.of(left, right));
  }

  Tensor addPositions(Tensor in, String name, float deviation) {
    List<Integer> shape = List.of(1, in.axis(0), in.axis(1));
    Weight weight = weight(name, shape, Weight.Rule.RANDOM, deviation);
    return then(Kind.ADD, in.shape(), List.of(in, weight));
  }

  Tensor averagePool(Tensor in) {
    return then(Kind.AVERAGE_POOL, List.of(in.axis(0)), List.of(in));
  }

  /**
   * Adds a linear layer on the last axis, with bias.
   *
   * @param gain variance of a result over the mean square of the inputs
   */
  Tensor linear(Tensor in, String name, int width, float gain) {
    int fanIn = in.axis(in.shape().size() - 1);
    Weight matrix =
        weight(
            name + ".weight",
            List.of(width, fanIn),
            Weight.Rule.RANDOM_ZERO_SUM,
            (float) Math.sqrt(gain / fanIn));
    Weight bias = constant(name + ".bias", List.of(width), 0);
    multiplyAdds += (long) in.elements() * width;
    return then(
        Kind.LINEAR,
        in.shape().size() == 1 ? List.of(width) : List.of(in.axis(0), width),
        List.of(in, matrix, bias));
  }

  Tensor layerNorm(Tensor in, String name) {
    int width = in.axis(in.shape().size() - 1);
    Weight scale = constant(name + ".weight", List.of(width), 1);
    Weight shift = constant(name + ".bias", List.of(width), 0);
    return then(Kind.LAYER_NORM, in.shape(), List.of(in, scale, shift), width, LAYER_NORM_EPSILON);
  }

  Tensor gelu(Tensor in) {
    return then(Kind.GELU, in.shape(), List.of(in));
  }

  Tensor patchesToTokens(Tensor in) {
    List<Integer> shape = List.of(in.axis(1) * in.axis(2), in.axis(0));
    return then(Kind.PATCHES_TO_TOKENS, shape, List.of(in));
  }

  /** Puts a learned token, initially 0 as in torchvision, in front. */
  Tensor prependToken(Tensor in, String name) {
    Weight token = constant(name, List.of(1, 1, in.axis(1)), 0);
    List<Integer> shape = List.of(in.axis(0) + 1, in.axis(1));
    return then(Kind.PREPEND_TOKEN, shape, List.of(token, in));
  }

  Tensor selfAttention(Tensor in, int heads) {
    int tokens = in.axis(0);
    int width = in.axis(1) / 3;
    multiplyAdds += 2L * tokens * tokens * width;
    return then(Kind.SELF_ATTENTION, List.of(tokens, width), List.of(in), heads);
  }

  Tensor firstToken(Tensor in) {
    return then(Kind.FIRST_TOKEN, List.of(in.axis(1)), List.of(in));
  }

  private Tensor then(Kind kind, List<Integer> shape, List<Value> reads, Number... numbers) {
    var out = new Tensor("t" + operations.size(), shape);
    operations.add(new Operation(kind, out, reads, List.of(numbers), weightsUsed));
    weightsUsed = weights.size();
    output = out;
    return out;
  }

  private Weight constant(String name, List<Integer> shape, float value) {
    return weight(name, shape, Weight.Rule.CONSTANT, value);
  }

  private Weight weight(String name, List<Integer> shape, Weight.Rule rule, float number) {
    var weight = new Weight(name, shape, rule, number);
    weights.add(weight);
    return weight;
  }
}
