package dev.sluice.cli;

import dev.sluice.harness.role.AnalyzeRole;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "analyze",
    description = {
      "Shows the progress of a run, and leaves its folder when the run has ended, as run does.",
      "Then removes the run's topics."
    },
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:a threshold was missed",
      "4:done, and it tells nothing of the policy: not comparable, unstable or undecided",
      "130:stopped by Ctrl-C"
    },
    footer = {
      "  ./sluice analyze configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
public final class AnalyzeCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Mixin private ResultsOption results = new ResultsOption();

  @Option(names = "--keep-topics", description = "Leaves the run's topics on the broker.")
  private boolean keepTopics;

  @Option(names = "--no-log", description = "Leaves no log.jsonl.gz, a recording of the topics.")
  private boolean noLog;

  @Mixin private ScreenOptions screen = new ScreenOptions();

  @Override
  public Integer call() throws Exception {
    var own = new AnalyzeRole.Options(results.folder(), keepTopics, noLog, screen.console());
    return AnalyzeRole.execute(options.settings(), own);
  }
}
