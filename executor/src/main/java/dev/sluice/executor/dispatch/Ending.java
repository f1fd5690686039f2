package dev.sluice.executor.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How an executor's work on the log ends: its owner closes it, or it fails. From any thread. */
final class Ending {
  private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

  private final String executorId;
  private final Consumer<Throwable> onFailure;
  private final AtomicBoolean failed = new AtomicBoolean();
  private volatile boolean begun;

  /**
   * @param onFailure receives the first failure, on the thread where it occurred
   */
  Ending(String executorId, Consumer<Throwable> onFailure) {
    this.executorId = executorId;
    this.onFailure = onFailure;
  }

  /** Begins the end: from now on no dispatch is taken. */
  void begin() {
    begun = true;
  }

  /** Begins the end because of a failure. Only the first failure is passed on. */
  void fail(Throwable failure) {
    begun = true;
    if (failed.compareAndSet(false, true)) {
      LOG.error("{} cannot continue", executorId, failure);
      onFailure.accept(failure);
    }
  }

  boolean hasBegun() {
    return begun;
  }

  boolean hasFailed() {
    return failed.get();
  }
}
