package dev.sluice.harness.serve;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.live.FinishedBatches;
import dev.sluice.analytics.live.FinishedWindows;
import dev.sluice.analytics.live.Run;
import dev.sluice.analytics.live.Snapshot;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A finished run, from its folder alone. */
final class FolderRun implements Runs.Shown {
  private static final int SNAPSHOT_BATCHES_MAX = 1000;

  private final FinishedRun finished;
  private final FileTime written;
  private final Run run;
  private final List<MetricsWindow> windows;
  private byte @Nullable [] snapshot;

  private FolderRun(FinishedRun finished, FileTime written, Run run, List<MetricsWindow> windows) {
    this.finished = finished;
    this.written = written;
    this.run = run;
    this.windows = windows;
  }

  static FolderRun open(Path folder) throws IOException {
    try {
      FileTime written = Files.getLastModifiedTime(folder.resolve(FolderFiles.SUMMARY));
      FinishedRun finished = FinishedRun.of(folder);
      return new FolderRun(finished, written, Run.of(finished), FinishedWindows.of(finished));
    } catch (UserMistakeException | RuntimeException e) {
      throw unreadable(e);
    }
  }

  /** The failure of any reader: whatever lies in the folder, the fault is the folder's. */
  private static IOException unreadable(Exception e) {
    if (e instanceof UserMistakeException mistake) {
      UserMistakeException.Problem first = mistake.problems().get(0);
      return new IOException(first.location() + ": " + first.what(), e);
    }
    return new IOException(UserMistakeException.reason(e), e);
  }

  boolean isCurrent() throws IOException {
    return written.equals(
        Files.getLastModifiedTime(finished.folder().resolve(FolderFiles.SUMMARY)));
  }

  @Override
  public byte[] run() {
    return Runs.Shown.bytes(run.json(windows));
  }

  @Override
  public synchronized byte[] snapshot() throws IOException {
    byte[] known = snapshot;
    if (known == null) {
      try {
        ObjectNode bars = FinishedBatches.json(finished, windows, SNAPSHOT_BATCHES_MAX);
        known = Snapshot.json(run.json(windows), windows, bars).getBytes(StandardCharsets.UTF_8);
      } catch (UserMistakeException | RuntimeException e) {
        throw unreadable(e);
      }
      snapshot = known;
    }
    return known;
  }

  @Override
  public byte[] seconds(long fromS) {
    return Runs.Shown.seconds(
        windows.stream().filter(window -> Runs.Shown.second(window) >= fromS).toList());
  }

  @Override
  public byte[] batches(double fromS, double toS) throws IOException {
    try {
      return Runs.Shown.bytes(FinishedBatches.between(finished, fromS, toS, BATCHES_MAX));
    } catch (UserMistakeException | RuntimeException e) {
      throw unreadable(e);
    }
  }
}
