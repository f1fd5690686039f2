package dev.sluice.sweep.grid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.SimulatedCells.Simulation;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cells in threads, by simulations that are made up. */
@Timeout(600)
final class SimulatedCellsTest {
  private static final int CELLS = 6;

  @TempDir private Path path;
  private SweepFolder folder;
  private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
  private final List<Boolean> progress = new ArrayList<>();

  @BeforeEach
  void takeFolder() throws Exception {
    folder = SweepFolder.take(path);
  }

  @AfterEach
  void closeFolder() throws IOException {
    folder.close();
  }

  private static Cell cell(int seed) {
    return new Cell(
        Map.of("seed", Integer.toString(seed)), List.of(), Integer.toString(seed).repeat(12));
  }

  private static List<Cell> cells(int... seeds) {
    return IntStream.of(seeds).mapToObj(SimulatedCellsTest::cell).toList();
  }

  private static List<Cell> all() {
    return cells(IntStream.range(0, CELLS).toArray());
  }

  private int finish(Cell cell) throws IOException {
    ran.add(cell.name());
    Path done = Files.createDirectories(folder.cells().resolve(cell.id()));
    Files.writeString(done.resolve("summary.json"), "{}");
    return ExitStatus.DONE;
  }

  private SimulatedCells simulated(int slots, Simulation simulation) {
    return new SimulatedCells(folder, slots, simulation, line -> {});
  }

  private void run(int slots, List<Cell> cells, Simulation simulation) throws Exception {
    simulated(slots, simulation).run(cells, progress::add);
  }

  private TaskState task(int seed) {
    TaskState task = folder.queue().state().task(cell(seed).id());
    assertThat(task).isNotNull();
    return task;
  }

  @Test
  void simulatesEachCellOnce_andTellsTheJournal() throws Exception {
    run(3, all(), (cell, log) -> finish(cell));
    assertThat(ran).containsExactlyInAnyOrderElementsOf(all().stream().map(Cell::name).toList());
    assertThat(progress).hasSize(CELLS).containsOnly(false);
    QueueState state = folder.queue().folder().read();
    assertThat(state.tasks()).hasSize(CELLS).allMatch(task -> task.phase() == Phase.DONE);
    assertThat(Files.readAllLines(folder.log(cell(0).id())))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("== start ").contains("attempt 1"),
            line -> assertThat(line).startsWith("== end "));
  }

  @Test
  void aCellThatCrashes_hasFailedWithItsReason_andTheOthersAreDone() throws Exception {
    run(
        2,
        all(),
        (cell, log) -> {
          if (cell.equals(cell(1))) {
            throw new StackOverflowError("too deep");
          }
          return finish(cell);
        });
    assertThat(ran).hasSize(CELLS - 1);
    assertThat(task(1).phase()).isEqualTo(Phase.FAILED);
    assertThat(task(1).ended().why()).isEqualTo("exit status 1");
    assertThat(folder.lastLines(cell(1).id()))
        .containsExactly("java.lang.StackOverflowError: too deep");
    assertThat(progress).hasSize(CELLS).containsOnlyOnce(true);
  }

  @Test
  void aCellThatFindsTooLittleMemoryBesideAnother_isSimulatedOnceMore_alone() throws Exception {
    var both = new CyclicBarrier(2);
    run(
        2,
        cells(0, 1),
        (cell, log) -> {
          if (task(cell.equals(cell(0)) ? 0 : 1).attempt() == 1) {
            meet(both);
            if (cell.equals(cell(0))) {
              throw new IllegalStateException(new OutOfMemoryError("full"));
            }
          }
          return finish(cell);
        });
    assertThat(ran).containsExactly("seed=1", "seed=0");
    assertThat(task(0).phase()).isEqualTo(Phase.DONE);
    assertThat(task(0).attempt()).isEqualTo(2);
    assertThat(progress).containsExactly(false, false);
  }

  private static void meet(CyclicBarrier both) {
    try {
      int unused = both.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCellThatIsTooLargeAlone_hasFailed_andTheOthersAreDone() throws Exception {
    run(
        2,
        all(),
        (cell, log) -> {
          if (cell.equals(cell(4))) {
            throw new OutOfMemoryError("Java heap space");
          }
          return finish(cell);
        });
    assertThat(ran).hasSize(CELLS - 1);
    assertThat(task(4).phase()).isEqualTo(Phase.FAILED);
    assertThat(task(4).attempt()).isEqualTo(2);
    assertThat(folder.lastLines(cell(4).id()))
        .containsExactly("java.lang.OutOfMemoryError: Java heap space");
  }

  /** Leaves the journal of a process that ended while it simulated the second of three cells. */
  private void endWithinTheSecondCell() throws Exception {
    SimulatedCells[] cut = new SimulatedCells[1];
    cut[0] =
        simulated(
            1,
            (cell, log) -> {
              if (cell.equals(cell(1))) {
                cut[0].stop();
                return ExitStatus.BUG;
              }
              return finish(cell);
            });
    cut[0].run(cells(0, 1, 2), failed -> {});
    folder.close();
    folder = SweepFolder.take(path);
    assertThat(ran).containsExactly("seed=0");
    assertThat(task(0).phase()).isEqualTo(Phase.DONE);
    assertThat(task(1).phase()).isEqualTo(Phase.RUNNING);
    assertThat(task(2).phase()).isEqualTo(Phase.WAITING);
  }

  @Test
  void whatWasBegunBefore_isSimulatedAnew_andWhatIsDoneIsNot() throws Exception {
    endWithinTheSecondCell();
    run(1, cells(1, 2), (cell, log) -> finish(cell));
    assertThat(ran).containsExactly("seed=0", "seed=1", "seed=2");
    assertThat(folder.queue().state().tasks()).allMatch(task -> task.phase() == Phase.DONE);
  }

  @Test
  void aFolderThatTheJournalHasNotHeardOf_isDone() throws Exception {
    endWithinTheSecondCell();
    finish(cell(1));
    run(1, cells(2), (cell, log) -> finish(cell));
    assertThat(ran).containsExactly("seed=0", "seed=1", "seed=2");
    assertThat(task(1).ended().outcome()).isEqualTo(Outcome.DONE_BEFORE);
    assertThat(folder.queue().state().tasks()).allMatch(task -> task.phase() == Phase.DONE);
  }

  @Test
  void cellsThatTheGridHasNoLonger_waitNoMore() throws Exception {
    SimulatedCells stopped = simulated(1, (cell, log) -> finish(cell));
    stopped.stop();
    stopped.run(cells(0), failed -> {});
    assertThat(task(0).phase()).isEqualTo(Phase.WAITING);
    run(1, cells(1), (cell, log) -> finish(cell));
    assertThat(ran).containsExactly("seed=1");
    assertThat(task(0).ended().why()).isEqualTo("the grid has no such cell any longer");
  }

  @Test
  void stopped_endsWhatRuns_inTheJournal() throws Exception {
    SimulatedCells[] cells = new SimulatedCells[1];
    var both = new CyclicBarrier(2);
    cells[0] =
        simulated(
            1,
            (cell, log) -> {
              cells[0].stop();
              meet(both);
              return ExitStatus.BUG;
            });
    cells[0].run(cells(0, 1), failed -> {});
    assertThat(cells[0].stopped(true)).startsWith("Stopped. Cells that were ended: 1. ");
    meet(both);
    assertThat(task(0).ended().why()).isEqualTo("stopped with its sweep");
    assertThat(task(1).phase()).isEqualTo(Phase.WAITING);
  }
}
