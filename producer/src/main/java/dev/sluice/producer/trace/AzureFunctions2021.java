package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Azure Functions 2021: a row an invocation, with its end and its duration in seconds. It began at
 * end − duration, so that the rows are not in the order of their beginnings.
 */
final class AzureFunctions2021 implements TraceFormat {
  private static final String END = "end_timestamp";
  private static final String DURATION = "duration";

  @Override
  public String title() {
    return "Azure Functions 2021";
  }

  @Override
  public List<String> columns() {
    return List.of("app", "func", END, DURATION);
  }

  @Override
  public boolean isDated() {
    return false;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    int end = rows.column(END);
    int duration = rows.column(DURATION);
    return (kind, jobs) -> {
      if (rows.isEmpty(end) || rows.isEmpty(duration)) {
        jobs.leaveOut("without " + END + " or " + DURATION, 1);
        return;
      }
      long durationNs = rows.secondsAsNs(duration, DURATION);
      if (durationNs < 0) {
        jobs.leaveOut("with a " + DURATION + " below 0", 1);
      } else {
        jobs.add(Math.subtractExact(rows.secondsAsNs(end, END), durationNs), kind);
      }
    };
  }
}
