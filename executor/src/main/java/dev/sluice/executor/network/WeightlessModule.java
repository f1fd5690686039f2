package dev.sluice.executor.network;

import dev.sluice.executor.network.Network.Tensor;
import dev.sluice.executor.network.TorchScriptFile.TorchScriptSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Layers of a network as a TorchScript module without weights: {@code forward} takes the tensors
 * that come in, and behind them the weights, in the order of the layers' weights. Layers of equal
 * operations and shapes have equal modules, such as all blocks of a transformer.
 *
 * @param code the module's code, by which modules are equal
 */
public record WeightlessModule(String code) {
  public static WeightlessModule of(NetworkPart part) {
    return of(part, false);
  }

  /**
   * Returns the module of these layers, in float32, as it is trained: batch norms take the batch's
   * statistics, and count them into the running ones that they are given.
   */
  public static WeightlessModule forTraining(NetworkPart part) {
    return of(part, true);
  }

  private static WeightlessModule of(NetworkPart part, boolean training) {
    Map<Tensor, String> values = new HashMap<>();
    Map<Weight, String> arguments = new HashMap<>();
    Function<Tensor, String> nameOf = value -> named(values, value, "x");
    Function<Weight, String> argumentOf = weight -> named(arguments, weight, "w");
    return new WeightlessModule(
        TorchScriptFile.code(
            List.of(),
            Stream.concat(
                part.inputs().stream().map(nameOf), part.weights().stream().map(argumentOf)),
            part.outputs(),
            nameOf,
            code ->
                part.tell(
                    new TorchScriptSource(code, nameOf, argumentOf, training), Precision.FP32)));
  }

  private static <T> String named(Map<T, String> names, T what, String prefix) {
    return names.computeIfAbsent(what, first -> prefix + names.size());
  }

  public byte[] file() {
    return TorchScriptFile.withoutWeights(code);
  }
}
