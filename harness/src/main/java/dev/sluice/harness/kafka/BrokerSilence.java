package dev.sluice.harness.kafka;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Time since a broker's last answer, and what is told of it. Not safe for threads. */
final class BrokerSilence {
  /** Silence that is told: more than a slow answer, and known to a person within 10 s. */
  static final long TOLD_NS = 5_000_000_000L;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final String broker;
  private boolean answered;
  private long lastNs;
  private Instant last = Instant.EPOCH;
  private boolean told;

  /**
   * A silence that has not begun.
   *
   * @param broker the broker's address
   */
  BrokerSilence(String broker) {
    this.broker = broker;
  }

  /**
   * Takes what came of a question.
   *
   * @param answers true if the broker answered
   * @param nowNs monotonic time
   * @param now wall time
   * @return a line for a person, once for each silence and once for its end
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
