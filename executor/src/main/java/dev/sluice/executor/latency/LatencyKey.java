package dev.sluice.executor.latency;

import dev.sluice.contract.value.ModelKey;
import java.util.Comparator;

/**
 * The key of a service time: everything that it depends on, on one kind of device.
 *
 * @param threads threads of the lane; at least 1
 * @param samples samples of the batch; at least 1
 * @param busyLanes number of lanes at work at the same time, the batch's own included; at least 1
 */
public record LatencyKey(ModelKey model, int threads, int samples, int busyLanes)
    implements Comparable<LatencyKey> {
  private static final Comparator<LatencyKey> ORDER =
      Comparator.comparing(LatencyKey::workload)
          .thenComparing(LatencyKey::backend)
          .thenComparing(LatencyKey::precision)
          .thenComparingInt(LatencyKey::threads)
          .thenComparingInt(LatencyKey::busyLanes)
          .thenComparingInt(LatencyKey::samples);

  public LatencyKey {
    if (threads < 1 || samples < 1 || busyLanes < 1) {
      throw new IllegalArgumentException(
          "threads (%d), samples (%d) and busyLanes (%d) must be at least 1"
              .formatted(threads, samples, busyLanes));
    }
  }

  public LatencyKey withBusyLanes(int lanes) {
    return new LatencyKey(model, threads, samples, lanes);
  }

  public String workload() {
    return model.workload();
  }

  public String backend() {
    return model.backend();
  }

  public String precision() {
    return model.precision();
  }

  @Override
  public int compareTo(LatencyKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "%s, %d sample%s, %d busy lane%s of %d thread%s"
        .formatted(
            model,
            samples,
            samples == 1 ? "" : "s",
            busyLanes,
            busyLanes == 1 ? "" : "s",
            threads,
            threads == 1 ? "" : "s");
  }
}
