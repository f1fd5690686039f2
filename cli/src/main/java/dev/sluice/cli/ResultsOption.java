package dev.sluice.cli;

import dev.sluice.harness.frame.RunFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option that names the folder of all runs. */
public final class ResultsOption {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Folder of the run's folder (default: results, beside sluice).")
  private @Nullable Path folder;

  /** The folder of all runs. */
  public Path folder() {
    return RunFolder.results(folder);
  }
}
