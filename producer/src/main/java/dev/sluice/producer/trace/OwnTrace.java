package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.trace.TraceFormats.TraceFormat;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * A trace of the user's own, CSV or JSON Lines: {@code time_s} in seconds from the trace's time
 * zero, rising; optionally class, workload, backend, precision, samples, slo_ms.
 */
final class OwnTrace implements TraceFormat {
  private static final String TIME = "time_s";

  /** Seconds since 1970 of a day in 2001, and of one in 2286: times between them are dates. */
  private static final BigDecimal DATES_FROM = BigDecimal.valueOf(1_000_000_000L);

  private static final BigDecimal DATES_TO = BigDecimal.valueOf(10_000_000_000L);

  @Override
  public String title() {
    return "a trace of your own";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME);
  }

  @Override
  public String shown() {
    return "time_s; optionally " + String.join(",", Replay.ATTRIBUTES);
  }

  @Override
  public boolean isDated() {
    return false;
  }

  @Override
  public boolean isRising() {
    return true;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    RowReader reader = TraceFormats.ofNumbers(rows, TIME, TraceRows::secondsAsNs);
    int time = rows.column(TIME);
    return (kind, jobs) -> {
      if (jobs.read() == 0) {
        refuseFineDates(rows, time);
      }
      reader.read(kind, jobs);
    };
  }

  /** Refuses a first time that is one of today only as milliseconds or less since 1970. */
  private static void refuseFineDates(TraceRows rows, int time) throws UserMistakeException {
    BigDecimal number = Numbers.decimal(rows.text(time));
    for (Map.Entry<String, Integer> unit :
        Map.of("milliseconds", 3, "microseconds", 6, "nanoseconds", 9).entrySet()) {
      if (number != null && isDate(number.movePointLeft(unit.getValue()))) {
        throw rows.mistake(
            "time_s (%s) is out of range: as it stands it counts %s since 1970"
                .formatted(rows.text(time), unit.getKey()),
            "seconds since the first request are meant. " + shifted(rows, unit.getValue()));
      }
    }
  }

  private static boolean isDate(BigDecimal seconds) {
    return seconds.compareTo(DATES_FROM) >= 0 && seconds.compareTo(DATES_TO) < 0;
  }

  /**
   * Refuses a trace of which a run would play nothing, because its times count from 1970.
   *
   * @param rows rows of the trace, all of which have been read
   * @param firstNs time of the first
   */
  static void refuseDates(TraceRows rows, long firstNs) throws UserMistakeException {
    BigDecimal seconds = BigDecimal.valueOf(firstNs, 9);
    if (isDate(seconds)) {
      throw new UserMistakeException(
          rows.header(),
          "time_s begins at (%s), which counts seconds since 1970, and no request is left to play"
              .formatted(seconds.stripTrailingZeros().toPlainString()),
          "seconds since the first request are meant. " + shifted(rows, 0));
    }
  }

  /** How a CSV file gets times since its first row. */
  private static String shifted(TraceRows rows, int decimals) {
    if (rows.isSparse()) {
      return "Each time should have the first one taken away"
          + (decimals == 0 ? "" : ", and be divided by 10^" + decimals);
    }
    int field = rows.columns().indexOf(TIME) + 1;
    return ("This writes them: awk -F, -v OFS=, 'NR==2{z=$%d}"
            + " NR>1{$%d=sprintf(\"%%.6f\",($%d-z)%s)} 1' %s > shifted.csv")
        .formatted(
            field, field, field, decimals == 0 ? "" : "/1e" + decimals, rows.header().source());
  }
}
