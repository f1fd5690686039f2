package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Alibaba GenAI 2026 (cluster-trace-v2026-GenAI): a row a request for pictures, with its date and
 * time in whole seconds, so that many are equal.
 */
final class AlibabaGenAi implements TraceFormat {
  private static final String TIME = "gmt_create";

  @Override
  public String title() {
    return "Alibaba GenAI 2026";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME, "num_images_per_prompt");
  }

  @Override
  public boolean isDated() {
    return true;
  }

  @Override
  public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
    return RowReader.ofDates(rows, TIME);
  }
}
