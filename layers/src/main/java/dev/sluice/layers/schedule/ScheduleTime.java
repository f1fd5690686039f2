package dev.sluice.layers.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * How long a schedule takes in virtual time: layers are read one at a time in the list's order, a
 * prefetch never waits, a fetch and a compute wait for their layer, a release takes no time. Time
 * runs from the first operation to the last step's end; a read that goes on beyond it is no part of
 * it.
 *
 * @param wallNs time from the first operation to the last step's end
 * @param computeNs sum of all computes
 * @param fetchNs sum of all reads
 * @param stallNs by layer, the time that the loop waited for it
 */
public record ScheduleTime(long wallNs, long computeNs, long fetchNs, List<Long> stallNs) {
  /**
   * Goes through a list that {@link ScheduleCheck} has passed.
   *
   * @param steps at least 1
   */
  public static ScheduleTime of(
      LayerSchedule schedule, Layers layers, LayerTimes times, int steps) {
    var clock = new ListClock(schedule, layers, times);
    clock.run(steps);
    List<Long> stalls = new ArrayList<>();
    for (long ns : clock.stallNs()) {
      stalls.add(ns);
    }
    long readNs = clock.readNs();
    return new ScheduleTime(clock.nowNs(), clock.computeNs(), readNs, List.copyOf(stalls));
  }

  /** Sum of all waiting for reads. */
  public long stalledNs() {
    return stallNs.stream().mapToLong(Long::longValue).sum();
  }

  /** Time of reads that the loop did not wait for. */
  public long hiddenNs() {
    return fetchNs - stalledNs();
  }
}
