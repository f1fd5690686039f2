package dev.sluice.sweep.grid;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.sweep.config.Grid;
import dev.sluice.sweep.config.Grid.Mode;
import dev.sluice.sweep.queue.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cells of a grid as tasks of a queue, each named by its folder. A cell is done if its folder
 * stands among the cells, whatever its command's status was.
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
  private final @Nullable WorkerKeeper worker;

  /**
   * @param cells cells by the names of their tasks
   * @param worker keeper of simulated cells; null: each cell runs in a process of its own
   */
  GridWork(Grid grid, SweepFolder folder, Map<String, Cell> cells, @Nullable WorkerKeeper worker) {
    this.grid = grid;
    this.folder = folder;
    this.cells = Map.copyOf(cells);
    this.worker = worker;
  }

  @Override
  public Plan plan(String name, String config, int gpu) throws IOException {
    Cell cell = cells.get(name);
    if (cell == null) {
      throw new IOException("the grid has no such cell any longer");
    }
    folder.clear(cell);
    return new Plan(
        grid.mode() == Mode.SIMULATE ? simulation(cell) : run(cell),
        Map.of(),
        Path.of("").toAbsolutePath(),
        folder.log(name),
        cell.key());
  }

  /** What a {@link WorkerKeeper} makes an order of. */
  private static List<String> simulation(Cell cell) {
    List<String> command = new ArrayList<>(List.of(cell.id()));
    command.addAll(cell.overrides());
    return command;
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

  @Override
  public @Nullable Path markers() {
    return null; // nobody but a task's own process makes its folder
  }

  @Override
  public @Nullable Keeper keeper() {
    return worker;
  }
}
