package dev.sluice.analytics.live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lane, start and end of each batch that ran, in little memory and in no order. */
final class BatchSpans {
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<String> laneIds = new ArrayList<>();
  private int[] lanes = new int[1024];
  private long[] startsNs = new long[1024];
  private long[] endsNs = new long[1024];
  private int count;

  void add(String laneId, long startNs, long endNs) {
    if (count == startsNs.length) {
      lanes = Arrays.copyOf(lanes, 2 * count);
      startsNs = Arrays.copyOf(startsNs, 2 * count);
      endsNs = Arrays.copyOf(endsNs, 2 * count);
    }
    Integer lane = indexes.get(laneId);
    if (lane == null) {
      lane = laneIds.size();
      indexes.put(laneId, lane);
      laneIds.add(laneId);
    }
    lanes[count] = lane;
    startsNs[count] = startNs;
    endsNs[count++] = endNs;
  }

  /** Number of batches. */
  int count() {
    return count;
  }

  /** Start of the first batch; {@link Long#MAX_VALUE} without one. */
  long firstNs() {
    return Arrays.stream(startsNs, 0, count).min().orElse(Long.MAX_VALUE);
  }

  /** End of the last batch; 0 without one. */
  long lastNs() {
    return Arrays.stream(endsNs, 0, count).max().orElse(0);
  }

  /** Number of batches that ran in a stretch of time. */
  int overlapping(long fromNs, long toNs) {
    int overlapping = 0;
    for (int i = 0; i < count; i++) {
      overlapping += endsNs[i] > fromNs && startsNs[i] < toNs ? 1 : 0;
    }
    return overlapping;
  }

  /** Busy time of each lane, by its id, in equal spans from time zero on. */
  Map<String, double[]> busyNs(long spanNs, int spans) {
    double[][] busyNs = new double[laneIds.size()][spans];
    for (int i = 0; i < count; i++) {
      long fromNs = Math.max(0, startsNs[i]);
      while (fromNs < endsNs[i] && fromNs / spanNs < spans) {
        long toNs = Math.min(endsNs[i], (fromNs / spanNs + 1) * spanNs);
        busyNs[lanes[i]][(int) (fromNs / spanNs)] += toNs - fromNs;
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
