package dev.sluice.planning.plan;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How sure the measured times of a model's layers are.
 *
 * @param spread sum of the layers' interquartile ranges / sum of their medians; null: not known
 * @param sumToWhole sum of the layers' times / measured time of the whole model at once; null: not
 *     known
 */
public record Certainty(@Nullable Double spread, @Nullable Double sumToWhole) {
  private static final double SPREAD_MAX = 0.2;
  private static final double SUM_MIN = 0.85;
  private static final double SUM_MAX = 1.25;

  static Certainty of(
      @Nullable Double spread, @Nullable Double wholeSeconds, List<Double> layerSeconds) {
    return new Certainty(
        spread,
        wholeSeconds == null || wholeSeconds == 0
            ? null
            : (Double) (layerSeconds.stream().mapToDouble(s -> s).sum() / wholeSeconds));
  }

  /** What is known in words; empty: nothing. */
  String words() {
    String spreads =
        spread == null
            ? ""
            : String.format(Locale.ROOT, "the times spread by %.1f %%", 100 * spread);
    String adds =
        sumToWhole == null
            ? ""
            : String.format(
                Locale.ROOT, "the layers alone add up to %.2f of the whole model", sumToWhole);
    return spreads + (spreads.isEmpty() || adds.isEmpty() ? "" : ", and ") + adds;
  }

  /** True if a pipeline may well run at another speed than these times say. */
  boolean isDoubtful() {
    return (spread != null && spread > SPREAD_MAX)
        || (sumToWhole != null && !(sumToWhole >= SUM_MIN && sumToWhole <= SUM_MAX));
  }
}
