package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of a command that runs a whole experiment. */
public final class ExperimentOptions {
  @Parameters(
      paramLabel = "CONFIG",
      arity = "1..*",
      description = "The experiment file (YAML); of run, one or several.")
  private List<Path> configs = List.of();

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

  /**
   * The one experiment.
   *
   * @throws UserMistakeException if several are named
   */
  public Path config() throws UserMistakeException {
    if (configs.size() > 1) {
      throw new UserMistakeException(
          configs.get(1).toString(),
          "one experiment is asked for, and this is the second",
          "you want the command once for each");
    }
    return configs.get(0);
  }

  public List<Path> configs() {
    return List.copyOf(configs);
  }

  public List<String> overrides() {
    return overrides;
  }

  /**
   * The run's id; null: the run makes one.
   *
   * @throws UserMistakeException if it cannot name topics and a folder
   */
  public @Nullable String runId() throws UserMistakeException {
    if (runId != null) {
      RunFolder.checkId(runId);
    }
    return runId;
  }

  public Path results() {
    return results.folder();
  }
}
