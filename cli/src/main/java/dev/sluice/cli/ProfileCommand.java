package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.profile.ProfileRun;
import dev.sluice.planning.pipeline.LayerProfileRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "profile",
    description = {
      "Measures how long batches take: each workload, backend, precision and samples that the"
          + " experiment's jobs can ask for, beside 0 to all other lanes at work.",
      "Leaves profiles.csv with a row for each repeat, latency_table.csv for emulated lanes, and"
          + " memory.csv. Given again, the command goes on where it was stopped.",
      "With --layers instead of CONFIG: measures the layers of models, one in memory at a time, and"
          + " adds them to models.yml and device_types.yml, which plan reads."
    },
    exitCodeList = {
      "0:done, or stopped by --minutes, with a line that says so",
      "1:a bug, or a measurement failed",
      "2:a mistake in the command or in a file",
      "130:stopped by Ctrl-C, with all measurements kept"
    },
    footer = {
      "  ./sluice profile configs/profile.yaml",
      "  ./sluice profile configs/quickstart.yaml --minutes 2 --results results/quick",
      "  ./sluice profile --layers vit,resnet18 -b 1,8 --device-type laptop \\",
      "      --bw-mbps 1000 --mem-mb 4096"
    })
final class ProfileCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CONFIG",
      arity = "0..1",
      description =
          "An experiment file (YAML). Of its keys only workloads, backends, precisions, batch"
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
      description = "Limit of the time, which leaves out repeats (default: none).")
  private @Nullable Double minutes;

  @Option(
      names = "--passes",
      paramLabel = "N",
      description = "Number of passes over all keys, apart in time (default: 3).")
  private int passes = 3;

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Repeats of each key in each pass (default: 10).")
  private int repeats = 10;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description =
          "Folder of the files (default: results, beside sluice; of layers: the current folder).")
  private @Nullable Path results;

  @Mixin private LayerOptions layers = new LayerOptions();

  @Override
  public Integer call() throws Exception {
    var console = Console.standardOutput();
    try {
      UserMistakeException.throwIf(
          minutes != null && !(minutes > 0 && minutes <= 1e5),
          "--minutes",
          "the value (" + minutes + ") must be above 0 and at most 100000",
          "--minutes 5 will do");
      atLeastOne("--passes", passes);
      atLeastOne("--repeats", repeats);
      if (layers.asked()) {
        return profileLayers(console);
      }
      if (config == null || layers.given()) {
        throw new UserMistakeException(
            "profile",
            config == null
                ? "an experiment file (CONFIG) or --layers is missing"
                : "an experiment (" + config + ") stands beside options of --layers",
            "./sluice profile --help shows both kinds of profile");
      }
      var options =
          new ProfileRun.Options(
              config, overrides, RunFolder.results(results), minutes, passes, repeats);
      return new ProfileRun(options, console).execute();
    } finally {
      console.endLiveLine();
    }
  }

  private int profileLayers(Console console)
      throws UserMistakeException, IOException, InterruptedException {
    UserMistakeException.throwIf(
        config != null || !overrides.isEmpty() || minutes != null,
        "--layers",
        "layers have no experiment (CONFIG), --set or --minutes",
        "you want to leave them out");
    return new LayerProfileRun(layers.checked(passes, repeats, results), console).execute();
  }

  private static void atLeastOne(String option, int value) throws UserMistakeException {
    UserMistakeException.throwIf(
        value < 1 || value > 100_000,
        option,
        "the value (" + value + ") must be between 1 and 100000",
        "you want to leave it out");
  }
}
