package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Origin;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A finished run that is compared with another.
 *
 * @param ahead {@code lanes.ahead} of its experiment
 */
public record ComparedRun(FinishedRun run, int ahead) {
  /** Ends of the names of folders of runs that came to nothing, or have not ended. */
  private static final List<String> UNFINISHED = List.of(".running", ".failed");

  /**
   * Lists the runs of a folder: of one run, or of repeats of one.
   *
   * @throws UserMistakeException if it is no folder of a finished run, or another version of Sluice
   *     made it
   */
  public static List<FinishedRun> runs(Path folder) throws UserMistakeException {
    if (UNFINISHED.stream().anyMatch(end -> name(folder).endsWith(end))) {
      throw new UserMistakeException(
          folder.toString(),
          "this run is not whole, and has no figures to compare",
          "it goes on still, or run.log in it says why it failed");
    }
    FinishedRun whole = FinishedRun.read(folder);
    List<FinishedRun> runs = new ArrayList<>();
    for (Path one : FinishedRun.folders(folder)) {
      FinishedRun run = one.equals(folder) ? whole : FinishedRun.read(one);
      check(run);
      runs.add(run);
    }
    if (runs.isEmpty()) {
      throw new UserMistakeException(
          folder.toString(), "the runs of this series are gone", "you moved them away");
    }
    return runs;
  }

  private static String name(Path folder) {
    Path last = folder.toAbsolutePath().normalize().getFileName();
    return last == null ? "" : last.toString();
  }

  private static void check(FinishedRun run) throws UserMistakeException {
    JsonNode summary = run.summary();
    String file = run.folder().resolve(FolderFiles.SUMMARY).toString();
    if (!summary.has("all_count")) {
      throw new UserMistakeException(
          file, "this holds no figures of jobs", "you meant the folder of a run or a simulation");
    }
    int version = summary.path("schema_version").asInt();
    if (version != Origin.SCHEMA_VERSION) {
      throw new UserMistakeException(
          file,
          "another version of Sluice made this (schema_version "
              + version
              + ", here "
              + Origin.SCHEMA_VERSION
              + "), whose figures may mean something else",
          "the experiment can be run again: its config.yaml lies beside it");
    }
  }

  String name() {
    return run.name();
  }

  JsonNode summary() {
    return run.summary();
  }

  /** What its lanes were: real, emulated or simulated. */
  String kind() {
    if (run.isSimulated()) {
      return "simulated lanes";
    }
    return summary().path("emulated").asBoolean() ? "emulated lanes" : "real lanes";
  }

  /** Kinds of device that it computed on, or pretended to. */
  String devices() {
    List<String> kinds = new ArrayList<>();
    summary().path("device_kinds").forEach(kind -> kinds.add(kind.asText()));
    return kinds.isEmpty() ? "unknown" : String.join(", ", kinds);
  }

  /** Processor that it ran on; of a simulation none, since nothing ran. */
  String processor() {
    return run.isSimulated()
        ? "none"
        : summary().path("processor").asText("unknown")
            + ", "
            + summary().path("processors").asText("?")
            + " processors";
  }
}
