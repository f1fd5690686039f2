package dev.sluice.executor.dispatch;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one dispatch beside its first: each makes itself hold the model, and stands by until
 * the first has run it. No engine here splits a model over lanes.
 */
final class Gang implements AutoCloseable {
  private final CountDownLatch unready;
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicLong longestNs = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  Gang(int lanes) {
    this.unready = new CountDownLatch(lanes);
  }

  /**
   * Called by each of its lanes, on that lane's thread; returns once the first lane is through.
   *
   * @param holding makes the lane hold the model, and says how long that took
   */
  void standBy(Callable<Long> holding) {
    try {
      longestNs.accumulateAndGet(holding.call(), Math::max);
    } catch (Exception | Error e) {
      failure.compareAndSet(null, e);
    } finally {
      unready.countDown();
    }
    await(over);
  }

  /**
   * Called by the first lane: waits until all others hold the model.
   *
   * @return the longest time that one of them took for it
   * @throws Exception if one of them cannot hold it
   */
  long awaitHeldNs() throws Exception {
    await(unready);
    Throwable failed = failure.get();
    if (failed instanceof Error error) {
      throw error;
    }
    if (failed instanceof Exception exception) {
      throw exception;
    }
    return longestNs.get();
  }

  /** Waits through interrupts, since two lanes must not run at once because of one. */
  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The first lane is through: the others are free. */
  @Override
  public void close() {
    over.countDown();
  }
}
