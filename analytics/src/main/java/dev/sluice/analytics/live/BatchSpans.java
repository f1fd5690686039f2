package dev.sluice.analytics.live;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Lane, start and end of each batch that ran, in little memory and in no order. */
final class BatchSpans {
  private final Interned<String> laneIds = new Interned<>();
  private final IntColumn lanes = new IntColumn(0);
  private final LongColumn startsNs = new LongColumn(0);
  private final LongColumn endsNs = new LongColumn(0);
  private int count;

  void add(String laneId, long startNs, long endNs) {
    lanes.set(count, laneIds.number(laneId));
    startsNs.set(count, startNs);
    endsNs.set(count++, endNs);
  }

  /** Number of batches. */
  int count() {
    return count;
  }

  /** Start of the first batch; {@link Long#MAX_VALUE} without one. */
  long firstNs() {
    return IntStream.range(0, count).mapToLong(startsNs::get).min().orElse(Long.MAX_VALUE);
  }

  /** End of the last batch; 0 without one. */
  long lastNs() {
    return IntStream.range(0, count).mapToLong(endsNs::get).max().orElse(0);
  }

  /** Number of batches that ran in a stretch of time. */
  int overlapping(long fromNs, long toNs) {
    int overlapping = 0;
    for (int i = 0; i < count; i++) {
      overlapping += endsNs.get(i) > fromNs && startsNs.get(i) < toNs ? 1 : 0;
    }
    return overlapping;
  }

  /** Busy time of each lane, by its id, in equal spans from time zero on. */
  Map<String, double[]> busyNs(long spanNs, int spans) {
    double[][] busyNs = new double[laneIds.values().size()][spans];
    for (int i = 0; i < count; i++) {
      long fromNs = Math.max(0, startsNs.get(i));
      while (fromNs < endsNs.get(i) && fromNs / spanNs < spans) {
        long toNs = Math.min(endsNs.get(i), (fromNs / spanNs + 1) * spanNs);
        busyNs[lanes.get(i)][(int) (fromNs / spanNs)] += toNs - fromNs;
        fromNs = toNs;
      }
    }
    Map<String, double[]> byLane = new HashMap<>();
    for (int lane = 0; lane < busyNs.length; lane++) {
      byLane.put(laneIds.get(lane), busyNs[lane]);
    }
    return byLane;
  }
}
