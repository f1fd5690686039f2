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
  private static final long NS_PER_SECOND = 1_000_000_000;

  /** Reads a text; null if it is no moment between 1678 and 2261. */
  static @Nullable Timestamp parse(String text) {
    try {
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
