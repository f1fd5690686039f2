package dev.sluice.sweep.grid;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.util.List;

/** A way to run the cells of a grid. */
interface CellRunner {
  /** Listener to ends of cells. */
  @FunctionalInterface
  interface Progress {
    /**
     * A cell has ended. Called by one thread at a time.
     *
     * @param ended number of cells that have ended
     * @param failed number of those that have failed
     */
    void ended(int ended, int failed);
  }

  /** Runs cells to their ends, or until it is stopped. */
  void run(List<Cell> open, Progress progress)
      throws IOException, UserMistakeException, InterruptedException;

  /** Lets {@link #run} return soon. From any thread. */
  void stop();

  /**
   * Says what became of the cells that had begun when {@link #run} was stopped.
   *
   * @param end whether those that would go on are ended
   */
  String stopped(boolean end) throws IOException, InterruptedException;
}
