package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * BurstGPT, with or without the columns Session ID and Elapsed time: a row a request, its time in
 * seconds from the beginning of the first day. A request without response tokens failed, and is
 * left out.
 */
final class BurstGpt implements TraceFormat {
  private static final String TIME = "Timestamp";
  private static final String RESPONSE = "Response tokens";

  @Override
  public String title() {
    return "BurstGPT";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME, RESPONSE);
  }

  @Override
  public List<String> published() {
    return List.of(TIME, "Model", "Request tokens", RESPONSE, "Total tokens", "Log Type");
  }

  @Override
  public boolean isDated() {
    return false;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    int time = rows.column(TIME);
    int response = rows.column(RESPONSE);
    return (kind, jobs) -> {
      if (rows.isEmpty(time)) {
        jobs.leaveOut("without " + TIME, 1);
      } else if (rows.isEmpty(response) || rows.whole(response, RESPONSE) == 0) {
        jobs.leaveOut("failed, without response tokens", 1);
      } else {
        jobs.add(rows.secondsAsNs(time, TIME), kind);
      }
    };
  }
}
