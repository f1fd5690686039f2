package dev.sluice.contract.workflow;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * A moment as ISO 8601 writes it: {@code 2024-01-01T10:00:00.5}, with or without a zone.
 *
 * @param epochNs nanoseconds since 1970; a moment without a zone is taken as UTC
 */
record Timestamp(long epochNs, boolean zoned) {
  private static final int DATE_LENGTH = 10;
  private static final String WHOLE_SECONDS = "0000-00-00T00:00:00";
  private static final long NS_PER_SECOND = 1_000_000_000;

  /** Reads a text; null if it is no moment between 1678 and 2261. */
  static @Nullable Timestamp parse(String text) {
    try {
      if (text.length() == WHOLE_SECONDS.length() && hasDigitsAsIn(WHOLE_SECONDS, text)) {
        return ofWholeSeconds(text);
      }
      if (text.length() <= DATE_LENGTH) {
        return of(LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC), false);
      }
      String iso =
          text.charAt(DATE_LENGTH) == ' '
              ? text.substring(0, DATE_LENGTH) + 'T' + text.substring(DATE_LENGTH + 1)
              : text;
      return isZoned(iso)
          ? of(OffsetDateTime.parse(iso).toInstant(), true)
          : of(LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC), false);
    } catch (DateTimeException | ArithmeticException e) {
      return null;
    }
  }

  /** Tells whether the text has a digit for each 0 of the pattern, and equals it elsewhere. */
  private static boolean hasDigitsAsIn(String pattern, String text) {
    for (int i = 0; i < pattern.length(); i++) {
      char wanted = pattern.charAt(i);
      char there = text.charAt(i);
      if (wanted == '0' ? there < '0' || there > '9' : there != wanted) {
        return false;
      }
    }
    return true;
  }

  /** Parses by hand: the general parser takes most of the time of reading a long file. */
  private static Timestamp ofWholeSeconds(String text) {
    LocalDateTime moment =
        LocalDateTime.of(
            number(text, 0, 4),
            number(text, 5, 7),
            number(text, 8, 10),
            number(text, 11, 13),
            number(text, 14, 16),
            number(text, 17, 19));
    return of(moment.toInstant(ZoneOffset.UTC), false);
  }

  private static int number(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }

  private static boolean isZoned(String iso) {
    return iso.endsWith("Z")
        || iso.indexOf('+', DATE_LENGTH) >= 0
        || iso.indexOf('-', DATE_LENGTH) >= 0;
  }

  private static Timestamp of(Instant moment, boolean zoned) {
    long ns = Math.multiplyExact(moment.getEpochSecond(), NS_PER_SECOND);
    return new Timestamp(Math.addExact(ns, moment.getNano()), zoned);
  }
}
