package dev.sluice.harness.kafka;

import dev.sluice.harness.machine.MachineClock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;

/**
 * Asks a run's broker each second whether it is there, and tells a person when it has gone and when
 * it is back. How long the run waits for it is up to the roles.
 */
public final class BrokerWatch implements AutoCloseable {
  private static final long PERIOD_MS = 1_000;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  private final KafkaAccess kafka;
  private final Consumer<String> said;
  private final Silence silence;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** Begins to ask, and to tell from a thread of the watch. A broker never seen is not missed. */
  public BrokerWatch(KafkaAccess kafka, Consumer<String> said) {
    this.kafka = kafka;
    this.said = said;
    this.silence = new Silence(kafka.bootstrapServers());
    this.thread = new Thread(this::watch, "sluice-broker-watch");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    try (Admin admin = kafka.clients().admin(ANSWER_LIMIT)) {
      do {
        boolean answers = answers(admin);
        if (closing.getCount() > 0) {
          silence.take(answers, MachineClock.monotonicNs(), MachineClock.now()).ifPresent(said);
        }
      } while (!closing.await(PERIOD_MS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed while it waited for an answer
    }
  }

  private static boolean answers(Admin admin) throws InterruptedException {
    try {
      return !admin.describeCluster().nodes().get().isEmpty();
    } catch (ExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() throws InterruptedException {
    closing.countDown();
    thread.interrupt();
    thread.join();
  }

  /** Time since a broker's last answer, and what is told of it. Not safe for threads. */
  static final class Silence {
    /** Silence that is told: more than a slow answer, and known to a person within 10 s. */
    static final long TOLD_NS = 5_000_000_000L;

    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final String broker;
    private boolean answered;
    private long lastNs;
    private Instant last = Instant.EPOCH;
    private boolean told;

    /** A silence of the broker at an address that has not begun. */
    Silence(String broker) {
      this.broker = broker;
    }

    /**
     * Takes what came of a question, and returns a line once for each silence and once for its end.
     */
    Optional<String> take(boolean answers, long nowNs, Instant now) {
      long silentNs = nowNs - lastNs;
      if (answers) {
        boolean back = told;
        answered = true;
        told = false;
        lastNs = nowNs;
        last = now;
        return back
            ? Optional.of(
                String.format(
                    Locale.ROOT,
                    "The broker (%s) answers again, after %.0f s.",
                    broker,
                    silentNs / 1e9))
            : Optional.empty();
      }
      if (!answered || told || silentNs < TOLD_NS) {
        return Optional.empty();
      }
      told = true;
      return Optional.of(
          "warning: the broker ("
              + broker
              + ") has not answered since "
              + TIME.format(last)
              + " UTC. The run waits for it, and fails if it stays away.");
    }
  }
}
