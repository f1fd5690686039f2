package dev.sluice.scheduler.topology;

import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a role that decides but can commit nothing: Kafka Streams would try for ever, silently, and
 * nobody would see an outcome.
 */
final class CommitWatch implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  private final ProcessClock clock;
  private final BooleanSupplier ownsShards;
  private final Consumer<Throwable> onFailure;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            var thread = new Thread(task, "sluice-commit-watch");
            thread.setDaemon(true);
            return thread;
          });

  /** Since when a fact is applied and not committed, monotonic; null: there is none. */
  private @Nullable Long sinceNs;

  /**
   * Prepares it; {@link #start} begins.
   *
   * @param ownsShards whether this process decides for shards, or is about to
   * @param onFailure told when nothing could be committed for too long
   */
  CommitWatch(ProcessClock clock, BooleanSupplier ownsShards, Consumer<Throwable> onFailure) {
    this.clock = clock;
    this.ownsShards = ownsShards;
    this.onFailure = onFailure;
  }

  void start() {
    var unused =
        looking.scheduleWithFixedDelay(
            this::look, LOOK_EVERY.toMillis(), LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A fact was applied. */
  synchronized void applied() {
    if (sinceNs == null) {
      sinceNs = clock.monotonicNs();
    }
  }

  /** All that was applied is committed. */
  synchronized void committed() {
    sinceNs = null;
  }

  void look() {
    if (!ownsShards.getAsBoolean()) {
      committed(); // it is another's matter now
    } else if (isStuck()) {
      onFailure.accept(
          new IllegalStateException(
              "nothing could be committed for " + ThreadFailures.LIMIT.toSeconds() + " s"));
      committed();
    }
  }

  private synchronized boolean isStuck() {
    return sinceNs != null && clock.monotonicNs() - sinceNs > ThreadFailures.LIMIT.toNanos();
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
