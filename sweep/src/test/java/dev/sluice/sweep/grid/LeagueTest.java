package dev.sluice.sweep.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.file.Place;
import dev.sluice.sweep.grid.CellResult.State;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.grid.League.Compared;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Capacity;
import dev.sluice.sweep.workspace.Grid.Group;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One policy beside the best of others, on hand-made capacities. */
final class LeagueTest {
  private static final Place PLACE = new Place("grid.yaml", 1);

  private static final Grid.League ASKED =
      new Grid.League("cell", "policy", "ours", List.of("a", "b"), "", List.of());

  private static final Grid GRID =
      new Grid(
          Path.of("grid.yaml"),
          Path.of("base.yaml"),
          PLACE,
          Mode.CAPACITY,
          1,
          List.of(
              axis("cell", "calm one", "bursts one", "bursts four"),
              axis("policy", "a", "b", "ours"),
              axis("seed", "1", "2", "3")),
          List.of(),
          "seed",
          List.of(),
          new Capacity(0.99, List.of()),
          ASKED);

  private final Map<Cell, CellResult> results = new LinkedHashMap<>();

  private static Axis axis(String key, String... values) {
    return new Axis(key, Arrays.stream(values).map(text -> new Setting(text, List.of())).toList());
  }

  /** Notes shares of the bound by seed; NaN: the cell failed. */
  private void add(String cell, String policy, double... shares) {
    for (int seed = 1; seed <= shares.length; seed++) {
      Map<String, String> values = new LinkedHashMap<>();
      values.put("cell", cell);
      values.put("policy", policy);
      values.put("seed", Integer.toString(seed));
      double share = shares[seed - 1];
      results.put(
          new Cell(values, List.of(), cell + policy + seed),
          Double.isNaN(share)
              ? CellResult.failed("why")
              : new CellResult(State.DONE, "", Map.of("capacity_of_bound", share), "digest"));
    }
  }

  private League league() {
    return League.of(GRID, ASKED, results).get(0);
  }

  private void addCalm() {
    add("calm one", "a", 0.5, 0.6, 0.7);
    add("calm one", "b", 0.8, 0.7, 0.9);
    add("calm one", "ours", 0.88, 0.77, 0.99);
  }

  @Test
  void comparesWithTheBestOfTheOthers_seedBySeed() {
    addCalm();
    Compared compared = league().compared("calm one");
    assertThat(compared.best()).isEqualTo("b");
    assertThat(compared.ratio().mean()).isCloseTo(1.1, within(1e-12));
    assertThat(compared.ratio().text()).isEqualTo("1.100 (1.100 to 1.100)");
    assertThat(compared.ratio().verdict()).isEqualTo("ahead");
  }

  @Test
  void isUndecided_whereTheIntervalHoldsOne_andBehindBelowIt() {
    add("calm one", "a", 0.5, 0.5, 0.5);
    add("calm one", "b", 0.4, 0.4, 0.4);
    add("calm one", "ours", 0.45, 0.5, 0.54);
    add("bursts one", "a", 0.5, 0.6, 0.7);
    add("bursts one", "b", 0.4, 0.4, 0.4);
    add("bursts one", "ours", 0.45, 0.55, 0.64);
    assertThat(league().compared("calm one").ratio().verdict()).isEqualTo("undecided");
    assertThat(league().compared("bursts one").ratio().verdict()).isEqualTo("behind");
  }

  @Test
  void groupsCellsByTheWordsOfTheirNames() {
    addCalm();
    add("bursts one", "ours", 0.4, 0.4, 0.4);
    assertThat(league().words()).containsExactly("calm", "bursts", "one", "four");
    assertThat(league().cells(new Group("x", Set.of("one"), Set.of("calm", "four"))))
        .containsExactly("calm one");
    assertThat(league().cells(new Group("x", Set.of("bursts"), Set.of())))
        .containsExactly("bursts one", "bursts four");
  }

  @Test
  void takesTheGeometricMeanOverCells() {
    addCalm();
    add("bursts one", "a", 0.2, 0.2, 0.2);
    add("bursts one", "b", 0.1, 0.1, 0.1);
    add("bursts one", "ours", 0.44, 0.44, 0.44);
    List<Compared> compared = league().compared(List.of("calm one", "bursts one", "bursts four"));
    assertThat(compared).hasSize(2);
    assertThat(League.ratio(compared).mean()).isCloseTo(Math.sqrt(1.1 * 2.2), within(1e-12));
    assertThat(league().shareOfBound(List.of("calm one", "bursts one"), "ours"))
        .isCloseTo(Math.sqrt(0.88 * 0.44), within(1e-12));
  }

  @Test
  void aCapacityOfZero_countsAsTheLeastThatASearchTells() {
    add("calm one", "a", 0, 0, 0);
    add("calm one", "b", 0, 0, 0);
    add("calm one", "ours", 0.5, 0.5, 0.5);
    assertThat(league().compared("calm one").ratio().mean()).isCloseTo(16, within(1e-9));
  }

  @Test
  void hasNoNumber_whereASeedHasNone() {
    add("calm one", "a", 0.5, Double.NaN, 0.5);
    add("calm one", "b", 0.4, Double.NaN, 0.4);
    add("calm one", "ours", 0.45, 0.5, 0.54);
    assertThat(league().compared("calm one")).isNull();
    assertThat(league().shareOfBound(List.of("calm one"), "a")).isNaN();
  }
}
