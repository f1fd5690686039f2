package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.report.CompareRun;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "compare",
    description = {
      "Compares two finished runs, or two series of runs, figure by figure: the difference, its"
          + " 95 %% interval, and whether B is better, worse or within noise.",
      "Runs with equal requests are pairs. Eight pairs or more give a verdict on each figure; one"
          + " pair gives one on means and rates, if it is long enough."
    },
    exitCodeList = {
      "0:done; with --gate: B is not worse",
      "1:a bug",
      "2:a mistake in the command or in a file, or the two should not be compared",
      "3:--gate: B is worse in some figure",
      "4:--gate: nothing can be told of the primary figure"
    },
    footer = {
      "  ./sluice compare results/a results/b --bound",
      "  ./sluice compare results/a results/b --gate --primary all_p99_e2e_ms"
    })
final class CompareCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "A", description = "Folder of a run or of repeats of one.")
  private Path a = Path.of("");

  @Parameters(index = "1", paramLabel = "B", description = "Folder that is judged beside A.")
  private Path b = Path.of("");

  @Mixin private CompareOptions options = new CompareOptions();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The page that overlays both (default: compare-A-B.html, beside B).")
  private @Nullable Path out;

  @Option(
      names = "--bound",
      description =
          "Adds a column: the goodput and the violations that no scheduler is better than.")
  private boolean bound;

  @Option(
      names = "--json",
      description = "Prints the comparison as JSON, and all else on standard error.")
  private boolean json;

  @Override
  public Integer call() throws UserMistakeException {
    return CompareRun.execute(a, b, options.judging(), out, bound, Console.ofJson(json));
  }
}
