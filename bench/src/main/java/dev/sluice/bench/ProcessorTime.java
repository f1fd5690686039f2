package dev.sluice.bench;

import dev.sluice.harness.machine.MachineClock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Processor time of another process, looked at again and again while it runs. */
final class ProcessorTime {
  private final ProcessHandle process;

  /** Processor time so far, nanoseconds, by the moment of the look, milliseconds since 1970. */
  private final TreeMap<Long, Long> soFarNs = new TreeMap<>();

  ProcessorTime(ProcessHandle process) {
    this.process = process;
  }

  /** Looks at the process once; what has ended says nothing. */
  void look() {
    process
        .info()
        .totalCpuDuration()
        .map(Duration::toNanos)
        .ifPresent(ns -> soFarNs.put(MachineClock.epochMs(), ns));
  }

  /**
   * Processor time of all threads between two moments, straight between the looks around each.
   *
   * @param fromEpochMs milliseconds since 1970
   * @param toEpochMs milliseconds since 1970
   * @return NaN where the process was not looked at before and after both
   */
  double nsBetween(double fromEpochMs, double toEpochMs) {
    return soFarNs(toEpochMs) - soFarNs(fromEpochMs);
  }

  private double soFarNs(double atEpochMs) {
    Map.Entry<Long, Long> before = soFarNs.floorEntry((long) atEpochMs);
    Map.Entry<Long, Long> after = soFarNs.higherEntry((long) atEpochMs);
    if (before == null || after == null) {
      return Double.NaN;
    }
    double share = (atEpochMs - before.getKey()) / (after.getKey() - before.getKey());
    return before.getValue() + share * (after.getValue() - before.getValue());
  }
}
