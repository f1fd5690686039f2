package dev.sluice.sweep.grid;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.sweep.grid.CellResult.CellBounds;
import dev.sluice.sweep.grid.CellResult.State;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.GridTable.GridPictures;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.GridFile;
import dev.sluice.sweep.workspace.SchedulerLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sweep of experiments, from its file to its folder.
 *
 * @param base the experiment that cells rest on; null: the one that the sweep's file names
 * @param resume true if the sweep must have begun with an equal base
 * @param dryRun true if cells are checked and listed, and none runs
 */
public record GridRun(
    Path file, @Nullable Path base, Path results, boolean resume, boolean dryRun, Console console) {
  private static final double NS_PER_SECOND = 1e9;
  private static final int PLAIN_PERIOD_SECONDS = 5;
  private static final int BAR_WIDTH = 20;

  interface CellRunner {
    /**
     * Runs cells to their ends, or until it is stopped.
     *
     * @param ended hears of each cell that has ended whether it has failed, by one thread at a time
     */
    void run(List<Cell> open, Consumer<Boolean> ended)
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

  /**
   * Runs what is not done, tells all cells side by side, and returns the exit status.
   *
   * @throws UserMistakeException if the grid, its base or any cell has a mistake; then none has run
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Grid grid = GridFile.read(file, base, Runtime.getRuntime().availableProcessors());
    Cells cells = Cells.of(grid, Registries.vocabulary());
    Path path = SweepFolder.of(grid, results);
    if (resume) {
      SweepFolder.checkResumed(path, cells);
    }
    List<Cell> open =
        cells.cells().stream().filter(cell -> !SweepFolder.isDone(path, cell)).toList();
    announce(cells, open.size());
    if (dryRun) {
      for (Cell cell : cells.cells()) {
        console.line("  " + (open.contains(cell) ? "to run   " : "done     ") + cell.name());
      }
      return ExitStatus.DONE;
    }
    boolean rebuilt = SweepFolder.isOfAnotherBuild(path);
    try (SweepFolder folder = SweepFolder.take(path)) {
      folder.begin(grid, cells.base());
      if (rebuilt && open.size() == cells.cells().size()) {
        console.line("  build          another Sluice than the last time, so all cells run again");
      }
      try (var log = SchedulerLog.open(folder.workspace())) {
        CellRunner runner = runner(cells, folder, log);
        try (var signals = Signals.listen(runner::stop, () -> {})) {
          run(open, folder.queue().state(), runner);
          if (signals.received()) {
            console.endLiveLine();
            console.line(runner.stopped(signals.exitStatus() == ExitStatus.STOPPED));
            return signals.exitStatus();
          }
        }
      }
      return conclude(cells, folder);
    }
  }

  private static CellRunner runner(Cells cells, SweepFolder folder, SchedulerLog log) {
    Grid grid = cells.grid();
    return grid.mode() == Mode.RUN
        ? new LiveCells(cells, folder, log::line)
        : new SimulatedCells(
            folder, grid.slots(), SimulatedCells.of(grid, folder.cells()), log::line);
  }

  private void announce(Cells cells, int open) {
    Grid grid = cells.grid();
    console.line("Sweep " + grid.name() + ", " + grid.mode().key() + ", base " + grid.base());
    int all = cells.cells().size();
    String excluded = cells.excluded() == 0 ? "" : "; " + cells.excluded() + " excluded";
    console.line(
        "  cells          %s: %s to run, %s done before%s"
            .formatted(all, open, all - open, excluded));
  }

  private void run(List<Cell> open, QueueState state, CellRunner runner)
      throws UserMistakeException, IOException, InterruptedException {
    if (open.isEmpty() && !state.anyWaits() && state.running().isEmpty()) {
      return;
    }
    if (runner instanceof LiveCells live && !live.begun().isEmpty()) {
      console.line("  found again    " + live.begun().size() + " that an earlier start began");
    }
    runner.run(open, new Progress(open.size(), console));
    console.endLiveLine();
  }

  /** A line that says how many of the cells have ended, and how long the others may take. */
  private static final class Progress implements Consumer<Boolean> {
    private final int all;
    private final Console console;
    private final long beganNs = MachineClock.monotonicNs();
    private long toldAtNs = beganNs;
    private int ended;
    private int failed;

    Progress(int all, Console console) {
      this.all = all;
      this.console = console;
    }

    @Override
    public void accept(Boolean hasFailed) {
      ended = Math.min(ended + 1, all);
      failed += hasFailed ? 1 : 0;
      long nowNs = MachineClock.monotonicNs();
      boolean due = nowNs - toldAtNs >= PLAIN_PERIOD_SECONDS * NS_PER_SECOND;
      if (all == 0 || (!console.isTerminal() && !due)) {
        return; // where all are done, one that was found again may end
      }
      toldAtNs = nowNs;
      double leftSeconds = (nowNs - beganNs) / NS_PER_SECOND / ended * (all - ended);
      int filled = BAR_WIDTH * ended / all;
      console.live(
          String.format(
              Locale.ROOT,
              "%s%d of %d cells%s, about %.0f s left",
              console.isTerminal()
                  ? "[" + "=".repeat(filled) + " ".repeat(BAR_WIDTH - filled) + "]  "
                  : "",
              ended,
              all,
              failed == 0 ? "" : ", " + failed + " failed",
              leftSeconds));
    }
  }

  /** Why a cell has no folder, in words. */
  private static String why(@Nullable TaskState task, SweepFolder folder) throws IOException {
    if (task == null) {
      return "it has no task";
    }
    List<String> lines = folder.lastLines(task.name());
    return task.ended().why() + (lines.isEmpty() ? "" : ": " + String.join(" / ", lines));
  }

  private int conclude(Cells cells, SweepFolder folder) throws IOException, UserMistakeException {
    Grid grid = cells.grid();
    List<String> figures = grid.figureNames();
    Set<String> read = new LinkedHashSet<>(figures);
    if (grid.mode() == Mode.CAPACITY) {
      read.addAll(SimulatedCapacity.figures(grid.capacity().sharesOfBound()));
    }
    Map<Cell, CellResult> results = new LinkedHashMap<>();
    QueueState state = folder.queue().state();
    CellBounds bounds = CellBounds.areAskedBy(grid) ? new CellBounds() : null;
    for (Cell cell : cells.cells()) {
      if (!SweepFolder.isDone(folder.path(), cell)) {
        results.put(cell, CellResult.failed(why(state.task(cell.id()), folder)));
        continue;
      }
      CellResult result = CellResult.of(folder.cell(cell), read);
      results.put(
          cell,
          bounds == null || result.state() != State.DONE
              ? result
              : bounds.with(cell, folder.cell(cell), result));
    }
    var table = new GridTable(grid, results);
    List<String> notes = notes(cells);
    table.writeCsv(folder.file("sweep.csv"));
    var pictures = new GridPictures(table);
    Map<String, byte[]> pngs = new LinkedHashMap<>();
    for (String figure : grid.league() == null ? figures : List.<String>of()) {
      byte[] png =
          pictures.png(figure, figure + " \u00b7 " + grid.name() + " \u00b7 " + notes.get(0));
      Files.write(folder.file(figure + ".png"), png);
      pngs.put(figure, png);
    }
    Files.writeString(folder.file("sweep.html"), table.html(pngs, notes));
    console.line("");
    notes.forEach(note -> console.line("! " + note));
    if (grid.league() == null) {
      console.line(table.render().stripTrailing());
    } else { // the page has the cells
      var league = new LeagueReport(grid, grid.league(), results, notes);
      league.write(folder.path());
      console.line(league.verdict().stripTrailing());
      console.line("League    " + folder.file("league.html"));
    }
    return tellStates(results, folder);
  }

  private int tellStates(Map<Cell, CellResult> results, SweepFolder folder) {
    boolean bad = false;
    for (Map.Entry<Cell, CellResult> one : results.entrySet()) {
      CellResult result = one.getValue();
      if (result.state() != State.DONE) {
        if (!bad) {
          console.line("\nCells without a number:");
        }
        console.line(
            "  " + one.getKey().name() + ": " + result.state().words + ": " + result.why());
        bad = true;
      }
    }
    console.line("");
    console.line("Cells     " + folder.file("sweep.csv"));
    console.line("Page      " + folder.file("sweep.html"));
    return bad ? ExitStatus.FAULTS : ExitStatus.DONE;
  }

  /** What every output says first: whether anything ran. */
  private static List<String> notes(Cells cells) {
    Experiment base = cells.base().experiment();
    List<String> notes = new ArrayList<>();
    boolean simulated = cells.grid().mode() != Mode.RUN;
    notes.add(
        simulated
            ? "simulated: nothing ran and nothing waited"
            : base.lanes().emulated() ? "emulated lanes: nothing was computed" : "run");
    notes.add("Sluice " + SluiceVersion.current());
    return notes;
  }
}
