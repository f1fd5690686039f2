package dev.sluice.executor.network;

import dev.sluice.contract.experiment.ModelInput;
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
 * @param inputs what the model takes, in its order
 */
public record WorkloadInfo(
    String name, int tokens, long flopsPerSample, long parameters, List<ModelInput> inputs) {
  public WorkloadInfo {
    inputs = List.copyOf(inputs);
  }

  /** Returns how many values a sample has, of all inputs together. */
  public int elementsPerSample() {
    return inputs.stream().mapToInt(ModelInput::elementsPerSample).reduce(0, Math::addExact);
  }
}
