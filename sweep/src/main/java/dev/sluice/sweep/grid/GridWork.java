package dev.sluice.sweep.grid;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.sweep.config.Grid;
import dev.sluice.sweep.queue.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The cells of a grid that run as tasks of a queue, each named by its folder. A cell is done if its
 * folder stands among the cells, whatever its command's status was.
 */
final class GridWork implements Work {
  /** JVM options of a process that measures latencies, as the launcher gives them to a run. */
  private static final List<String> LIVE =
      List.of(
          "-XX:-UseSerialGC",
          "-XX:+UseZGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:ZAllocationSpikeTolerance=1");

  /**
   * Runs a command, and gives the folder that it leaves its place among the cells. An interrupted
   * run leaves a whole folder, too, but another status than done, missed thresholds and
   * inconclusive.
   */
  private static final String RUN_THEN_PLACE =
      "left=$1 cell=$2; shift 2; \"$@\"; status=$?;"
          + " case $status in 0 | 3 | 4) mv -- \"$left\" \"$cell\" || exit 1 ;; esac; exit $status";

  private final Grid grid;
  private final SweepFolder folder;
  private final Map<String, Cell> cells;

  /**
   * @param cells cells by the names of their tasks
   */
  GridWork(Grid grid, SweepFolder folder, Map<String, Cell> cells) {
    this.grid = grid;
    this.folder = folder;
    this.cells = Map.copyOf(cells);
  }

  @Override
  public Plan plan(String name, String config, int gpu) throws IOException {
    Cell cell = cells.get(name);
    if (cell == null) {
      throw new IOException("the grid has no such cell any longer");
    }
    folder.clear(cell);
    return new Plan(
        run(cell), Map.of(), Path.of("").toAbsolutePath(), folder.log(name), cell.key());
  }

  private List<String> run(Cell cell) {
    List<String> arguments = new ArrayList<>(List.of("run", grid.base().toString()));
    cell.overrides().forEach(override -> arguments.addAll(List.of("--set", override)));
    arguments.addAll(List.of("--results", folder.unfinished().toString(), "--run-id", cell.id()));
    List<String> command =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                RUN_THEN_PLACE,
                "sluice-cell",
                folder.unfinished().resolve(cell.id()).toString(),
                folder.cell(cell).toString()));
    command.addAll(ChildJvm.sluice(LIVE, arguments));
    return command;
  }

  /** Tells whether a task's cell is done. */
  boolean isDone(String name) {
    return Files.exists(marker(name));
  }

  @Override
  public Path marker(String name) {
    return folder.cells().resolve(name);
  }
}
