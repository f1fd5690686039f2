package dev.sluice.contract.file;

import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * Dates with times in one column, all with an offset from UTC or all without: {@code 2023-11-16
 * 18:15:46.6805900}, {@code 2024-05-10T00:00:00.009930+00:00}. Without an offset they are taken as
 * UTC.
 */
public final class DateTimes {
  private static final int SECONDS_END = 19;
  private static final int NS_DIGITS = 9;
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final int NO_DAY = -1;
  private static final int YEAR_MIN = 1970;
  private static final int YEAR_MAX = 2261; // nanoseconds since 1970 fit a long until 2262

  private final TraceRows rows;
  private final int column;
  private final String name;
  private int day = NO_DAY;
  private long epochDay;
  private boolean first = true;
  private boolean zoned;
  private int firstLine;

  /**
   * @param name name of the column
   */
  public DateTimes(TraceRows rows, String name) throws UserMistakeException {
    this.rows = rows;
    this.column = rows.column(name);
    this.name = name;
  }

  /** Tells whether the present row has a date. */
  public boolean isThere() {
    return !rows.isEmpty(column);
  }

  /** Returns the present row's moment, in nanoseconds since 1970. */
  public long epochNs() throws UserMistakeException {
    byte[] b = rows.bytes;
    int at = rows.starts[column];
    int end = rows.ends[column];
    if (end - at < SECONDS_END
        || b[at + 4] != '-'
        || b[at + 7] != '-'
        || (b[at + 10] != ' ' && b[at + 10] != 'T')
        || b[at + 13] != ':'
        || b[at + 16] != ':') {
      throw noDate();
    }
    int date = 10_000 * number(at, 4) + 100 * number(at + 5, 2) + number(at + 8, 2);
    int hour = number(at + 11, 2);
    int minute = number(at + 14, 2);
    int second = number(at + 17, 2);
    if (date / 10_000 < YEAR_MIN || date / 10_000 > YEAR_MAX) {
      throw noDate();
    }
    if (hour > 23 || minute > 59 || second > 59) {
      throw noDate();
    }
    if (date != day) {
      try {
        epochDay = LocalDate.of(date / 10_000, date / 100 % 100, date % 100).toEpochDay();
      } catch (DateTimeException e) {
        throw noDate();
      }
      day = date;
    }
    long seconds = 86_400 * epochDay + 3600L * hour + 60L * minute + second;
    at += SECONDS_END;
    long ns = 0;
    if (at < end && b[at] == '.') {
      int digits = 0;
      for (at++; at < end && b[at] >= '0' && b[at] <= '9'; at++) {
        if (digits < NS_DIGITS) {
          ns = 10 * ns + b[at] - '0';
          digits++;
        }
      }
      for (; digits < NS_DIGITS; digits++) {
        ns *= 10;
      }
    }
    checkKind(at < end);
    return (seconds - offsetSeconds(at, end)) * NS_PER_SECOND + ns;
  }

  private int offsetSeconds(int at, int end) throws UserMistakeException {
    byte[] b = rows.bytes;
    int length = end - at;
    if (length == 0 || (length == 1 && b[at] == 'Z')) {
      return 0;
    }
    boolean colon = length == 6 && b[at + 3] == ':';
    if ((b[at] != '+' && b[at] != '-') || !(colon || length == 5 || length == 3)) {
      throw noDate();
    }
    int minutes = 60 * number(at + 1, 2) + (length == 3 ? 0 : number(at + (colon ? 4 : 3), 2));
    return (b[at] == '-' ? -60 : 60) * minutes;
  }

  private void checkKind(boolean nowZoned) throws UserMistakeException {
    if (first) {
      first = false;
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

  private int number(int at, int digits) throws UserMistakeException {
    int number = 0;
    for (int i = at; i < at + digits; i++) {
      int digit = rows.bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        throw noDate();
      }
      number = 10 * number + digit;
    }
    return number;
  }

  private UserMistakeException noDate() throws UserMistakeException {
    return rows.mistake(
        "%s (%s) is no date with a time".formatted(name, TraceRows.shortened(rows.text(column))),
        "it should be written as 2023-11-16 18:15:46.6805900");
  }
}
