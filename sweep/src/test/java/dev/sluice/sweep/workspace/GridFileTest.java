package dev.sluice.sweep.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.Grid.Named;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a sweep of experiments, and its mistakes. */
final class GridFileTest {
  @TempDir private Path folder;

  private Grid read(String text) throws IOException, UserMistakeException {
    Files.writeString(folder.resolve("base.yaml"), "arrival_rate_jobs_per_sec: 10\n");
    return GridFile.read(Files.writeString(folder.resolve("rates.yaml"), text), null, 2);
  }

  private void assertRefused(String text, String... lines) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(UserMistakeException.class)
        .satisfies(
            e ->
                assertThat(e.getMessage().replace(folder + "/", "").lines())
                    .containsExactly(lines));
  }

  private static List<String> texts(Axis axis) {
    return axis.values().stream().map(Setting::text).toList();
  }

  @Test
  void holdsWhatTheFileSays() throws Exception {
    Grid grid =
        read(
            """
            base: base.yaml
            mode: run
            slots: 3
            grid: {scheduler_name: [fifo, dynamic], lanes.num_lanes: [1, 2], seed: [1, 2]}
            exclude: [{scheduler_name: fifo, lanes.num_lanes: 2}]
            repeat_over: seed
            figures: [all_p50_e2e_ms]
            """);
    assertThat(grid.name()).isEqualTo("rates");
    assertThat(grid.base()).isEqualTo(folder.resolve("base.yaml"));
    assertThat(grid.mode()).isEqualTo(Mode.RUN);
    assertThat(grid.slots()).isEqualTo(3);
    assertThat(grid.axes())
        .extracting(Axis::key)
        .containsExactly("scheduler_name", "lanes.num_lanes", "seed");
    assertThat(grid.excluded().get(0)).containsOnlyKeys("scheduler_name", "lanes.num_lanes");
    assertThat(grid.repeatOver()).isEqualTo("seed");
    assertThat(grid.figures()).extracting(Named::name).containsExactly("all_p50_e2e_ms");
  }

  @Test
  void hasDefaults() throws Exception {
    Grid simulated = read("base: base.yaml\ngrid: {seed: [1]}\n");
    assertThat(simulated.mode()).isEqualTo(Mode.SIMULATE);
    assertThat(simulated.slots()).isEqualTo(2);
    assertThat(simulated.repeatOver()).isNull();
    assertThat(simulated.figures())
        .extracting(Named::name)
        .containsExactly("all_p99_e2e_ms", "all_goodput_jobs_sec");
    assertThat(read("base: base.yaml\nmode: run\ngrid: {seed: [1]}\n").slots()).isEqualTo(1);
  }

  @Test
  void writesListsAndMappings_asOverridesAreWritten() throws Exception {
    Grid grid =
        read(
            """
            base: base.yaml
            grid:
              workloads: [[resnet18], [vit, "a, b"]]
              microbatch: [{enabled: false}, {window_ms: 5, policies: [fifo]}]
              run_name: ["12", two words]
            """);
    assertThat(texts(grid.axes().get(0))).containsExactly("[resnet18]", "[vit, \"a, b\"]");
    assertThat(texts(grid.axes().get(1)))
        .containsExactly("{enabled: false}", "{window_ms: 5, policies: [fifo]}");
    assertThat(texts(grid.axes().get(2))).containsExactly("\"12\"", "two words");
  }

  @Test
  void tellsEveryMistake_withItsLine() {
    assertRefused(
        """
        base: bass.yaml
        mode: simulated
        grid:
          seed: [1, 2, 1]
          scheduler_name: fifo
        exclude: [{sed: 1}, {seed: 7}]
        repeat_over: seeds
        figures: [a, a]
        slot: 2
        """,
        "rates.yaml:1: error: base (bass.yaml) does not exist.",
        "  Maybe the path counts from the grid's own folder, and another file was meant.",
        "rates.yaml:2: error: mode (simulated) is unknown.",
        "  Maybe you meant simulate. Known modes: capacity, run, simulate.",
        "rates.yaml:4: error: grid.seed (1) stands in the list twice.",
        "  Maybe one of the two should be removed.",
        "rates.yaml:5: error: grid.scheduler_name (fifo) must be a list.",
        "  Maybe you meant [fifo].",
        "rates.yaml:6: error: exclude (sed) is no key of grid.",
        "  Maybe you meant seed. Known keys of grid: seed.",
        "rates.yaml:6: error: exclude.seed (7) is no value of grid.seed.",
        "  Maybe you meant 1.",
        "rates.yaml:7: error: repeat_over (seeds) is no key of grid.",
        "  Maybe you meant seed. Known keys of grid: seed.",
        "rates.yaml:8: error: figures (a) stands in the list twice.",
        "  Maybe one of the two should be removed.",
        "rates.yaml:9: error: the key slot is unknown.",
        "  Maybe you meant slots. Known keys: base, capacity, exclude, figures, grid, league, mode, repeat_over, slots.");
  }

  @Test
  void refusesAGridOfNothing_andOneOfTooManyCells() {
    assertRefused(
        "base: base.yaml\n",
        "rates.yaml:1: error: grid names no key to cross.",
        "  Maybe you meant grid: {scheduler_name: [fifo, dynamic]}.");
    String hundred = String.join(", ", IntStream.range(0, 101).mapToObj(i -> "" + i).toList());
    assertRefused(
        "base: base.yaml\ngrid: {seed: [" + hundred + "], max_waiting: [" + hundred + "]}\n",
        "rates.yaml:2: error: grid has more cells than a sweep takes (10201 of 10000).",
        "  Maybe several sweeps, each of a part, will do.");
    assertRefused(
        "- base\n",
        "rates.yaml:1: error: a grid is a mapping of keys to values.",
        "  Maybe it should begin with base: experiment.yaml.");
  }

  @Test
  void anAxisMayHaveNamesOfSeveralKeys() throws Exception {
    Grid grid =
        read(
            """
            base: base.yaml
            x-small: &small {lanes.num_lanes: 1}
            grid: {device: {small one: *small, large: {lanes.num_lanes: 8, batch_sizes: [1, 2]}}}
            """);
    assertThat(texts(grid.axes().get(0))).containsExactly("small one", "large");
    assertThat(grid.axes().get(0).values().get(1).overrides())
        .extracting(Grid.KeyValue::written)
        .containsExactly("lanes.num_lanes=8", "batch_sizes=[1, 2]");
    assertRefused(
        "base: base.yaml\ngrid: {device: {small: 1}}\n",
        "rates.yaml:2: error: grid.device.small must be a mapping of keys of an experiment to"
            + " values.",
        "  Maybe you meant device: {small: {lanes.num_lanes: 4}}, or a list of values.");
  }

  private static final String LEAGUE =
      """
      base: base.yaml
      mode: capacity
      capacity: {good_share: 0.95, shares_of_bound: [0.8]}
      grid: {cell: {calm one: {seed: 1}, bursts one: {seed: 2}}, scheduler_name: [fifo, slack], seed: [1]}
      repeat_over: seed
      """;

  @Test
  void aLeagueComparesOnePolicyWithOthers() throws Exception {
    Grid grid =
        read(
            LEAGUE
                + """
                league:
                  cells: cell
                  policies: scheduler_name
                  ours: slack
                  others: [fifo]
                  shown: calm
                  groups: {busy: {all: one, any: [bursts]}}
                """);
    assertThat(grid.mode()).isEqualTo(Mode.CAPACITY);
    assertThat(grid.capacity()).isEqualTo(new Grid.Capacity(0.95, List.of(0.8)));
    assertThat(grid.figures())
        .extracting(Named::name)
        .containsExactly("capacity_of_bound", "capacity_jobs_sec", "bound_jobs_sec");
    Grid.League league = grid.league();
    assertThat(league).isNotNull();
    assertThat(league.shown()).isEqualTo("calm");
    assertThat(league.groups().get(0).holds(List.of("bursts", "one"))).isTrue();
    assertThat(league.groups().get(0).holds(List.of("calm", "one"))).isFalse();
  }

  @Test
  void mistakesInALeague_areToldWithTheirLines() {
    assertRefused(
        LEAGUE
            + """
            league:
              cells: cel
              policies: scheduler_name
              ours: slak
              others: [fifo, slak]
              shown: calmer
            """,
        "rates.yaml:7: error: league.cells (cel) is no key of grid.",
        "  Maybe you meant cell. Known keys of grid: cell, scheduler_name, seed.",
        "rates.yaml:9: error: league.ours (slak) is unknown.",
        "  Maybe you meant slack. Known policies of the grid: fifo, slack.",
        "rates.yaml:10: error: league.others (slak) is unknown.",
        "  Maybe you meant slack. Known policies of the grid: fifo, slack.",
        "rates.yaml:10: error: league.others must name the policies that slak is compared with.",
        "  Maybe you meant others: [fifo, dynamic].");
    assertRefused(
        "base: base.yaml\ncapacity: {good_share: 2}\ngrid: {seed: [1]}\nleague: {cells: seed,"
            + " policies: seed, ours: 1, others: [1]}\n",
        "rates.yaml:2: error: capacity means nothing in mode (simulate).",
        "  Maybe mode: capacity is meant.",
        "rates.yaml:2: error: capacity.good_share (2) must be at least 0.5 and at most 1.",
        "  Maybe the line should be left out, for its default, 0.99.",
        "rates.yaml:4: error: a league compares capacities, repeat by repeat.",
        "  Maybe mode: capacity is meant, and repeat_over: seed.",
        "rates.yaml:4: error: league.others must name the policies that 1 is compared with.",
        "  Maybe you meant others: [fifo, dynamic].");
  }
}
