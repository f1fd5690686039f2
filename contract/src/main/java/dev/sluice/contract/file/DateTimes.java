package dev.sluice.contract.file;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Dates with times in one column, all with an offset from UTC or all without: {@code 2023-11-16
 * 18:15:46.6805900}, {@code 2024-05-10T00:00:00.009930+00:00}. Without an offset they are taken as
 * UTC.
 */
public final class DateTimes {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})-(\\d\\d)-(\\d\\d)[ T](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d*))?"
              + "(Z|([+-])(\\d\\d)(?::?(\\d\\d))?)?");
  private static final int NS_DIGITS = 9;
  private static final int YEAR_MIN = 1970;
  private static final int YEAR_MAX = 2261; // nanoseconds since 1970 fit a long until 2262

  private final TraceRows rows;
  private final int column;
  private final String name;
  private @Nullable Boolean zoned;
  private int firstLine;

  public DateTimes(TraceRows rows, String name) throws UserMistakeException {
    this.rows = rows;
    this.column = rows.column(name);
    this.name = name;
  }

  public boolean isThere() {
    return !rows.isEmpty(column);
  }

  /** Returns the present row's moment, in nanoseconds since 1970, rounded down. */
  public long epochNs() throws UserMistakeException {
    Matcher date = FORM.matcher(rows.text(column));
    if (!date.matches()) {
      throw noDate();
    }
    int year = number(date, 1);
    if (year < YEAR_MIN || year > YEAR_MAX) {
      throw noDate();
    }
    long seconds;
    try {
      seconds =
          LocalDateTime.of(
                  year,
                  number(date, 2),
                  number(date, 3),
                  number(date, 4),
                  number(date, 5),
                  number(date, 6))
              .toEpochSecond(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw noDate();
    }
    checkKind(date.group(8) != null);
    long offsetSeconds = 3600L * number(date, 10) + 60L * number(date, 11);
    long utcSeconds = seconds - ("-".equals(date.group(9)) ? -offsetSeconds : offsetSeconds);
    String fraction = date.group(7) == null ? "" : date.group(7);
    String ns = (fraction + "0".repeat(NS_DIGITS)).substring(0, NS_DIGITS);
    return utcSeconds * 1_000_000_000 + Integer.parseInt(ns);
  }

  /** The digits of a group; 0 if the text has none there. */
  private static int number(Matcher date, int group) {
    return date.group(group) == null ? 0 : Integer.parseInt(date.group(group));
  }

  private void checkKind(boolean nowZoned) throws UserMistakeException {
    if (zoned == null) {
      zoned = nowZoned;
      firstLine = rows.line();
    } else if (zoned != nowZoned) {
      throw rows.mistake(
          "%s (%s) has %s offset from UTC, and that of line %d has %s"
              .formatted(
                  name,
                  rows.text(column),
                  nowZoned ? "an" : "no",
                  firstLine,
                  nowZoned ? "none" : "one"),
          "two traces were joined; all times of a file should be of one kind");
    }
  }

  private UserMistakeException noDate() throws UserMistakeException {
    return rows.mistake(
        "%s (%s) is no date with a time".formatted(name, Written.of(rows.text(column))),
        "it should be written as 2023-11-16 18:15:46.6805900");
  }
}
