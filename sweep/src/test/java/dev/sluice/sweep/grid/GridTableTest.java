package dev.sluice.sweep.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.file.Place;
import dev.sluice.sweep.grid.CellResult.State;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.GridTable.Figure;
import dev.sluice.sweep.grid.GridTable.Pair;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Capacity;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.Grid.Named;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures of a sweep over its repeats, on hand-made results. */
final class GridTableTest {
  private static final Place PLACE = new Place("grid.yaml", 1);

  private static Axis axis(String key, String... values) {
    return new Axis(key, Arrays.stream(values).map(text -> new Setting(text, List.of())).toList());
  }

  private static Grid grid(Axis... axes) {
    return new Grid(
        Path.of("grid.yaml"),
        Path.of("base.yaml"),
        PLACE,
        Mode.SIMULATE,
        1,
        List.of(axes),
        List.of(),
        "seed",
        List.of(new Named("p99", PLACE)),
        new Capacity(0.99, List.of()),
        null);
  }

  private static final Grid TWO_POLICIES =
      grid(axis("scheduler_name", "fifo", "dynamic"), axis("seed", "1", "2", "3"));

  private static Cell cell(String policy, int seed) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("scheduler_name", policy);
    values.put("seed", Integer.toString(seed));
    return new Cell(values, List.of(), policy + seed);
  }

  private static CellResult done(double p99, int seed) {
    return new CellResult(State.DONE, "", Map.of("p99", p99), "requests of " + seed);
  }

  private static Map<Cell, CellResult> results(double[] fifo, double[] dynamic) {
    Map<Cell, CellResult> results = new LinkedHashMap<>();
    for (int i = 0; i < fifo.length; i++) {
      results.put(cell("fifo", i + 1), done(fifo[i], i + 1));
    }
    for (int i = 0; i < dynamic.length; i++) {
      results.put(cell("dynamic", i + 1), done(dynamic[i], i + 1));
    }
    return results;
  }

  @Test
  void givesTheMeanOverRepeats_withTheIntervalByStudentsT() {
    var table =
        new GridTable(TWO_POLICIES, results(new double[] {10, 12, 14}, new double[] {20, 20, 20}));
    Figure figure = table.figure(Map.of("scheduler_name", "fifo"), "p99");
    assertThat(figure.interval()).isNotNull();
    assertThat(figure.interval().mean()).isEqualTo(12);
    // t(0.975, 2) = 4.302653, sd = 2; a figure from 0 has its interval by ratios
    double ratio = Math.exp(4.302653 * 2 / Math.sqrt(3) / 12);
    assertThat(figure.interval().low()).isCloseTo(12 / ratio, within(1e-5));
    assertThat(figure.interval().high()).isCloseTo(12 * ratio, within(1e-5));
    assertThat(figure.text()).isEqualTo("12.0 (7.93 to 18.2)");
  }

  @Test
  void comparesPoliciesRepeatByRepeat_soThatWhatBothShareCancels() {
    var table =
        new GridTable(
            TWO_POLICIES, results(new double[] {10, 50, 90}, new double[] {12, 52.5, 91.5}));
    Pair pair = table.pairs().get(0);
    assertThat(pair.first()).isEqualTo("fifo");
    assertThat(pair.values()).containsEntry("scheduler_name", "dynamic");
    assertThat(pair.difference().interval()).isNotNull();
    assertThat(pair.difference().interval().mean()).isCloseTo(2, within(1e-9));
    assertThat(pair.verdict()).isEqualTo("greater");
    assertThat(table.render()).contains("difference to fifo", "+2.00 \u00b1 1.24  greater");
  }

  @Test
  void leavesUndecided_whatTheIntervalDoesNotTell() {
    var table =
        new GridTable(TWO_POLICIES, results(new double[] {10, 20, 30}, new double[] {30, 20, 10}));
    assertThat(table.pairs().get(0).verdict()).isEqualTo("undecided");
  }

  @Test
  void doesNotPair_whereRequestsDiffer() {
    Map<Cell, CellResult> results = results(new double[] {10, 12, 14}, new double[] {11, 13, 15});
    results.put(cell("dynamic", 2), new CellResult(State.DONE, "", Map.of("p99", 13.0), "others"));
    var table = new GridTable(TWO_POLICIES, results);
    assertThat(table.pairs().get(0).difference().text())
        .isEqualTo("not paired: their requests differ");
  }

  @Test
  void givesNoNumber_whereOneRepeatHasNone() {
    for (CellResult without :
        List.of(
            CellResult.failed("gone"),
            new CellResult(State.NOT_COMPARABLE, "late", Map.of(), ""),
            new CellResult(State.DONE, "", Map.of(), ""))) {
      Map<Cell, CellResult> results = results(new double[] {10, 12, 14}, new double[] {20, 21, 22});
      results.put(cell("fifo", 3), without);
      var table = new GridTable(TWO_POLICIES, results);
      Figure figure = table.figure(Map.of("scheduler_name", "fifo"), "p99");
      assertThat(figure.interval()).isNull();
      assertThat(figure.text())
          .isEqualTo(
              switch (without.state()) {
                case FAILED -> "failed (1 of 3)";
                case NOT_COMPARABLE -> "not comparable (1 of 3)";
                default -> "no number (1 of 3)";
              });
      assertThat(table.pairs().get(0).difference().text()).isEqualTo("no number in one of the two");
      assertThat(table.figure(Map.of("scheduler_name", "dynamic"), "p99").text())
          .isEqualTo("21.0 (18.7 to 23.6)");
    }
  }

  @Test
  void leavesExcludedMeasurementsOut() {
    Map<Cell, CellResult> results = results(new double[] {10, 12}, new double[] {});
    var table = new GridTable(TWO_POLICIES, results);
    assertThat(table.figure(Map.of("scheduler_name", "dynamic"), "p99").text())
        .isEqualTo("excluded");
    assertThat(table.pairs()).isEmpty();
    assertThat(table.render()).doesNotContain("dynamic");
  }
}
