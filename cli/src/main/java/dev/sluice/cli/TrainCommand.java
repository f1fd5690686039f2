package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.profile.TrainRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "train",
    description = {
      "Fits the latency model to the rows of a profile, and says how far to trust the model on"
          + " unseen passes and samples.",
      "Leaves a folder with model.sluice, report.html and its pictures. Equal rows and seeds give"
          + " equal models, byte for byte."
    },
    exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command or in the profile"},
    footer = "  ./sluice train results/profiles.csv")
final class TrainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "PROFILES", description = "The profile (CSV).")
  private @Nullable Path profiles;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder of the model (default: models/latency, beside sluice).")
  private @Nullable Path out;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the trees (default: ${DEFAULT-VALUE}).")
  private long seed = 42;

  @Option(
      names = "--device-kind",
      paramLabel = "KIND",
      description =
          "Kind of the lanes whose rows count; needed where the profile has several kinds.")
  private @Nullable String deviceKind;

  @Option(
      names = "--json",
      description =
          "Prints the figures as JSON on standard output, and all else on standard error.")
  private boolean json;

  @Override
  public Integer call() throws UserMistakeException, IOException {
    if (profiles == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    var options = new TrainRun.Options(profiles, out, seed, deviceKind);
    return new TrainRun(options, Console.ofJson(json)).execute();
  }
}
