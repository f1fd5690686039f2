package dev.sluice.cli.option;

import dev.sluice.harness.replay.ReplayedFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a run that sends recorded requests: which, when, and as what. */
public final class PlayedOptions {
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

  /** Tells whether any of them is given. */
  public boolean given() {
    return speed != null
        || from != null
        || to != null
        || slo != null
        || !map.isEmpty()
        || !drop.isEmpty();
  }

  public ReplayedFile.Options options(boolean salvage) {
    return new ReplayedFile.Options(speed, from, to, slo, map, drop, salvage);
  }
}
