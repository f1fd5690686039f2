package dev.sluice.executor.network;

import static java.util.Map.entry;

import dev.sluice.contract.experiment.ModelInput;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The built-in workloads, by name. Their architecture and cost are real; their weights are random,
 * from a seed. A new workload needs one line here, and a class if its architecture is new.
 */
public final class Workloads {
  private static final Map<String, Entry> ENTRIES =
      Map.ofEntries(
          entry("resnet18", new Entry(80, ResNet::resnet18)),
          entry("resnet50", new Entry(160, ResNet::resnet50)),
          entry("vit", new Entry(260, name -> VisionTransformer.of(name, 12, 768, 12))),
          // DeiT-Tiny's shape (Touvron et al., 2021), without its distillation
          entry("vit_tiny", new Entry(40, name -> VisionTransformer.of(name, 12, 192, 3))));

  /** Networks that are too large for lanes, and are only run split into stages. */
  private static final Map<String, Function<String, Network>> SPLIT_ONLY =
      Map.of("vit_large", name -> VisionTransformer.of(name, 24, 1024, 16));

  /** Small networks for small pictures, which are trained and serve no lane. */
  private static final Map<String, Function<String, Network>> TRAINED =
      Map.of("resnet18_small", ResNet::resnet18Small, "vit_micro", VisionTransformer::micro);

  private record Entry(int tokens, Function<String, Network> build) {}

  /**
   * The size and cost of a workload, known without running it.
   *
   * @param tokens memory tokens of the model itself
   * @param flopsPerSample 2 × the multiply-adds of convolutions, linear layers and attention; the
   *     operations left out (norms, activations, pooling) are below 1 %; 0: unknown, for a user's
   *     own model
   * @param parameters number of trained values, hence without running statistics; 0: unknown, for a
   *     user's own model
   */
  public record WorkloadInfo(
      String name, int tokens, long flopsPerSample, long parameters, List<ModelInput> inputs) {
    public int elementsPerSample() {
      return inputs.stream().mapToInt(ModelInput::elementsPerSample).reduce(0, Math::addExact);
    }
  }

  private Workloads() {}

  public static List<String> names() {
    return ENTRIES.keySet().stream().sorted().toList();
  }

  public static Map<String, Integer> tokens() {
    var tokens = new TreeMap<String, Integer>();
    ENTRIES.forEach((name, entry) -> tokens.put(name, entry.tokens()));
    return tokens;
  }

  /** Writes no file. */
  public static WorkloadInfo info(String name) {
    Network network = network(name);
    return new WorkloadInfo(
        name,
        named(name).tokens(),
        network.flopsPerSample(),
        network.parameters(),
        List.of(ModelInput.of(network.input().shape())));
  }

  public static List<String> splittable() {
    return Stream.concat(ENTRIES.keySet().stream(), SPLIT_ONLY.keySet().stream()).sorted().toList();
  }

  public static List<String> trainable() {
    return TRAINED.keySet().stream().sorted().toList();
  }

  public static Network network(String name) {
    Function<String, Network> other = SPLIT_ONLY.getOrDefault(name, TRAINED.get(name));
    return (other == null ? named(name).build() : other).apply(name);
  }

  private static Entry named(String name) {
    Entry entry = ENTRIES.get(name);
    if (entry == null) {
      throw new IllegalArgumentException("workload (" + name + ") is unknown; known: " + names());
    }
    return entry;
  }
}
