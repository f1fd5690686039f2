package dev.sluice.executor.network;

import org.jspecify.annotations.Nullable;

/**
 * The operations of a network, as one file format writes them. Each operation has a result {@code
 * out}, which is the result of no other operation of the network.
 */
interface Dialect {
  /**
   * A 2-D convolution with square kernel, and equal stride and padding on both axes.
   *
   * @param bias a number per output channel; null: none
   */
  void convolve(
      Tensor out, Tensor in, Weight kernel, @Nullable Weight bias, int stride, int padding);

  /** (in − mean) / √(variance + epsilon) × scale + shift, each of them per channel. */
  void batchNorm(Tensor out, Tensor in, BatchNorm norm);

  /** What a batch norm has for each channel, and the number that keeps its divisor above 0. */
  record BatchNorm(Weight scale, Weight shift, Weight mean, Weight variance, float epsilon) {}

  /** max(in, 0); {@code in} is used by nothing else. */
  void relu(Tensor out, Tensor in);

  void maxPool(Tensor out, Tensor in, int kernel, int stride, int padding);

  void add(Tensor out, Tensor left, Tensor right);

  /** Adds a weight to each sample. */
  void addWeight(Tensor out, Tensor in, Weight weight);

  /** [channels, height, width] to [channels] by their mean. */
  void averagePool(Tensor out, Tensor in);

  /** in × transposed matrix + bias on the last axis; matrix is [out, in]. */
  void linear(Tensor out, Tensor in, Weight matrix, Weight bias);

  /** Normalizes the last axis to mean 0 and variance 1, then × scale + shift. */
  void layerNorm(Tensor out, Tensor in, Weight scale, Weight shift, float epsilon);

  /** The exact GELU: in × Φ(in). */
  void gelu(Tensor out, Tensor in);

  /** [channels, height, width] to [height × width, channels]. */
  void patchesToTokens(Tensor out, Tensor in);

  /** Puts one token in front; the weight is [1, 1, width]. */
  void prependToken(Tensor out, Tensor in, Weight token);

  /**
   * [tokens, 3 × width] of queries, keys and values to [tokens, width], scaled by 1/√head width.
   */
  void selfAttention(Tensor out, Tensor in, int heads);

  /** [tokens, width] to [width] of the first token. */
  void firstToken(Tensor out, Tensor in);
}
