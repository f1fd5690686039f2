package dev.sluice.executor.estimator;

import dev.sluice.executor.profile.LatencyKey;
import java.util.Comparator;

/** A key without its samples: the times of all samples counts form one curve. */
public record Curve(String workload, String backend, String precision, int threads, int busyLanes)
    implements Comparable<Curve> {
  private static final Comparator<Curve> ORDER =
      Comparator.comparing(Curve::workload)
          .thenComparing(Curve::backend)
          .thenComparing(Curve::precision)
          .thenComparingInt(Curve::threads)
          .thenComparingInt(Curve::busyLanes);

  public static Curve of(LatencyKey key) {
    return new Curve(
        key.workload(), key.backend(), key.precision(), key.threads(), key.busyLanes());
  }

  @Override
  public int compareTo(Curve other) {
    return ORDER.compare(this, other);
  }
}
