package dev.sluice.harness.machine;

import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.executor.lane.Lane;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** This machine's clocks, the only ones that Sluice reads: wall time, monotonic time, waiting. */
public final class MachineClock {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneId.systemDefault());

  private MachineClock() {}

  public static long monotonicNs() {
    return System.nanoTime();
  }

  public static Instant now() {
    return Instant.now();
  }

  public static long epochMs() {
    return System.currentTimeMillis();
  }

  /** Wall time for the end of a folder's name, to the second, in this machine's zone. */
  public static String stamp() {
    return STAMP.format(now());
  }

  /** A clock for this process, its wall time anchored now. */
  public static ProcessClock process() {
    return new ProcessClock(InstantSource.system(), System::nanoTime);
  }

  public static Pacer pacer() {
    return new SystemPacer(System::nanoTime);
  }

  /** A timer on one daemon thread of this name. */
  public static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(task -> Lane.daemon(task, name));
  }

  /**
   * Waits asleep: a wait ends some 0.06 ms late on Linux. To spin for the last stretch would take
   * whole cores from the lanes at thousands of waits a second. A waiting thread becomes a {@link
   * PromptThread}.
   */
  record SystemPacer(LongSupplier monotonicNs) implements Pacer {
    private static final ThreadLocal<Boolean> PROMPT =
        ThreadLocal.withInitial(PromptThread::becomePrompt);

    @Override
    public void awaitNs(long atMonotonicNs) throws InterruptedException {
      boolean unused = PROMPT.get();
      for (long leftNs = atMonotonicNs - monotonicNs.getAsLong();
          leftNs > 0;
          leftNs = atMonotonicNs - monotonicNs.getAsLong()) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        LockSupport.parkNanos(leftNs);
      }
    }
  }
}
