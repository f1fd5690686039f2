package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.ProcessClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.ApplicationRecoverableException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reaction to a failure that ends the topology's thread. If Kafka has a trouble that may pass,
 * another thread follows, unless such failures have gone on for {@link #LIMIT} without a pause as
 * long. A bug in this code, or a broker that refuses a request, ends the role at once.
 */
final class ThreadFailures implements StreamsUncaughtExceptionHandler {
  /** Longest time for which a broker may be away. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(ThreadFailures.class);

  private final ProcessClock clock;
  private final Duration pause;
  private final Consumer<Throwable> onFailure;

  private @Nullable Long firstNs;
  private long lastNs;
  private boolean closed;

  ThreadFailures(ProcessClock clock, Duration pause, Consumer<Throwable> onFailure) {
    this.clock = clock;
    this.pause = pause;
    this.onFailure = onFailure;
  }

  @Override
  public synchronized StreamThreadExceptionResponse handle(Throwable error) {
    if (closed) {
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    if (mayPass(error) && isWithinLimit()) {
      LOG.warn("the scheduler's thread ended, another follows", error);
      try {
        TimeUnit.MILLISECONDS.timedWait(this, pause.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return StreamThreadExceptionResponse.REPLACE_THREAD;
    }
    onFailure.accept(error);
    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
  }

  private boolean isWithinLimit() {
    long nowNs = clock.monotonicNs();
    if (firstNs == null || nowNs - lastNs > LIMIT.toNanos()) {
      firstNs = nowNs;
    }
    lastNs = nowNs;
    return nowNs - firstNs <= LIMIT.toNanos();
  }

  /** Judges by the innermost cause: Kafka Streams wraps exceptions of processors and clients. */
  private static boolean mayPass(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof ApiException
        ? root instanceof RetriableException
            || root instanceof ApplicationRecoverableException
            || root instanceof OutOfOrderSequenceException
            || root instanceof TransactionAbortedException
            || root instanceof TransactionAbortableException
            || root instanceof InvalidTxnStateException
            || root instanceof UnknownServerException
        : root instanceof KafkaException;
  }

  /** Ends the handling: no further thread follows. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
