package dev.sluice.executor.network;

import java.util.List;

/**
 * The size and cost of a workload, known without running it.
 *
 * @param tokens memory tokens of the model itself
 * @param flopsPerSample 2 × the multiply-adds of convolutions, linear layers and attention; the
 *     operations left out (norms, activations, pooling) are below 1 %; 0: unknown, for a user's own
 *     model
 * @param parameters number of trained values, hence without running statistics; 0: unknown, for a
 *     user's own model
 * @param inputShape shape of one sample, without the batch axis
 */
public record WorkloadInfo(
    String name, int tokens, long flopsPerSample, long parameters, List<Integer> inputShape) {
  public WorkloadInfo {
    inputShape = List.copyOf(inputShape);
  }

  /** Returns the product of the input shape. */
  public int elementsPerSample() {
    return inputShape.stream().reduce(1, Math::multiplyExact);
  }
}
