package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmedLanes;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An executor's reports on itself: one at each heartbeat, and tables of predictions. Tables follow
 * the first report because a reader learns the device kind from that report.
 */
final class Reports {
  private final ExecutorSettings settings;
  private final String deviceKind;
  private final WarmedLanes warmed;

  /** Processor time of this process that went into fitting latency models. */
  private final AtomicLong fitCpuNs = new AtomicLong();

  /** Tables that wait for the reader thread. */
  private final Queue<PredictionsPublished> tables = new ConcurrentLinkedQueue<>();

  /** Monotonic time of the next heartbeat; null before the first. Used by the reader thread. */
  private @Nullable Long dueNs;

  Reports(ExecutorSettings settings, String deviceKind, WarmedLanes warmed) {
    this.settings = settings;
    this.deviceKind = deviceKind;
    this.warmed = warmed;
  }

  void publish(PredictionsPublished table) {
    tables.add(table);
  }

  void addFitCpuNs(long cpuNs) {
    fitCpuNs.addAndGet(cpuNs);
  }

  /** Appends the heartbeat if it is due, the first at once, then the tables that wait. */
  void appendDue(ExecutorLog log, long nowNs) {
    if (dueNs == null || nowNs >= dueNs) {
      append(false, log);
      dueNs = nowNs + settings.heartbeatMs() * 1_000_000L;
    }
    for (var table = tables.poll(); table != null; table = tables.poll()) {
      log.append(table);
    }
  }

  /** Negative if the next heartbeat is late; call {@link #appendDue} first. */
  long untilDueNs(long nowNs) {
    return dueNs == null ? 0 : dueNs - nowNs;
  }

  void append(boolean leaving, ExecutorLog log) {
    List<ExecutorReported.Lane> lanes =
        warmed.lanes().stream()
            .map(lane -> new ExecutorReported.Lane(lane.index(), lane.holds()))
            .toList();
    log.append(
        new ExecutorReported(
            settings.executorId(),
            settings.incarnation(),
            leaving,
            deviceKind,
            settings.tokens(),
            lanes,
            warmed.capabilities(),
            log.clockOffsetNsMax(),
            warmed.cpuPerLane(),
            fitCpuNs.get()));
  }
}
