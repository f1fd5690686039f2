package dev.sluice.harness.sweep.grid;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;

/** Runs one cell to its end. Several threads call it. */
interface CellRunner extends AutoCloseable {
  /**
   * Runs a cell, which leaves a folder with the cell's name if it has ended whole.
   *
   * @return why the cell failed; empty if it did not
   */
  String run(Cell cell) throws IOException, InterruptedException, UserMistakeException;

  /** Ends what runs, since nobody waits for it any longer. */
  @Override
  void close();
}
