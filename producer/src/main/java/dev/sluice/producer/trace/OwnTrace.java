package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * A trace of the user's own, CSV or JSON Lines: {@code time_s} in seconds from the trace's time
 * zero, rising; optionally class, workload, backend, precision, samples, slo_ms.
 */
final class OwnTrace implements TraceFormat {
  private static final String TIME = "time_s";

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
    return "time_s; optionally " + String.join(",", TraceKinds.ATTRIBUTES);
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
    return RowReader.ofNumbers(rows, TIME, TraceRows::secondsAsNs);
  }
}
