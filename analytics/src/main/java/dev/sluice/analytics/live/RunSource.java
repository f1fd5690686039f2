package dev.sluice.analytics.live;

import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a finished run, from memory or from its folder; both give equal rows. */
abstract class RunSource {
  /** Batches that ran; null before the first reading. */
  private @Nullable BatchSpans spans;

  /** The rows in a run's folder. */
  static RunSource of(FinishedRun run) {
    return new FolderRows(run);
  }

  /** Chooses attempts by what is known before a row is made of them. */
  @FunctionalInterface
  interface Choice {
    /** Returns whether an attempt is read; a time that never came is {@link Jobs#NONE}. */
    boolean reads(String laneId, long startedNs, long endedNs);
  }

  /**
   * Reads chosen attempts, by decision; all of them are shown to the choice.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  abstract void batches(Choice choice, Consumer<FinishedBatch> to) throws UserMistakeException;

  /**
   * Counts all jobs, after the batches.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  abstract void countJobs(FinishedWindows windows) throws UserMistakeException;

  /**
   * Reads the spans in which lanes stood idle beside work that waited; none if the folder keeps
   * none.
   *
   * @throws UserMistakeException if the file that holds the spans cannot be read
   */
  abstract void blocked(Consumer<Blocked> to) throws UserMistakeException;

  /**
   * Reads the classes of some jobs, by the job's id.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  abstract Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException;

  /** Number of lanes of all executors that reported. */
  abstract int lanes();

  /**
   * Counts all attempts and jobs by the second.
   *
   * @throws UserMistakeException if a table cannot be read
   */
  final void countInto(FinishedWindows windows) throws UserMistakeException {
    readSpans(true, windows::take);
    countJobs(windows);
  }

  /**
   * Reads the attempts that ran in a stretch of time, by decision.
   *
   * @param fromNs begin of the stretch
   * @param toNs its end, exclusive
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  final void batchesBetween(long fromNs, long toNs, Consumer<FinishedBatch> to)
      throws UserMistakeException {
    batches(
        (laneId, startedNs, endedNs) ->
            startedNs != Jobs.NONE && endedNs != Jobs.NONE && endedNs > fromNs && startedNs < toNs,
        to);
  }

  /**
   * The batches that ran, in short.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  final BatchSpans spans() throws UserMistakeException {
    return spans == null ? readSpans(false, batch -> {}) : spans;
  }

  private BatchSpans readSpans(boolean all, Consumer<FinishedBatch> to)
      throws UserMistakeException {
    var read = new BatchSpans();
    batches(
        (laneId, startedNs, endedNs) -> {
          if (startedNs != Jobs.NONE && endedNs != Jobs.NONE) {
            read.add(laneId, startedNs, endedNs);
          }
          return all;
        },
        to);
    spans = read;
    return read;
  }
}
