package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.ProcessClock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a role that decides but cannot commit: Kafka Streams would retry for ever, silently, and no
 * outcome would become visible.
 */
final class CommitWatch implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  private final ProcessClock clock;
  private final BooleanSupplier ownsShards;
  private final Consumer<Throwable> onFailure;
  private final ScheduledExecutorService looking = daemon("sluice-commit-watch");

  /** Monotonic time since which an applied fact is not committed; null: all facts are committed. */
  private @Nullable Long sinceNs;

  CommitWatch(ProcessClock clock, BooleanSupplier ownsShards, Consumer<Throwable> onFailure) {
    this.clock = clock;
    this.ownsShards = ownsShards;
    this.onFailure = onFailure;
  }

  static ScheduledExecutorService daemon(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          var thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  void start() {
    var unused =
        looking.scheduleWithFixedDelay(
            this::look, LOOK_EVERY.toMillis(), LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  synchronized void applied() {
    if (sinceNs == null) {
      sinceNs = clock.monotonicNs();
    }
  }

  synchronized void committed() {
    sinceNs = null;
  }

  void look() {
    if (!ownsShards.getAsBoolean()) {
      committed(); // another process decides for the shards now
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
