package dev.sluice.harness.simulate;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Hands pieces to a taker in a thread of its own, in their order, while the giver goes on. A piece
 * that was handed over belongs to the taker.
 */
final class HandOver<T> implements AutoCloseable {
  /** Number of pieces that may wait: the giver is at most this far ahead. */
  private static final int AHEAD = 8;

  /** How long a hand-over waits before it looks whether the taker has failed. */
  private static final long LOOK_MS = 100;

  private static final Object END = new Object();

  private final BlockingQueue<Object> handedOver = new ArrayBlockingQueue<>(AHEAD);
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Thread thread;

  HandOver(Consumer<T> taker) {
    thread = new Thread(() -> takeAll(taker), "simulation-rows");
    thread.setDaemon(true);
    thread.start();
  }

  @SuppressWarnings("unchecked") // nothing but pieces and the end is handed over
  private void takeAll(Consumer<T> taker) {
    try {
      for (Object piece = handedOver.take(); piece != END; piece = handedOver.take()) {
        taker.accept((T) piece);
      }
      end.complete(null);
    } catch (InterruptedException | RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  /** Hands a piece over, and throws what the taker threw. */
  void give(T piece) {
    offer(piece);
  }

  private void offer(Object piece) {
    try {
      while (!handedOver.offer(piece, LOOK_MS, TimeUnit.MILLISECONDS)) {
        if (end.isDone() || !thread.isAlive()) {
          throwFailure();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  /** Waits until the taker has taken all, and throws what the taker threw. */
  void await() {
    offer(END);
    throwFailure();
  }

  private void throwFailure() {
    try {
      while (!end.isDone()) {
        thread.join(LOOK_MS);
        if (!thread.isAlive() && !end.isDone()) { // memory may lack even to say why
          throw new IllegalStateException("the thread that makes rows has died");
        }
      }
      end.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends the thread, wherever it is. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
