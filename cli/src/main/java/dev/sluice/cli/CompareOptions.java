package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.report.CompareRun;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

public final class CompareOptions {
  @Option(
      names = "--primary",
      paramLabel = "FIGURE",
      description = "The figure that decides, tested at 5 %% (default: all_goodput_jobs_sec).")
  private @Nullable String primary;

  @Option(
      names = "--gate",
      description = "Ends with status 3 if B is worse, and with 4 if nothing can be told.")
  private boolean gate;

  @Option(
      names = "--anyway",
      description =
          "Compares what should not be compared: other requests, emulated or simulated lanes beside"
              + " real ones, another lanes.ahead, device kind or processor, runs that are not"
              + " comparable. Each output says so.")
  private boolean anyway;

  /** Refuses options of comparisons beside which nothing is compared. */
  public void check(List<String> versus, @Nullable Integer repeats) throws UserMistakeException {
    UserMistakeException.throwIf(
        versus.isEmpty() && isGiven(),
        "--versus",
        "--primary, --gate and --anyway are of a comparison, and none is wanted",
        "you want --repeat 8 --versus KEY=VALUE too");
    if (!versus.isEmpty() && repeats == null) {
      throw new UserMistakeException(
          "--versus",
          "one run of each setting has no verdict on percentiles, and none on short runs",
          "you want --repeat 8 too");
    }
  }

  public CompareRun.Judging judging() {
    return new CompareRun.Judging(primary, gate, anyway);
  }

  private boolean isGiven() {
    return primary != null || gate || anyway;
  }
}
