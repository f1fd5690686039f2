package dev.sluice.scheduler.topology;

import static org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.REPLACE_THREAD;
import static org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.ProcessClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

/** The failures of the topology's thread that the role survives, and for how long. */
final class ThreadFailuresTest {
  private static final StreamsException AWAY =
      new StreamsException("in process", new TimeoutException("no broker"));

  private final AtomicLong nowNs = new AtomicLong();
  private final List<Throwable> ended = new ArrayList<>();
  private final ThreadFailures failures =
      new ThreadFailures(
          new ProcessClock(InstantSource.fixed(Instant.EPOCH), nowNs::get),
          Duration.ZERO,
          ended::add);

  @Test
  void givesAnotherThread_whenTheBrokerIsAwayOrFencedUs() {
    assertThat(failures.handle(AWAY)).isEqualTo(REPLACE_THREAD);
    assertThat(failures.handle(new ProducerFencedException("by another")))
        .isEqualTo(REPLACE_THREAD);
    assertThat(ended).isEmpty();
  }

  @Test
  void endsTheRoleAtOnce_whenTheBrokerRefuses() {
    assertThat(failures.handle(new StreamsException(new RecordTooLargeException())))
        .isEqualTo(SHUTDOWN_CLIENT);
    assertThat(failures.handle(new TopicAuthorizationException("facts")))
        .isEqualTo(SHUTDOWN_CLIENT);
    assertThat(ended).hasSize(2);
  }

  @Test
  void endsTheRoleAtOnce_whenItIsABug() {
    var bug = new StreamsException("in process", new IllegalStateException("bug"));
    assertThat(failures.handle(bug)).isEqualTo(SHUTDOWN_CLIENT);
    assertThat(ended).containsExactly(bug);
  }

  @Test
  void endsTheRole_whenItWentOnForAMinute() {
    for (int s = 0; s <= 60; s += 20) {
      nowNs.set(s * 1_000_000_000L);
      assertThat(failures.handle(AWAY)).isEqualTo(REPLACE_THREAD);
    }
    nowNs.set(61_000_000_000L);
    assertThat(failures.handle(AWAY)).isEqualTo(SHUTDOWN_CLIENT);
    assertThat(ended).containsExactly(AWAY);
  }

  @Test
  void countsAnew_whenThereWasNoneForAMinute() {
    failures.handle(AWAY);
    nowNs.set(61_000_000_000L);
    assertThat(failures.handle(AWAY)).isEqualTo(REPLACE_THREAD);
    nowNs.set(100_000_000_000L);
    assertThat(failures.handle(AWAY)).isEqualTo(REPLACE_THREAD);
    assertThat(ended).isEmpty();
  }
}
