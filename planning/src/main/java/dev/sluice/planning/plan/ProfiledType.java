package dev.sluice.planning.plan;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A type of devices that was measured with the asked model, dtype and batch size.
 *
 * @param bandwidthMbps bandwidth of each host, at least 0, in 1024² bits a second
 * @param memoryMb memory of each host, at least 0, in 1024² bytes
 * @param layerSeconds measured time of each layer, at least 0
 * @param hosts hosts of the type, in the order of devices.yml, none twice; may be empty
 * @param certainty how sure the times are
 */
public record ProfiledType(
    String name,
    double bandwidthMbps,
    double memoryMb,
    List<Double> layerSeconds,
    List<String> hosts,
    Certainty certainty) {
  public ProfiledType {
    layerSeconds = List.copyOf(layerSeconds);
    hosts = List.copyOf(hosts);
  }

  /**
   * How sure the measured times of a model's layers are.
   *
   * @param spread sum of the layers' interquartile ranges / sum of their medians; null: not known
   * @param wholeSeconds measured time of the whole model at once; null: not known
   */
  public record Certainty(@Nullable Double spread, @Nullable Double wholeSeconds) {
    private static final double SPREAD_MAX = 0.2;
    private static final double SUM_MIN = 0.85;
    private static final double SUM_MAX = 1.25;

    /** What is known in words; empty: nothing. */
    public String words(List<Double> layerSeconds) {
      String spreads =
          spread == null
              ? ""
              : String.format(Locale.ROOT, "the times spread by %.1f %%", 100 * spread);
      Double sum = sumToWhole(layerSeconds);
      String adds =
          sum == null
              ? ""
              : String.format(
                  Locale.ROOT, "the layers alone add up to %.2f of the whole model", sum);
      return spreads + (spreads.isEmpty() || adds.isEmpty() ? "" : ", and ") + adds;
    }

    /** True if a pipeline may well run at another speed than these times say. */
    public boolean isDoubtful(List<Double> layerSeconds) {
      Double sum = sumToWhole(layerSeconds);
      return (spread != null && spread > SPREAD_MAX)
          || (sum != null && !(sum >= SUM_MIN && sum <= SUM_MAX));
    }

    private @Nullable Double sumToWhole(List<Double> layerSeconds) {
      return wholeSeconds == null || wholeSeconds == 0
          ? null
          : layerSeconds.stream().mapToDouble(seconds -> seconds).sum() / wholeSeconds;
    }
  }
}
