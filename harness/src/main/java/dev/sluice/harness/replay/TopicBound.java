package dev.sluice.harness.replay;

import dev.sluice.contract.file.UserMistakeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bound of what is read from topics, as {@code --from} and {@code --to} name it.
 *
 * @param kind what the value is
 * @param value milliseconds since 1970, milliseconds into the topic, or an offset
 * @param text the bound as it was typed
 */
record TopicBound(Kind kind, long value, String text) {
  private static final Pattern PART = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
  private static final Pattern TIME = Pattern.compile("(?:" + PART.pattern() + ")+");
  private static final Pattern OFFSET = Pattern.compile("offset:(\\d{1,18})");

  /** What a bound counts in. */
  enum Kind {
    INSTANT,
    TIME_INTO_TOPIC,
    OFFSET
  }

  /**
   * Reads a bound.
   *
   * @param option option that holds it, for messages
   */
  static TopicBound parse(String option, String text) throws UserMistakeException {
    Matcher offset = OFFSET.matcher(text);
    if (offset.matches()) {
      return new TopicBound(Kind.OFFSET, Long.parseLong(offset.group(1)), text);
    }
    if (TIME.matcher(text).matches()) {
      return new TopicBound(Kind.TIME_INTO_TOPIC, millis(text), text);
    }
    try {
      return new TopicBound(
          Kind.INSTANT, OffsetDateTime.parse(text).toInstant().toEpochMilli(), text);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new UserMistakeException(
          option,
          "the value (" + text + ") is no instant, no time into the topic, and no offset",
          isLocal(text)
              ? "it lacks its zone: " + text + "Z is in UTC, " + text + "+01:00 an hour before"
              : "you meant one like 2026-11-20T09:00Z, 10m, 1h30m or offset:1200");
    }
  }

  private static boolean isLocal(String text) {
    try {
      return LocalDateTime.parse(text).atOffset(ZoneOffset.UTC).getYear() > 0;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static long millis(String text) {
    double millis = 0;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      Duration unit =
          switch (part.group(2)) {
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            default -> Duration.ofDays(1);
          };
      millis += Double.parseDouble(part.group(1)) * unit.toMillis();
    }
    return Math.round(millis);
  }
}
