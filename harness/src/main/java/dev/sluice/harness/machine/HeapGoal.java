package dev.sluice.harness.machine;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Size that a collector keeps the heap within as long as what lives there fits. Without it a heap
 * grows to a quarter of the machine's memory before much is collected: a run of 20,000 jobs a
 * second took 6 GB, of which less than one was in use. Where more lives there, or is made while a
 * collection is under way, the heap grows beyond its goal. Collectors that know no such goal (all
 * but ZGC and Shenandoah) go on as they are.
 */
public final class HeapGoal {
  private static final Logger LOG = LoggerFactory.getLogger(HeapGoal.class);

  private static final long GOAL_BYTES = 1280L << 20;

  private HeapGoal() {}

  /** Sets the goal for this process, unless its heap may be no larger anyway. */
  public static void set() {
    if (Runtime.getRuntime().maxMemory() <= GOAL_BYTES) {
      return;
    }
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .setVMOption("SoftMaxHeapSize", Long.toString(GOAL_BYTES));
    } catch (IllegalArgumentException e) { // another kind of JVM
      LOG.info("the heap has no goal: {}", e.toString());
    }
  }
}
