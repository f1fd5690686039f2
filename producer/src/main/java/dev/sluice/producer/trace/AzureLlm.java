package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * Azure LLM inference 2023 and 2024, and LMM 2025, which adds NumImages: a row a request, with its
 * date and time in {@code TIMESTAMP}.
 */
final class AzureLlm implements TraceFormat {
  private static final String TIME = "TIMESTAMP";

  @Override
  public String title() {
    return "Azure LLM 2023 and 2024, LMM 2025";
  }

  @Override
  public List<String> columns() {
    return List.of(TIME, "ContextTokens");
  }

  @Override
  public List<String> published() {
    return List.of(TIME, "ContextTokens", "GeneratedTokens");
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
