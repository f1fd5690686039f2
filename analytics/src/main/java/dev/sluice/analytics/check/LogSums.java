package dev.sluice.analytics.check;

import java.util.List;
import java.util.Map;

/**
 * What only the log tells of a run.
 *
 * @param lanesByExecutor most lanes that each executor reported
 * @param blocked times in which lanes stood idle beside work that waited
 * @param fitCpuNs processor time that retraining took, by executor and incarnation
 * @param clockOffsetNs largest distance of a clock from the broker's
 * @param neverSent jobs that no generator sent, by the run's end; −1 if it does not say
 */
public record LogSums(
    Map<String, Integer> lanesByExecutor,
    List<Blocked> blocked,
    Map<String, Long> fitCpuNs,
    long clockOffsetNs,
    long neverSent) {
  /** A time in which lanes stood idle beside work that waited. */
  public record Blocked(long fromNs, long toNs, String cause) {}
}
