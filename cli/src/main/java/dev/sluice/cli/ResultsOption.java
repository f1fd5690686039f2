package dev.sluice.cli;

import dev.sluice.harness.frame.RunFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

public final class ResultsOption {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Folder of the run's folder (default: results, beside sluice).")
  private @Nullable Path folder;

  public Path folder() {
    return RunFolder.results(folder);
  }
}
