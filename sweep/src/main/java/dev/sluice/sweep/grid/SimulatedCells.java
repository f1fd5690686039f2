package dev.sluice.sweep.grid;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.harness.simulate.LostThresholdException;
import dev.sluice.harness.simulate.QuietSimulation;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueFolder;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.TaskLog;
import dev.sluice.sweep.queue.TaskState;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Simulations of cells in threads of this process: a simulation takes less than the start of a
 * process. A cell's folder gets its name last, so that a process that is killed leaves each cell
 * done or not begun. The start and the end of a cell are written to the journal together, since
 * none runs without its sweep.
 */
final class SimulatedCells {
  private static final long LOOK_MS = 50;

  private final Path base;
  private final SweepFolder folder;
  private final int slots;
  private volatile boolean stopping;

  /** Events of a cell that was simulated. */
  private record Simulated(Started started, Ended ended) {}

  /**
   * @param base file of the experiment that the cells rest on
   * @param slots number of cells at a time
   */
  SimulatedCells(Path base, SweepFolder folder, int slots) {
    this.base = base;
    this.folder = folder;
    this.slots = slots;
  }

  /** Lets {@link #run} return soon; cells at hand end with the process. From any thread. */
  void stop() {
    stopping = true;
  }

  /**
   * Simulates cells that wait in the queue.
   *
   * @throws IOException if a cell's log or the journal cannot be written
   */
  void run(List<Cell> open, HeldQueue queue, CellQueue.Progress progress)
      throws IOException, InterruptedException {
    QueueState state = queue.state();
    ExecutorService threads =
        Executors.newFixedThreadPool(
            slots,
            work -> {
              var thread = new Thread(work, "cell");
              thread.setDaemon(true);
              return thread;
            });
    try {
      var ends = new ExecutorCompletionService<Simulated>(threads);
      for (Cell cell : open) {
        TaskState task = state.task(cell.id());
        if (task == null) {
          throw new IllegalStateException("a cell that was not queued: " + cell.id());
        }
        int number = task.number();
        int attempt = task.attempt() + 1;
        Future<Simulated> unused =
            ends.submit(() -> simulate(cell, number, attempt, queue.folder()));
      }
      int failed = 0;
      for (int ended = 0; ended < open.size() && !stopping; ) {
        Future<Simulated> next = ends.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (next != null) {
          Simulated simulated = simulated(next);
          queue.write(List.of(simulated.started, simulated.ended));
          failed += simulated.ended.outcome() == Outcome.DONE ? 0 : 1;
          progress.ended(++ended, failed);
        }
      }
      queue.sync();
    } finally {
      threads.shutdownNow();
    }
  }

  private static Simulated simulated(Future<Simulated> cell)
      throws IOException, InterruptedException {
    try {
      return cell.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new IllegalStateException("a cell's thread has failed", e.getCause());
    }
  }

  /** Simulates a cell; its log says why it failed. */
  private Simulated simulate(Cell cell, int task, int attempt, QueueFolder queue)
      throws IOException {
    long beganNs = MachineClock.monotonicNs();
    folder.clear(cell);
    Path file = folder.log(cell.id());
    var started =
        new Started(
            task,
            attempt,
            QueueState.NO_GPU,
            cell.key(),
            file.toString(),
            ProcessIdentity.presentBoot(),
            MachineClock.epochMs());
    int status;
    try (var log =
        new PrintStream(
            Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            true,
            StandardCharsets.UTF_8)) {
      log.println(TaskLog.start(cell.id(), started, queue));
      status = simulate(cell, log);
    }
    boolean done = Files.exists(folder.cell(cell));
    var ended =
        new Ended(
            task,
            attempt,
            done ? Outcome.DONE : Outcome.FAILED,
            status,
            done ? "" : "exit status " + status,
            false,
            (MachineClock.monotonicNs() - beganNs) / 1_000_000,
            MachineClock.epochMs());
    TaskLog.appendEnd(file.toString(), cell.id(), ended);
    return new Simulated(started, ended);
  }

  private int simulate(Cell cell, PrintStream log) {
    try {
      var parsed = ExperimentFile.read(base, cell.overrides(), Registries.vocabulary());
      int status = new QuietSimulation(parsed).write(folder.cells(), cell.id());
      if (status == ExitStatus.BUG) {
        log.println("the simulation is not whole; its figures say why");
      }
      return status;
    } catch (UserMistakeException e) {
      log.println(e.getMessage());
      return ExitStatus.MISTAKE;
    } catch (LostThresholdException e) {
      log.println("ended early: " + e.getMessage());
      return ExitStatus.BUG; // it has no figures
    } catch (IOException | RuntimeException | Error e) {
      e.printStackTrace(log);
      return ExitStatus.BUG;
    }
  }
}
