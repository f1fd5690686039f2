package dev.sluice.sweep.grid;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.sweep.config.Grid;
import dev.sluice.sweep.config.Grid.Mode;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.queue.KillAll;
import dev.sluice.sweep.queue.QueueFolder;
import dev.sluice.sweep.queue.QueueSettings;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.Request.Entry;
import dev.sluice.sweep.queue.Scheduler;
import dev.sluice.sweep.queue.Sessions;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.SchedulerLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The queue of a sweep's folder, whose tasks are the cells. */
final class CellQueue implements AutoCloseable {
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private final Grid grid;
  private final QueueFolder queue;
  private final Map<String, Cell> cells = new HashMap<>();
  private final GridWork work;

  /** Cells that are simulated; null: cells run, each in a process of its own. */
  private final @Nullable SimulatedCells simulated;

  private final SchedulerLog log;
  private @Nullable Scheduler scheduler;
  private boolean stopping;

  /** Listener to ends of cells, called on a thread of its own. */
  @FunctionalInterface
  interface Progress {
    /**
     * A cell has ended.
     *
     * @param ended number of cells that have ended
     * @param failed number of those that have failed
     */
    void ended(int ended, int failed);
  }

  CellQueue(Cells all, SweepFolder folder) throws IOException, UserMistakeException {
    grid = all.grid();
    queue = folder.queue();
    all.cells().forEach(cell -> cells.put(cell.id(), cell));
    work = new GridWork(grid, folder, cells);
    simulated =
        grid.mode() == Mode.SIMULATE ? new SimulatedCells(grid.base(), folder, grid.slots()) : null;
    log = SchedulerLog.open(folder.workspace());
  }

  /** Cells of this grid that an earlier scheduler began, and nobody saw end. */
  List<TaskState> begun() throws IOException, UserMistakeException {
    return queue.read().running().stream().filter(task -> cells.containsKey(task.name())).toList();
  }

  /**
   * Runs cells to their ends, and sees to the ends of those that run already.
   *
   * @throws UserMistakeException if another scheduler runs, or the journal is damaged
   */
  void run(List<Cell> open, Progress progress)
      throws IOException, UserMistakeException, InterruptedException {
    try (HeldQueue held = hold()) {
      held.announce();
      if (simulated == null) {
        runInProcesses(open, held, progress);
      } else {
        int unused = KillAll.running(held, "begun by an earlier version").tasks();
        held.write(entries(open).events(held.state(), MachineClock.epochMs()));
        simulated.run(open, held, progress);
      }
    }
  }

  private HeldQueue hold() throws IOException, UserMistakeException, InterruptedException {
    return queue
        .hold()
        .orElseThrow(
            () ->
                new UserMistakeException(
                    queue.folder().toString(),
                    "another scheduler runs here",
                    "its status is enough, or it should be stopped first"));
  }

  private void runInProcesses(List<Cell> open, HeldQueue held, Progress progress)
      throws IOException, InterruptedException {
    Map<String, Integer> begun = new HashMap<>();
    held.state().running().stream()
        .filter(task -> cells.containsKey(task.name()))
        .forEach(task -> begun.put(task.name(), task.attempt()));
    Sessions counting = counting(progress);
    schedule(open, held, counting);
    QueueState state = held.state();
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
      schedule(lost, held, counting);
    }
  }

  private Sessions counting(Progress progress) {
    var ended = new AtomicInteger();
    var failed = new AtomicInteger();
    return new Sessions() {
      @Override
      public void ended(String task, int gpu, boolean cleanup) {
        if (!work.isDone(task)) {
          failed.incrementAndGet();
        }
        progress.ended(ended.incrementAndGet(), failed.get());
      }
    };
  }

  private static Request entries(List<Cell> open) {
    List<Entry> entries = new ArrayList<>();
    open.forEach(cell -> entries.add(new Entry(cell.id(), cell.name(), null, true)));
    return new Request(entries);
  }

  private void schedule(List<Cell> open, HeldQueue held, Sessions sessions)
      throws IOException, InterruptedException {
    var settings =
        new QueueSettings(
            List.of(), grid.slots(), 0, Integer.MAX_VALUE, true, true, CHECK_INTERVAL);
    var next = new Scheduler(queue, settings, work, sessions, log::line);
    synchronized (this) {
      if (stopping) {
        return;
      }
      scheduler = next;
    }
    Path unusedFile = queue.hand(entries(open));
    Scheduler.End unused = next.run(held);
  }

  /** Lets {@link #run} return soon; what runs goes on. From any thread. */
  synchronized void stop() {
    stopping = true;
    if (simulated != null) {
      simulated.stop();
    }
    if (scheduler != null) {
      scheduler.stop();
    }
  }

  /**
   * Ends the cells that go on once {@link #run} has returned; those that wait, wait on.
   *
   * @return number of cells that were ended
   */
  int endRunning() throws IOException, UserMistakeException, InterruptedException {
    try (HeldQueue held = hold()) {
      return KillAll.running(held, "stopped with its sweep").tasks();
    }
  }

  /** Tells whether anything waits or runs. */
  boolean isBusy() throws IOException, UserMistakeException {
    QueueState state = queue.read();
    return state.anyWaits() || !state.running().isEmpty();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
