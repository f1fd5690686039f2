package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Range;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The names that an experiment file may use, handed in by the caller from the registries.
 *
 * @param workloadTokens built-in workload name to its base cost in memory tokens
 * @param workloadParameters built-in workload name to the size of its parameters
 * @param figures names of the figures that a threshold may bound, whole; for each name that begins
 *     with {@code all_}, a figure of every class is added, for example {@code
 *     interactive_p99_e2e_ms}
 */
public record Vocabulary(
    Map<String, PolicyWeights> schedulers,
    Map<String, ArrivalKeys> arrivals,
    Map<String, Integer> workloadTokens,
    Map<String, Parameters> workloadParameters,
    List<String> figures) {
  /**
   * The size of a network's parameters.
   *
   * @param largestLayer bytes of the largest layer, which is the least memory that the network can
   *     be run in
   */
  public record Parameters(long bytes, long largestLayer) {}

  /** Beginning of figures that each class has too. */
  private static final String OF_ALL = "all_";

  /** What follows a class's name in the names of its figures. */
  List<String> figuresOfClasses() {
    return figures.stream()
        .filter(figure -> figure.startsWith(OF_ALL))
        .map(figure -> figure.substring(OF_ALL.length()))
        .toList();
  }

  /** The figures that only the whole run has. */
  List<String> figuresOfRun() {
    return figures.stream().filter(figure -> !figure.startsWith(OF_ALL)).toList();
  }

  /**
   * The weights of a policy, which are keys below {@code scheduler}. None must be given.
   *
   * @param weights the weights, in the order of the score's terms
   * @param rule a mistake in the weights that are given, each in its range; empty: there is none
   * @param decides what the policy decides beside which job starts next, see {@link
   *     Experiment.Scheduling#decides}
   * @param needsBounds whether the policy needs upper bounds of service times
   */
  public record PolicyWeights(
      List<Weight> weights,
      Function<Map<String, Double>, Optional<ArrivalKeys.Mistake>> rule,
      List<String> decides,
      boolean needsBounds) {
    public static final PolicyWeights NONE =
        new PolicyWeights(List.of(), given -> Optional.empty(), List.of(), false);

    /**
     * A weight.
     *
     * @param defaultValue value where none is given
     */
    public record Weight(String name, Range range, double defaultValue) {}

    public PolicyWeights {
      weights = List.copyOf(weights);
      decides = List.copyOf(decides);
    }
  }
}
