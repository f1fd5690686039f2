package dev.sluice.analytics.live;

import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Rows of a finished run, from memory or from its folder; both give equal rows. */
interface RunSource {
  /**
   * Counts all attempts and jobs by the second.
   *
   * @throws UserMistakeException if a table cannot be read
   */
  void countInto(FinishedWindows windows) throws UserMistakeException;

  /**
   * Reads the attempts that ran in a stretch of time, by decision.
   *
   * @param fromNs begin of the stretch
   * @param toNs its end, exclusive
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  void batchesBetween(long fromNs, long toNs, Consumer<FinishedBatch> to)
      throws UserMistakeException;

  /**
   * Reads the spans in which lanes stood idle beside work that waited; none if the folder keeps
   * none.
   *
   * @throws UserMistakeException if the file that holds the spans cannot be read
   */
  void blocked(Consumer<Blocked> to) throws UserMistakeException;

  /**
   * Reads the classes of some jobs, by the job's id.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException;

  /**
   * The batches that ran, in short.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  BatchSpans spans() throws UserMistakeException;

  /** Number of lanes of all executors that reported. */
  int lanes();

  /** The rows in a run's folder. */
  static RunSource of(FinishedRun run) {
    return new FolderRows(run);
  }
}
