package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunId;
import dev.sluice.harness.replay.ReplayedFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice replay FILE|RUN CONFIG}: the whole loop, with recorded requests. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Runs an experiment with the requests of a recording or a trace, at their intended times.",
      "It is ./sluice run with the keys below arrivals set, so that it leaves what a run leaves."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:done, but a threshold was missed or undecided, or the generator came too late",
      "130:stopped by Ctrl-C, its jobs ended and its folder written"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice replay results/quickstart configs/quickstart.yaml --set scheduler_name=fifo",
      "  ./sluice replay monday.jsonl.gz configs/quickstart.yaml --speed 2 --from 600 --to 1200 \\",
      "    --map workload:mobile=vit_tiny --drop class:test"
    })
final class ReplayCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE|RUN",
      description = "A recording, the folder of a run, or a trace.")
  private @Nullable Path file;

  @Parameters(index = "1", paramLabel = "CONFIG", description = "The experiment file (YAML).")
  private @Nullable Path config;

  @Option(
      names = "--speed",
      paramLabel = "N",
      description = "Divides the recorded times, never the promises (default: 1).")
  private @Nullable String speed;

  @Option(
      names = "--from",
      paramLabel = "SECONDS",
      description =
          "Beginning of what is measured, in recorded time; what stands before it plays as"
              + " warm-up (default: 0).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "SECONDS",
      description = "End of what is played, in recorded time (default: the end).")
  private @Nullable String to;

  @Option(
      names = "--slo",
      paramLabel = "recorded|config",
      description = "Whose promises the jobs have (default: recorded).")
  private @Nullable String slo;

  @Option(
      names = "--map",
      paramLabel = "ATTRIBUTE:RECORDED=HERE",
      description =
          "Takes a recorded class, workload, backend or precision for one of CONFIG; may be"
              + " repeated.")
  private List<String> map = new ArrayList<>();

  @Option(
      names = "--drop",
      paramLabel = "ATTRIBUTE:RECORDED",
      description = "Leaves out requests of a recorded class or the like; may be repeated.")
  private List<String> drop = new ArrayList<>();

  @Option(names = "--salvage", description = "Takes the whole lines of a recording cut short.")
  private boolean salvage;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a key, dotted where it is nested; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      description = "Name of the folder and the topics (default: the run's name and the time).")
  private @Nullable String runId;

  @Mixin private ResultsOption results = new ResultsOption();

  @Mixin private RunOptions run = new RunOptions();

  @Override
  public Integer call() throws Exception {
    return run.execute(this::what);
  }

  private RunOptions.What what() throws UserMistakeException {
    if (file == null || config == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    if (runId != null) {
      RunId.check(runId);
    }
    var played = new ReplayedFile.Options(speed, from, to, slo, map, drop, salvage);
    List<String> all = new ArrayList<>(ReplayedFile.overrides(file, played));
    all.addAll(overrides);
    return new RunOptions.What(config, all, results.folder(), runId);
  }
}
