package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.profile.ProfileRun;
import dev.sluice.harness.terminal.Console;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice profile CONFIG}: measures service times, for {@code train}. */
@Command(
    name = "profile",
    mixinStandardHelpOptions = true,
    description = {
      "Measures how long batches take: each workload, backend, precision and samples that the"
          + " experiment's jobs can ask for, beside 0 to all other lanes at work.",
      "Leaves profiles.csv with a row for each repeat, latency_table.csv for emulated lanes, and"
          + " memory.csv. The same command goes on where it was stopped."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, or the minutes given ran out, which is said",
      "1:a bug, or a measurement failed",
      "2:a mistake in the command or in a file",
      "130:stopped by Ctrl-C, what was measured is kept"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice profile configs/profile.yaml",
      "  ./sluice profile configs/quickstart.yaml --minutes 2 --results results/quick"
    })
final class ProfileCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CONFIG",
      description =
          "An experiment file (YAML); of its keys only workloads, backends, precisions, batch"
              + " sizes, joining and lanes count.")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a key, dotted where it is nested; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "Measures no longer than that, with fewer repeats (default: as long as it takes).")
  private @Nullable Double minutes;

  @Option(
      names = "--passes",
      paramLabel = "N",
      description = "How often all keys are measured again, apart in time (default: 3).")
  private int passes = 3;

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Of each key in each pass (default: 10).")
  private int repeats = 10;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where the files go (default: results, beside sluice).")
  private @Nullable Path results;

  @Override
  public Integer call() throws Exception {
    var console = Console.standardOutput();
    try {
      if (minutes != null && !(minutes > 0 && minutes <= 1e5)) {
        throw new UserMistakeException(
            "--minutes", "the value (" + minutes + ") is not above 0", "you meant 5");
      }
      atLeastOne("--passes", passes);
      atLeastOne("--repeats", repeats);
      if (config == null) {
        throw new IllegalStateException("the command line was not parsed");
      }
      var options =
          new ProfileRun.Options(
              config, overrides, RunFolder.results(results), minutes, passes, repeats);
      return new ProfileRun(options, console).execute();
    } catch (UserMistakeException e) {
      console.endLiveLine();
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }

  private static void atLeastOne(String option, int value) throws UserMistakeException {
    if (value < 1 || value > 100_000) {
      throw new UserMistakeException(
          option, "the value (" + value + ") must be from 1 to 100000", "leave it out");
    }
  }
}
