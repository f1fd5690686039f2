package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.report.ReportRun;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "report",
    description = {
      "Makes report.html in a finished run's folder, or in those of its repeats, from the folder"
          + " alone.",
      "Each run makes its own; this is for a folder of an older version, or one whose disk was"
          + " full. The same folder gives the same bytes."
    },
    exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command or in a file"},
    footer = "  ./sluice report results/quickstart-20261121-101500")
final class ReportCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FOLDER", description = "The folder of a finished run.")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws UserMistakeException {
    return ReportRun.execute(folder);
  }
}
