package dev.sluice.cli.added;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.file.Range;
import dev.sluice.producer.arrivals.ArrivalEntry;
import dev.sluice.producer.arrivals.ArrivalProcess;
import dev.sluice.producer.arrivals.RandomStream;
import java.util.Map;

/** Jobs in pairs, a short gap and a long one in turn: an arrival process that a test adds. */
public final class TwinArrivals implements ArrivalEntry {
  @Override
  public String name() {
    return "twins";
  }

  @Override
  public ArrivalKeys keys() {
    return ArrivalKeys.of(new ArrivalKeys.Key("closeness", Range.within(0, 1), 0.5));
  }

  @Override
  public ArrivalProcess make(double ratePerSecond, Map<String, Double> settings) {
    return new Gaps(1e9 / ratePerSecond, settings.getOrDefault("closeness", Double.NaN));
  }

  private static final class Gaps implements ArrivalProcess {
    private final double meanNs;
    private final double closeness;
    private boolean isSecond;

    Gaps(double meanNs, double closeness) {
      this.meanNs = meanNs;
      this.closeness = closeness;
    }

    @Override
    public double nextGapNs(RandomStream random) {
      isSecond = !isSecond;
      return meanNs * (isSecond ? 1 + closeness : 1 - closeness);
    }
  }
}
