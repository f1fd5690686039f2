package dev.sluice.harness.sweep.grid;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.QuietSimulation;
import java.io.IOException;
import java.nio.file.Path;

/** Cells in virtual time, all in this process: a simulation takes less than the start of a JVM. */
final class SimulatedCells implements CellRunner {
  private final Path base;
  private final Path cells;

  SimulatedCells(Path base, Path cells) {
    this.base = base;
    this.cells = cells;
  }

  @Override
  public String run(Cell cell) throws IOException, UserMistakeException {
    var parsed = ExperimentFile.read(base, cell.overrides(), Registries.vocabulary());
    int status = new QuietSimulation(parsed).write(cells, cell.id());
    return status == ExitStatus.BUG ? "the simulation is not whole; its figures say why" : "";
  }

  @Override
  public void close() {
    // a simulation ends by itself, in seconds
  }
}
