package dev.sluice.executor.network;

import java.util.List;

/**
 * What is known of a workload without running it.
 *
 * @param tokens memory tokens of the model itself
 * @param flopsPerSample 2 × the multiply-adds of convolutions, linear layers and attention; what is
 *     left out (norms, activations, pooling) is below 1 %; 0: unknown, a user's own model
 * @param parameters trained values, so without running statistics; 0: unknown, a user's own model
 * @param inputShape of one sample, without the batch axis
 */
public record WorkloadInfo(
    String name, int tokens, long flopsPerSample, long parameters, List<Integer> inputShape) {
  public WorkloadInfo {
    inputShape = List.copyOf(inputShape);
  }

  /** The product of the input shape. */
  public int elementsPerSample() {
    return inputShape.stream().reduce(1, Math::multiplyExact);
  }
}
