package dev.sluice.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for what a run leaves. */
final class TraceOption {
  @Option(
      names = "--trace",
      paramLabel = "DIR",
      description = "Leaves layers.csv, trace.json (for Perfetto) and timeline.png in this folder.")
  private @Nullable Path folder;

  /** The folder; null: nothing is left. */
  @Nullable Path folder() {
    return folder;
  }
}
