package dev.sluice.harness.machine;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Size that ZGC keeps the heap within as long as what lives there fits. Without it a heap grows to
 * a quarter of the machine's memory before much is collected. The goal grows by a quarter after
 * each collection that went on for more than {@link #SHARE_MAX} of the time since the one before,
 * to three times as much at most: on two cores, collecting in a heap that a busy run had outgrown
 * cost a third of the jobs.
 */
public final class HeapGoal {
  private static final Logger LOG = LoggerFactory.getLogger(HeapGoal.class);
  private static final long FIRST_BYTES = 1280L << 20;
  private static final long MOST_BYTES = 3 * FIRST_BYTES;

  /** End of the names of ZGC's beans that tell of whole collections, not of pauses. */
  private static final String CYCLES = "Cycles";

  private static final double SHARE_MAX = 0.33;

  private final HotSpotDiagnosticMXBean machine;
  private long bytes = FIRST_BYTES;
  private long lastEndMs;

  private HeapGoal(HotSpotDiagnosticMXBean machine) {
    this.machine = machine;
  }

  /** Sets the goal of this process, unless its heap may be no larger anyway. */
  public static void set() {
    if (Runtime.getRuntime().maxMemory() <= FIRST_BYTES) {
      return;
    }
    var goal = new HeapGoal(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class));
    try {
      goal.apply();
    } catch (IllegalArgumentException e) { // another kind of JVM
      LOG.info("the heap has no goal: {}", e.toString());
      return;
    }
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector.getName().endsWith(CYCLES)) {
        ((NotificationEmitter) collector)
            .addNotificationListener((event, unused) -> goal.collected(event), null, null);
      }
    }
  }

  private void collected(Notification event) {
    GcInfo cycle =
        GarbageCollectionNotificationInfo.from((CompositeData) event.getUserData()).getGcInfo();
    long sinceMs = cycle.getEndTime() - lastEndMs;
    lastEndMs = cycle.getEndTime();
    long mostBytes = Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory());
    if (cycle.getDuration() > SHARE_MAX * sinceMs && bytes < mostBytes) {
      bytes = Math.min(bytes + bytes / 4, mostBytes);
      apply();
    }
  }

  private void apply() {
    machine.setVMOption("SoftMaxHeapSize", Long.toString(bytes));
  }
}
