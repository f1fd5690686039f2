package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Vidur's request traces: a row a request, its {@code arrived_at} in seconds. Agrawal et al.,
 * "Vidur", MLSys 2024.
 */
final class Vidur implements TraceFormat {
  private static final String TIME = "arrived_at";

  @Override
  public String title() {
    return "Vidur";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME);
  }

  @Override
  public List<String> published() {
    return List.of(TIME, "num_prefill_tokens", "num_decode_tokens");
  }

  @Override
  public boolean isDated() {
    return false;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    return RowReader.ofNumbers(rows, TIME, TraceRows::secondsAsNs);
  }
}
