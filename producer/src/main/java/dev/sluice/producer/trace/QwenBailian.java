package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Qwen-Bailian, JSON Lines: a line a request, its {@code timestamp} in <em>seconds</em>. It is told
 * from Mooncake by {@code chat_id}.
 */
final class QwenBailian implements TraceFormat {
  private static final String TIME = "timestamp";

  @Override
  public String title() {
    return "Qwen-Bailian";
  }

  @Override
  public List<String> columns() {
    return List.of("chat_id", TIME);
  }

  @Override
  public List<String> published() {
    return List.of("chat_id", TIME, "input_length", "output_length", "hash_ids");
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
