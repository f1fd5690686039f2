package dev.sluice.sweep.grid;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.Lane;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.harness.simulate.SimulatedExperiment;
import dev.sluice.harness.simulate.SimulatedExperiment.LostThresholdException;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.GridRun.CellRunner;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueProcesses;
import dev.sluice.sweep.queue.QueueSettings;
import dev.sluice.sweep.queue.QueueSettings.Verdict;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.TaskLog;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Capacity;
import dev.sluice.sweep.workspace.Grid.Mode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Simulates cells in threads of this process, each into its folder. A cell is done once its folder
 * stands; the queue's journal tells of cells to {@code status} and its like, and decides nothing.
 * Cells that an earlier process began and did not end are simulated anew.
 *
 * <p>A cell that fails leaves the others alone. Cells that found too little memory, perhaps beside
 * others, are simulated once more, one after another.
 */
final class SimulatedCells implements CellRunner {
  private static final long LOOK_MS = 50;

  private final SweepFolder folder;
  private final HeldQueue queue;
  private final int slots;
  private final Simulation simulation;
  private final Consumer<String> log;
  private final List<Cell> outOfMemory = new ArrayList<>();
  private volatile boolean stopping;
  private @Nullable IOException unwritable;

  /** The simulation of one cell, called by several threads at once. */
  @FunctionalInterface
  interface Simulation {
    /** Simulates a cell into its folder; its status is the one that a command would end with. */
    int run(Cell cell, PrintStream cellLog) throws UserMistakeException, IOException;
  }

  SimulatedCells(SweepFolder folder, int slots, Simulation simulation, Consumer<String> log) {
    this.folder = folder;
    this.queue = folder.queue();
    this.slots = slots;
    this.simulation = simulation;
    this.log = log;
  }

  static Simulation of(Grid grid, Path cells) {
    Map<String, OptionalDouble> bounds = new ConcurrentHashMap<>();
    return (cell, cellLog) -> {
      try {
        var parsed = ExperimentFile.read(grid.base(), cell.overrides(), Registries.vocabulary());
        if (grid.mode() == Mode.CAPACITY) {
          Capacity asked = grid.capacity();
          return new SimulatedCapacity(parsed)
              .write(cells, cell.id(), asked.goodShare(), asked.sharesOfBound(), bounds);
        }
        int status = SimulatedExperiment.read(parsed, null).write(cells, cell.id());
        if (status == ExitStatus.BUG) {
          cellLog.println("the simulation is not whole; its figures say why");
        }
        return status;
      } catch (LostThresholdException e) {
        cellLog.println("ended early: " + e.getMessage());
        return ExitStatus.BUG; // it has no figures
      }
    };
  }

  @Override
  public void run(List<Cell> open, Consumer<Boolean> ended)
      throws IOException, InterruptedException {
    queue(open);
    simulate(open, slots, ended);
    List<Cell> again = List.copyOf(outOfMemory);
    outOfMemory.clear();
    simulate(again, 1, ended);
    synchronized (this) {
      for (TaskState task : stopping ? List.<TaskState>of() : queue.state().running()) {
        // perhaps there was too little memory even to say so
        queue.end(task, Outcome.FAILED, "its thread is gone");
      }
    }
    queue.sync();
  }

  /** Queues cells, and ends tasks in the journal that are not among them. */
  private void queue(List<Cell> open) throws IOException, InterruptedException {
    QueueState state = queue.state();
    // None goes on but processes of cells that really ran, or of an earlier version's simulations.
    QueueProcesses.Ends unusedEnds = QueueProcesses.endRunning(queue, "ended with its sweep");
    List<Request> entries = new ArrayList<>();
    open.forEach(cell -> entries.add(new Request(cell.id(), cell.name(), null, true)));
    Set<String> names = entries.stream().map(Request::name).collect(Collectors.toSet());
    for (TaskState task : state.tasks()) {
      if (task.phase() == Phase.FAILED && folder.isDone(task.name())) {
        entries.add(
            new Request(task.name(), task.config(), null, true)); // the journal came too late
      }
    }
    int unusedCount = queue.queue(entries);
    for (TaskState task : state.waiting()) {
      if (!names.contains(task.name())) {
        boolean done = folder.isDone(task.name());
        queue.end(
            task,
            done ? Outcome.DONE_BEFORE : Outcome.FAILED,
            done ? "" : "the grid has no such cell any longer");
      }
    }
  }

  private void simulate(List<Cell> cells, int atOnce, Consumer<Boolean> ended)
      throws IOException, InterruptedException {
    ExecutorService threads = // daemons: a stopped sweep waits for no cell
        Executors.newFixedThreadPool(atOnce, work -> Lane.daemon(work, "sluice-cell"));
    cells.forEach(cell -> threads.execute(() -> simulate(cell, atOnce, ended)));
    threads.shutdown();
    while (!stopping && !threads.awaitTermination(LOOK_MS, TimeUnit.MILLISECONDS)) {
      // cells go on
    }
    synchronized (this) {
      if (unwritable != null) {
        throw unwritable;
      }
    }
  }

  private void simulate(Cell cell, int atOnce, Consumer<Boolean> ended) {
    try {
      if (!begin(cell)) {
        return;
      }
      int status = ExitStatus.BUG;
      boolean tooLarge = false;
      try (var cellLog = log(cell)) {
        try {
          cellLog.println(TaskLog.start(task(cell), queue.folder()));
          folder.clear(cell);
          status = simulation.run(cell, cellLog);
        } catch (UserMistakeException e) {
          cellLog.println(e.getMessage());
          status = ExitStatus.MISTAKE;
        } catch (IOException | RuntimeException | Error e) {
          tooLarge = e instanceof OutOfMemoryError || e.getCause() instanceof OutOfMemoryError;
          e.printStackTrace(cellLog);
        }
      }
      end(cell, status, tooLarge && atOnce > 1, ended);
    } catch (IOException e) {
      stopFor(e);
    }
  }

  private PrintStream log(Cell cell) throws IOException {
    return new PrintStream(
        Files.newOutputStream(
            folder.log(cell.id()), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
        true,
        StandardCharsets.UTF_8);
  }

  private TaskState task(Cell cell) {
    TaskState task = queue.state().task(cell.id());
    if (task == null) {
      throw new IllegalStateException("cell " + cell.id() + " was not queued");
    }
    return task;
  }

  private synchronized boolean begin(Cell cell) throws IOException {
    if (!stopping) {
      queue.start(task(cell), QueueState.NO_GPU, cell.key(), folder.log(cell.id()).toString());
    }
    return !stopping;
  }

  private synchronized void end(Cell cell, int status, boolean again, Consumer<Boolean> ended)
      throws IOException {
    if (stopping) {
      return; // it was told as ended
    }
    boolean done = folder.isDone(cell.id());
    Verdict verdict = QueueSettings.slots(slots, true).judge(status, done, true);
    Ended end = queue.end(task(cell), verdict.outcome(), status, verdict.why(), again);
    log.accept(TaskLog.endLine(cell.id(), end));
    TaskLog.appendEnd(folder.log(cell.id()).toString(), cell.id(), end);
    if (again) {
      outOfMemory.add(cell);
    } else {
      ended.accept(!done);
    }
  }

  private synchronized void stopFor(IOException e) {
    unwritable = unwritable == null ? e : unwritable;
    stopping = true;
  }

  @Override
  public void stop() {
    stopping = true;
  }

  @Override
  public synchronized String stopped(boolean end) throws IOException {
    List<TaskState> running = queue.state().running();
    for (TaskState task : running) {
      queue.end(task, Outcome.KILLED, "stopped with its sweep");
    }
    queue.sync();
    return "Stopped. Cells that were ended: "
        + running.size()
        + ". What is done stands; the same command runs the rest.";
  }
}
