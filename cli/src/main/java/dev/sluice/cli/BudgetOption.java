package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the bytes that layers may take. */
final class BudgetOption {
  @Option(
      names = "--budget",
      paramLabel = "SIZE",
      description =
          "Bytes that layers may take in memory, such as 64MB (default: the whole model's).")
  private @Nullable String budget;

  /** The bytes; null: as many as the model has. */
  @Nullable Long bytes() throws UserMistakeException {
    return budget == null ? null : Long.valueOf(Amounts.bytes("--budget", budget));
  }
}
