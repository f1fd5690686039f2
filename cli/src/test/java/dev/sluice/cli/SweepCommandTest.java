package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Own sweeps: what {@code ./sluice sweep GRID} runs, leaves and refuses. */
final class SweepCommandTest {
  private static final String BASE =
      """
      duration_seconds: 2
      warmup_seconds: 0
      tail_seconds: 1
      arrival_rate_jobs_per_sec: 40
      workloads: [{name: short, tokens: 100, alpha_ms: 2, beta_ms: 0.5}]
      batch_sizes: [1]
      lanes: {num_lanes: 1, kind: emulated}
      """;
  private static final String GRID =
      """
      base: base.yaml
      grid: {scheduler_name: [fifo, dynamic], arrival_rate_jobs_per_sec: [20, 40], seed: [1, 2]}
      exclude: [{scheduler_name: fifo, arrival_rate_jobs_per_sec: 40}]
      repeat_over: seed
      figures: [all_p50_e2e_ms, all_goodput_jobs_sec]
      """;

  @TempDir private Path folder;

  @BeforeEach
  void writesAGrid() throws IOException {
    write("base.yaml", BASE);
    write("loads.yaml", GRID);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private BadInputCommand sweep(String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("sweep", folder.resolve("loads.yaml").toString()));
    arguments.addAll(List.of("--results", folder.resolve("results").toString()));
    arguments.addAll(List.of(options));
    return sluice(arguments.toArray(String[]::new));
  }

  private Path left() {
    return folder.resolve("results/sweeps/loads");
  }

  /** Cells that are done, with the time at which each got its folder. */
  private Map<String, FileTime> cells() throws IOException {
    Map<String, FileTime> cells = new TreeMap<>();
    try (Stream<Path> inside = Files.list(left().resolve("cells"))) {
      for (Path cell : inside.toList()) {
        cells.put(
            cell.getFileName().toString(), Files.getLastModifiedTime(cell.resolve("summary.json")));
      }
    }
    return cells;
  }

  @Test
  @Tag("loop")
  void aLeague_comparesOnePolicyWithTheBestOfOthers_andGoesOnWhereItWasStopped()
      throws IOException {
    write("base.yaml", BASE.replace("per_sec: 40", "per_sec: 400"));
    write(
        "loads.yaml",
        """
        base: base.yaml
        mode: capacity
        grid:
          setting:
            one-lane even: {lanes.num_lanes: 1, arrivals: constant}
            two-lanes even: {lanes.num_lanes: 2, arrivals: constant}
          policy:
            fifo: {scheduler_name: fifo}
            eager: {scheduler_name: eager_edf}
            ours: {scheduler_name: slack, scheduler.hop_ms: 0}
          seed: [1, 2]
        repeat_over: seed
        league: {cells: setting, policies: policy, ours: ours, others: [fifo, eager]}
        """);
    BadInputCommand first = sweep();
    assertThat(first.err()).isEmpty();
    assertThat(first.status()).isEqualTo(ExitStatus.DONE);
    assertThat(first.out()).contains("12: 12 to run", "ours beside the best of fifo, eager");
    String tables = Files.readString(left().resolve("league.md"));
    assertThat(tables)
        .contains(
            "| all cells | 2 | ",
            "### Cells that speak against ours",
            "| family | cells | fifo | eager | ours |",
            "| two-lanes | 1 | ",
            "| policy | at 0.5 | at 0.9 | at 1.2 |")
        .doesNotContain("no number");
    assertThat(Files.readString(left().resolve("league.html")))
        .contains("default-src 'none'", "src=\"data:image/png;base64,", "two-lanes even")
        .doesNotContain("http:", "https:");
    assertThat(left().resolve("league.png")).isNotEmptyFile();

    try (Stream<Path> cells = Files.list(left().resolve("cells"))) {
      for (Path one : cells.limit(3).toList()) {
        try (Stream<Path> files = Files.list(one)) {
          for (Path file : files.toList()) {
            Files.delete(file);
          }
        }
        Files.delete(one);
      }
    }
    assertThat(sweep().out()).contains("12: 3 to run, 9 done before");
    assertThat(Files.readString(left().resolve("league.md"))).isEqualTo(tables);
  }

  @Test
  @Tag("loop")
  void simulatesEachCellOnce_andTellsThemSideBySide() throws IOException {
    BadInputCommand first = sweep();
    assertThat(first.err()).isEmpty();
    assertThat(first.status()).isEqualTo(ExitStatus.DONE);
    assertThat(first.out())
        .contains(
            "6: 6 to run, 0 done before; 2 excluded",
            "! simulated: nothing ran and nothing waited",
            "difference to fifo",
            "95 % interval of the mean over seed");
    assertThat(cells()).hasSize(6);
    assertThat(Files.readAllLines(left().resolve("sweep.csv")))
        .hasSize(7)
        .first()
        .isEqualTo(
            "scheduler_name,arrival_rate_jobs_per_sec,seed,state,why,all_p50_e2e_ms,"
                + "all_goodput_jobs_sec,request_digest,key,folder");
    assertThat(left().resolve("all_p50_e2e_ms.png")).isNotEmptyFile();
    assertThat(Files.readString(left().resolve("sweep.html")))
        .contains("default-src 'none'", "src=\"data:image/png;base64,", "dynamic")
        .doesNotContain("http:", "https:");

    Map<String, FileTime> before = cells();
    BadInputCommand second = sweep();
    assertThat(second.out()).contains("6: 0 to run, 6 done before");
    assertThat(cells()).isEqualTo(before);
    assertThat(second.out().lines().skip(2).toList())
        .isEqualTo(first.out().lines().skip(2).toList());
  }

  @Test
  @Tag("loop")
  void tellsAPolicysShareOfTheBound_whichIsOneForAllPolicies() throws IOException {
    write(
        "loads.yaml",
        """
        base: base.yaml
        grid: {scheduler_name: [fifo, dynamic], arrival_rate_jobs_per_sec: [40, 700]}
        figures: [all_goodput_jobs_sec, all_goodput_bound_jobs_sec, all_goodput_of_bound]
        """);
    BadInputCommand ended = sweep();
    assertThat(ended.status()).as(ended.out() + ended.err()).isEqualTo(ExitStatus.DONE);
    List<String[]> rows =
        Files.readAllLines(left().resolve("sweep.csv")).stream()
            .skip(1)
            .map(row -> row.split(",", -1))
            .toList();
    assertThat(rows).hasSize(4);
    for (String[] row : rows) {
      double goodput = Double.parseDouble(row[4]);
      double bound = Double.parseDouble(row[5]);
      assertThat(goodput).isBetween(0.0, bound);
      assertThat(Double.parseDouble(row[6])).isEqualTo(goodput / bound);
    }
    assertThat(rows.get(0)[5]).isEqualTo(rows.get(2)[5]);
    assertThat(left().resolve("all_goodput_of_bound.png")).isNotEmptyFile();

    write("base.yaml", BASE.replace("kind: emulated", "kind: real").replaceAll("workl.*", ""));
    write(
        "loads.yaml",
        """
        base: base.yaml
        mode: run
        grid: {seed: [1]}
        figures: [all_goodput_of_bound]
        """);
    sweep().isRefused(1);
  }

  @Test
  @Tag("loop")
  void runsAnew_onlyWhatIsAnotherCellNow() throws IOException {
    sweep();
    Map<String, FileTime> before = cells();
    write("loads.yaml", GRID.replace("seed: [1, 2]", "seed: [1, 2, 3]"));
    assertThat(sweep("--resume").out()).contains("9: 3 to run, 6 done before");
    assertThat(cells()).hasSize(9).containsAllEntriesOf(before);
    write("base.yaml", BASE.replace("num_lanes: 1", "num_lanes: 2"));
    assertThat(sweep("--dry-run").out()).contains("9: 9 to run, 0 done before");
  }

  @Test
  @Tag("loop")
  void refusesToResume_whereTheBaseHasChanged_andSaysHow() throws IOException {
    sweep();
    write("base.yaml", BASE.replace("num_lanes: 1", "num_lanes: 2"));
    BadInputCommand refused = sweep("--resume");
    assertThat(refused.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(refused.err())
        .contains("loads.yaml:1: error: base (")
        .contains("has changed since the sweep began: lanes.num_lanes was 1, is 2.")
        .contains("  Maybe ");
    assertThat(cells()).hasSize(6);
  }

  @Test
  void refusesToResume_whatHasNotBegun() {
    assertThat(sweep("--resume").err())
        .contains("--resume: error: no sweep has begun in (" + left() + ").");
  }

  @Test
  void leavesNothing_whereItIsDry() {
    BadInputCommand dry = sweep("--dry-run");
    assertThat(dry.status()).isEqualTo(ExitStatus.DONE);
    assertThat(dry.out())
        .contains("to run   scheduler_name=dynamic, arrival_rate_jobs_per_sec=40, seed=2");
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  void checksEveryCell_beforeTheFirstRuns() throws IOException {
    write("loads.yaml", GRID.replace("[fifo, dynamic]", "[fifo, dinamic]").replace("p50", "p51"));
    BadInputCommand refused = sweep();
    assertThat(refused.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(refused.err())
        .contains("loads.yaml:2: error: scheduler_name (dinamic) is unknown, in cell ")
        .contains("Maybe you meant dynamic.");
    assertThat(refused.err().lines()).hasSize(2);
    write("loads.yaml", GRID.replace("p50", "p51"));
    assertThat(sweep().err())
        .contains("loads.yaml:5: error: figures (all_p51_e2e_ms) is not a figure.")
        .contains("Maybe you meant all_p50_e2e_ms.");
    write("base.yaml", BASE + "sheduler_name: fifo\n");
    assertThat(sweep().err()).contains("base.yaml:8: error: the key sheduler_name is unknown.");
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  @Tag("loop")
  void runsAgain_whatWasLeftUnfinished() throws IOException {
    sweep();
    Map<String, FileTime> before = cells();
    String cell =
        before.keySet().stream().filter(c -> c.startsWith("dynamic-40-2")).findAny().orElseThrow();
    Files.move(
        left().resolve("cells").resolve(cell), left().resolve("cells").resolve(cell + ".running"));
    BadInputCommand again = sweep();
    assertThat(again.status()).isEqualTo(ExitStatus.DONE);
    assertThat(again.out()).contains("6: 1 to run, 5 done before");
    assertThat(cells().keySet()).isEqualTo(before.keySet());
  }

  @Test
  @Tag("loop")
  void refusesAFolder_inWhichAnotherSweepWorks() throws Exception {
    sweep();
    try (HeldQueue held = Workspace.queueOf(left()).hold().orElseThrow()) {
      assertThat(held.state().tasks()).hasSize(6);
      assertThat(sweep().err()).contains(left() + ": error: another process runs this sweep.");
    }
  }

  @Test
  void saysWhatIsMeant_byAWordThatIsNeitherACommandNorAFile() {
    BadInputCommand unknown = sluice("sweep", "setpu");
    assertThat(unknown.status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(unknown.err()).contains("(setpu) is neither a command nor a file");
    assertThat(sluice("sweep", "strat", "--config", "f", "a.yml", "0,1").err())
        .contains("(strat) is neither a command nor a file", "Maybe you meant start. ");
    assertThat(sluice("sweep").status()).isEqualTo(ExitStatus.MISTAKE);
    assertThat(sluice("sweep", "none.yaml").err())
        .contains("none.yaml: error: the file does not exist.");
  }

  @Test
  @Tag("loop")
  void tellsAFailedCellAsFailed_neverAsANumber_whereCellsReallyRun() throws IOException {
    String patient = "classes: {interactive: {slo_ms: 20000}, batch: {slo_ms: 20000}}\n";
    write("base.yaml", BASE + patient); // so that a busy machine's late generator fails no run
    write(
        "loads.yaml",
        """
        base: base.yaml
        mode: run
        grid: {kafka.bootstrap_servers: [embedded, "localhost:1"]}
        figures: [all_count]
        """);
    BadInputCommand ended = sweep();
    assertThat(ended.status()).as(ended.out() + ended.err()).isEqualTo(ExitStatus.FAULTS);
    assertThat(ended.out())
        .containsPattern("(?m)^\"localhost:1\" +failed$")
        .contains("Cells without a number:", "failed: exit status 2: ");
    List<String> rows = Files.readAllLines(left().resolve("sweep.csv"));
    assertThat(rows.get(1)).matches("embedded,(done|not comparable),.*");
    assertThat(rows.get(2)).contains(",failed,").contains(",,");
    BadInputCommand again = sweep();
    assertThat(again.out()).contains("2: 1 to run, 1 done before");
  }
}
