package dev.sluice.cli;

import dev.sluice.harness.frame.RunFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command leaves its folders. */
final class ResultsOption {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where the run's folder goes (default: results, beside sluice).")
  private @Nullable Path folder;

  /** The folder of all runs. */
  Path folder() {
    return RunFolder.results(folder);
  }
}
