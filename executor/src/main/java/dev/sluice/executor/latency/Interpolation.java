package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import java.util.NavigableMap;
import java.util.SortedMap;

/**
 * Interpolation, linear in time, between the medians of the nearest samples counts below and above.
 */
public record Interpolation(SortedMap<Curve, NavigableMap<Integer, Double>> curves)
    implements Estimator {
  @Override
  public boolean answers(LatencyKey key) {
    var curve = curves.get(Curve.of(key));
    return curve != null && curve.firstKey() <= key.samples() && key.samples() <= curve.lastKey();
  }

  @Override
  public double lnNs(LatencyKey key) {
    var curve = curves.get(Curve.of(key));
    var below = curve == null ? null : curve.floorEntry(key.samples());
    var above = curve == null ? null : curve.ceilingEntry(key.samples());
    if (below == null || above == null) {
      throw new IllegalArgumentException("no rows lie around " + key);
    }
    if (below.getKey().equals(above.getKey())) {
      return below.getValue();
    }
    double lowNs = StrictMath.exp(below.getValue());
    double highNs = StrictMath.exp(above.getValue());
    double share = (double) (key.samples() - below.getKey()) / (above.getKey() - below.getKey());
    return StrictMath.log(lowNs + share * (highNs - lowNs));
  }
}
