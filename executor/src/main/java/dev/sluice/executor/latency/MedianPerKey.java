package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import java.util.SortedMap;

/** An estimate by the median of the key's own times. */
public record MedianPerKey(SortedMap<LatencyKey, Double> lnNsByKey) implements Estimator {
  @Override
  public boolean answers(LatencyKey key) {
    return lnNsByKey.containsKey(key);
  }

  @Override
  public double lnNs(LatencyKey key) {
    Double lnNs = lnNsByKey.get(key);
    if (lnNs == null) {
      throw new IllegalArgumentException("no row has " + key);
    }
    return lnNs;
  }
}
