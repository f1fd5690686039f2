package dev.sluice.executor.latency;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.profile.LatencyKey;
import java.util.Comparator;

/** A key without its samples: the times of all samples counts form one curve. */
public record Curve(ModelKey model, int threads, int busyLanes) implements Comparable<Curve> {
  private static final Comparator<Curve> ORDER =
      Comparator.comparing((Curve curve) -> curve.model.workload())
          .thenComparing(curve -> curve.model.backend())
          .thenComparing(curve -> curve.model.precision())
          .thenComparingInt(Curve::threads)
          .thenComparingInt(Curve::busyLanes);

  public static Curve of(LatencyKey key) {
    return new Curve(key.model(), key.threads(), key.busyLanes());
  }

  @Override
  public int compareTo(Curve other) {
    return ORDER.compare(this, other);
  }
}
