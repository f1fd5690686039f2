package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Mooncake, JSON Lines: a line a request, its {@code timestamp} in <em>milliseconds</em>. Qin et
 * al., "Mooncake", FAST 2025.
 */
final class Mooncake implements TraceFormat {
  private static final String TIME = "timestamp";

  @Override
  public String title() {
    return "Mooncake";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME, "input_length");
  }

  @Override
  public List<String> published() {
    return List.of(TIME, "input_length", "output_length", "hash_ids");
  }

  @Override
  public boolean isDated() {
    return false;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    return RowReader.ofNumbers(rows, TIME, TraceRows::msAsNs);
  }
}
