package dev.sluice.executor.dispatch;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one dispatch other than its first lane: each loads the model and stands by until the
 * first lane has run it. No engine here splits a model over lanes.
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
   * Stands by until the first lane has finished. Called by each of these lanes, on its own thread.
   *
   * @param holding makes the lane hold the model, and returns how long that took
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
   * Waits until all other lanes hold the model. Called by the first lane.
   *
   * @return the longest time that one of them took to do so
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

  /** Waits through interrupts, since an interrupt must not let two of these lanes run at once. */
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

  /** Lets the other lanes go, since the first lane has finished. */
  @Override
  public void close() {
    over.countDown();
  }
}
