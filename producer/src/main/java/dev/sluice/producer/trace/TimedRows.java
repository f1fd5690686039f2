package dev.sluice.producer.trace;

import dev.sluice.contract.file.DateTimes;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A format with a request in each row, whose time stands in one column.
 *
 * @param time column of the time
 * @param unit unit in which times count from the trace's time zero; null: they are dates with a
 *     time
 * @param columns columns by which the format is known, that of the time among them
 * @param others columns with which it is published beside them
 */
record TimedRows(
    String title, String time, @Nullable Unit unit, List<String> columns, List<String> others)
    implements TraceFormat {
  /** Reads a number of one unit as nanoseconds. */
  @FunctionalInterface
  interface Unit {
    /** Returns the present row's number in a column, whose name a mistake tells. */
    long readAsNs(TraceRows rows, int column, String name) throws UserMistakeException;
  }

  @Override
  public List<String> published() {
    return Stream.concat(columns.stream(), others.stream()).toList();
  }

  @Override
  public boolean isDated() {
    return unit == null;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    return unit == null ? ofDates(rows, time) : ofNumbers(rows, time, unit);
  }

  private static RowReader ofDates(TraceRows rows, String column) throws UserMistakeException {
    var times = new DateTimes(rows, column);
    return (kind, jobs) -> {
      if (times.isThere()) {
        jobs.add(times.epochNs(), kind);
      } else {
        jobs.leaveOut("without " + column, 1);
      }
    };
  }

  /** Returns the reader of rows that are a request each, at a number that the unit reads. */
  static RowReader ofNumbers(TraceRows rows, String column, Unit unit) throws UserMistakeException {
    int time = rows.column(column);
    return (kind, jobs) -> {
      if (rows.isEmpty(time)) {
        jobs.leaveOut("without " + column, 1);
      } else {
        jobs.add(unit.readAsNs(rows, time, column), kind);
      }
    };
  }
}
