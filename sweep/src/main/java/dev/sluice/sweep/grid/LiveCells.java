package dev.sluice.sweep.grid;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.GridRun.CellRunner;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.queue.QueueProcesses;
import dev.sluice.sweep.queue.QueueSettings;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.Scheduler;
import dev.sluice.sweep.queue.Scheduler.Sessions;
import dev.sluice.sweep.queue.Scheduler.Work;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.Grid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs cells, each by {@code ./sluice run} in a process of its own, as tasks of the queue that are
 * named by their folders. A cell is done if its folder stands among the cells, whatever its
 * command's status was.
 */
final class LiveCells implements CellRunner, Work, Sessions {
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
  private final HeldQueue queue;
  private final Map<String, Cell> cells = new HashMap<>();
  private final Scheduler scheduler;
  private Consumer<Boolean> ended = failed -> {};

  LiveCells(Cells all, SweepFolder folder, Consumer<String> log) {
    this.grid = all.grid();
    this.folder = folder;
    this.queue = folder.queue();
    all.cells().forEach(cell -> cells.put(cell.id(), cell));
    this.scheduler =
        new Scheduler(queue.folder(), QueueSettings.slots(grid.slots(), true), this, this, log);
  }

  /** Cells of this grid that an earlier scheduler began, and nobody saw end. */
  List<TaskState> begun() {
    return queue.state().running().stream().filter(task -> cells.containsKey(task.name())).toList();
  }

  @Override
  public void run(List<Cell> open, Consumer<Boolean> to)
      throws IOException, UserMistakeException, InterruptedException {
    ended = to;
    Map<String, Integer> begun = new HashMap<>();
    begun().forEach(task -> begun.put(task.name(), task.attempt()));
    schedule(open);
    QueueState state = queue.state();
    List<Cell> lost = new ArrayList<>();
    for (Cell cell : open) {
      TaskState task = state.task(cell.id());
      if (task != null
          && task.phase() == Phase.FAILED
          && Integer.valueOf(task.attempt()).equals(begun.get(task.name()))) {
        lost.add(cell); // an earlier start's failure, which this start runs again
      }
    }
    if (!lost.isEmpty()) {
      schedule(lost);
    }
  }

  private void schedule(List<Cell> open) throws IOException, InterruptedException {
    List<Request> entries = new ArrayList<>();
    open.forEach(cell -> entries.add(new Request(cell.id(), cell.name(), null, true)));
    int unused = queue.queue(entries);
    Scheduler.End unusedEnd = scheduler.run(queue);
  }

  @Override
  public void ended(String task, int gpu, boolean cleanup) {
    ended.accept(!folder.isDone(task));
  }

  @Override
  public void stop() {
    scheduler.stop();
  }

  @Override
  public String stopped(boolean end) throws IOException, InterruptedException {
    return end
        ? "Stopped. Cells that were ended: "
            + QueueProcesses.endRunning(queue, "stopped with its sweep").tasks()
            + ". What is done stands; the same command runs the rest."
        : "Stopped. Cells that go on without a scheduler: "
            + begun().size()
            + ". The same command finds them again, and runs the rest.";
  }

  @Override
  public Plan plan(String name, String config, int gpu) throws IOException {
    Cell cell = cells.get(name);
    if (cell == null) {
      throw new IOException("the grid has no such cell any longer");
    }
    folder.clear(cell);
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
                marker(name).toString()));
    command.addAll(ChildJvm.live(arguments));
    return new Plan(command, Map.of(), Path.of("").toAbsolutePath(), folder.log(name), cell.key());
  }

  @Override
  public Path marker(String name) {
    return folder.cells().resolve(name);
  }
}
