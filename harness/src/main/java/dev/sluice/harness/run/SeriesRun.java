package dev.sluice.harness.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Summary;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A run of a series, which is made again where the machine spoiled it.
 *
 * @param status exit status of the last attempt
 * @param spoiled why the last attempt tells nothing; empty: it is of use, or it failed otherwise
 */
public record SeriesRun(int status, Optional<String> spoiled) {
  /** Folder of the runs of a series that tell nothing of their policy. */
  public static final String LEFT_OUT = "left-out";

  public static final int ATTEMPTS_MAX = 3;

  /** True if the series cannot go on: the run failed, and not because of the machine. */
  public boolean isFailed() {
    return !ExitStatus.isWhole(status) && spoiled.isEmpty();
  }

  /** Moves a spoiled run out of those that count, into the folder {@code left-out} beside them. */
  public static void leaveOut(Path results, String runId) throws IOException {
    Path out = Files.createDirectories(results.resolve(LEFT_OUT));
    for (String name : List.of(runId, runId + RunFolder.FAILED)) {
      if (Files.exists(results.resolve(name))) {
        Files.move(results.resolve(name), out.resolve(runId));
      }
    }
  }

  static Optional<String> whySpoiled(Path results, String runId, int status) throws IOException {
    boolean whole = ExitStatus.isWhole(status);
    Path failed = results.resolve(runId + RunFolder.FAILED);
    if (status == ExitStatus.INCONCLUSIVE && Files.exists(failed.resolve(FolderFiles.FAILURE))) {
      return Optional.of(Files.readString(failed.resolve(FolderFiles.FAILURE)).strip());
    }
    Path folder = results.resolve(whole ? runId : runId + RunFolder.FAILED);
    if (!FinishedRun.isFolder(folder)) {
      return Optional.empty();
    }
    JsonNode summary = FinishedRun.of(folder).summary();
    if (summary.path("interrupted").asBoolean() || summary.hasNonNull("failure")) {
      return Optional.empty();
    }
    List<String> reasons = new ArrayList<>();
    summary.path(Summary.NOT_COMPARABLE).forEach(reason -> reasons.add(reason.asText()));
    if (reasons.isEmpty()) {
      return Optional.empty();
    }
    summary
        .path("notes")
        .forEach(
            note -> {
              if (note.asText().startsWith(Summary.BUSY_MACHINE)) {
                reasons.add(note.asText());
              }
            });
    return Optional.of(String.join("; ", reasons));
  }
}
