package dev.sluice.harness.report;

import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.FolderHold;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * The folder of two settings' runs, one folder for each setting in it. While runs are missing it is
 * called {@code <id>.running}, and the same command goes on there.
 */
final class VersusSeries implements AutoCloseable {
  static final String A = "a";
  static final String B = "b";

  private final Path open;
  private final Path finished;
  private final FolderHold hold;

  private VersusSeries(Path open, Path finished, FolderHold hold) {
    this.open = open;
    this.finished = finished;
    this.hold = hold;
  }

  /** Makes the folder, or takes up one that was left; without the user's run id it has the id. */
  static VersusSeries take(Path results, @Nullable String runId, String id)
      throws UserMistakeException {
    String name = runId != null ? runId : id;
    for (int again = 2; runId == null && Files.exists(results.resolve(name)); again++) {
      name = id + "-" + again; // this command was done before
    }
    UserMistakeException.throwIf(
        Files.exists(results.resolve(name)),
        "--run-id",
        "a run with this id has left a folder (" + results.resolve(name) + ")",
        "you want another --run-id, or to move that folder away");
    Path open = results.resolve(name + RunFolder.RUNNING);
    return new VersusSeries(open, results.resolve(name), FolderHold.take(open, "--results"));
  }

  /** The folder of a setting's runs; it is called otherwise while runs are missing. */
  Path side(String side) throws IOException {
    Path whole = open.resolve(side);
    return Files.exists(whole)
        ? whole
        : Files.createDirectories(open.resolve(side + RunFolder.RUNNING));
  }

  boolean isWhole(String side) {
    return Files.exists(open.resolve(side));
  }

  void whole(String side) throws IOException {
    if (!isWhole(side)) {
      Files.move(side(side), open.resolve(side), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  Path folder() {
    return open;
  }

  /** True if a run came to its end, and may be compared. */
  boolean isComparable(String side, String runId) throws IOException {
    Path run = side(side).resolve(runId);
    return FinishedRun.isFolder(run) && FinishedRun.of(run).notComparable().isEmpty();
  }

  /** True if a run came to its end, unless a person ended its arrivals. */
  boolean hasEnded(String side, String runId) throws IOException {
    Path run = side(side).resolve(runId);
    return FinishedRun.isFolder(run)
        && !FinishedRun.of(run).summary().path("interrupted").asBoolean();
  }

  /** Gives the folder its name, and returns it. */
  Path finish(Console console) throws IOException {
    hold.close();
    Files.move(open, finished, StandardCopyOption.ATOMIC_MOVE);
    console.line("");
    console.line("Folder    " + finished);
    RunFolder.pointLatest(finished);
    return finished;
  }

  @Override
  public void close() throws IOException {
    if (Files.exists(open)) {
      hold.close();
    }
  }
}
