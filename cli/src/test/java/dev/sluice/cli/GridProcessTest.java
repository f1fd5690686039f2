package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Grids whose process is ended while cells go on: a cell is a task of a queue. */
@Tag("loop")
@Timeout(300)
final class GridProcessTest {
  private static final int CELLS = 8;
  private static final String STARTED = "== start ";

  @TempDir private Path folder;
  private final List<SluiceProcess> processes = new ArrayList<>();

  @BeforeEach
  void makeFolders() throws IOException {
    Files.createDirectories(left("logs")); // watched before the sweep begins
  }

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (SluiceProcess process : processes) {
      process.close();
    }
    if (Files.exists(left("scheduler_config.yml"))) {
      command("kill-all");
    }
  }

  private Path left(String name) {
    return folder.resolve("results/sweeps/grid").resolve(name);
  }

  private void write(int durationSeconds, int jobsPerSecond, String grid) throws IOException {
    Files.writeString(
        folder.resolve("base.yaml"),
        """
        duration_seconds: %d
        warmup_seconds: 0
        tail_seconds: 20
        arrival_rate_jobs_per_sec: %d
        workloads: [{name: short, tokens: 100, alpha_ms: 2, beta_ms: 0.5}]
        batch_sizes: [1]
        lanes: {num_lanes: 1, kind: emulated}
        """
            .formatted(durationSeconds, jobsPerSecond));
    Files.writeString(
        folder.resolve("grid.yaml"),
        "base: base.yaml\nslots: 1\nfigures: [all_count]\n" + grid + "\n");
  }

  private static String seeds(int cells) {
    return "grid: {seed: " + IntStream.rangeClosed(1, cells).boxed().toList() + "}";
  }

  private List<String> arguments() {
    return List.of(
        "sweep",
        folder.resolve("grid.yaml").toString(),
        "--results",
        folder.resolve("results").toString());
  }

  private SluiceProcess begin() throws IOException {
    SluiceProcess sweep = SluiceProcess.onTerminal(arguments().toArray(String[]::new));
    processes.add(sweep);
    return sweep;
  }

  /** Starts a sweep of simulations, and returns once two of its cells are done. */
  private SluiceProcess beginToSimulate() throws IOException, InterruptedException {
    write(120, 100, seeds(CELLS));
    SluiceProcess sweep = begin();
    sweep.screen().await("2 of " + CELLS + " cells", SluiceProcess.LIMIT);
    return sweep;
  }

  private BadInputCommand again() {
    return sluice(arguments().toArray(String[]::new));
  }

  private BadInputCommand command(String... words) {
    List<String> all = new ArrayList<>(List.of("sweep"));
    all.addAll(List.of(words));
    all.addAll(List.of("--workspace", left("").toString()));
    return sluice(all.toArray(String[]::new));
  }

  /** How often each cell was started, by the name of its task. */
  private Map<String, Long> starts() throws IOException {
    Map<String, Long> starts = new TreeMap<>();
    try (Stream<Path> logs = Files.list(left("logs"))) {
      for (Path log : logs.toList()) {
        String name = log.getFileName().toString();
        long found = Files.readString(log).lines().filter(l -> l.startsWith(STARTED)).count();
        if (found > 0) {
          starts.put(name.substring(0, name.length() - ".log".length()), found);
        }
      }
    }
    return starts;
  }

  /** A busy machine may fail a run, which is then started again, but never beside itself. */
  private static void assertStartedOnce_unlessItFailed(Path log) throws IOException {
    List<String> stamps =
        Files.readString(log).lines().filter(line -> line.startsWith("== ")).toList();
    assertThat(stamps).isNotEmpty();
    for (int i = 0; i < stamps.size(); i++) {
      assertThat(stamps.get(i)).as("%s", stamps).startsWith(i % 2 == 0 ? STARTED : "== end ");
      assertThat(i == 0 || i % 2 == 1 || stamps.get(i - 1).endsWith(": exit status 1"))
          .as("%s", stamps)
          .isTrue();
    }
  }

  private List<String> states() throws IOException {
    List<String> rows = Files.readAllLines(left("sweep.csv"));
    return rows.stream().skip(1).map(row -> row.split(",", -1)[1]).toList();
  }

  /** Starts the sweep, and returns once its first cell, which really runs, has said so. */
  private String beginToRun(List<SluiceProcess> sweep) throws Exception {
    try (WatchService watch = folder.getFileSystem().newWatchService()) {
      WatchKey unused = left("logs").register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      sweep.add(begin());
      while (true) {
        WatchKey key = watch.poll(SluiceProcess.LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(key).as("news of logs").isNotNull();
        for (WatchEvent<?> event : key.pollEvents()) {
          String name = String.valueOf(event.context());
          if (!name.startsWith("grid_")) {
            SluiceProcess tail =
                SluiceProcess.of("tail", "-n", "+1", "-F", left("logs").resolve(name).toString());
            processes.add(tail);
            tail.screen().await("offered load", SluiceProcess.LIMIT);
            return name.substring(0, name.length() - ".log".length());
          }
        }
        key.reset();
      }
    }
  }

  @Test
  void simulatedCells_thatAreDone_runNotAgain_whenTheSweepIsKilled() throws Exception {
    SluiceProcess sweep = beginToSimulate();
    sweep.signal("KILL");
    assertThat(sweep.exitStatus()).isEqualTo(137);
    BadInputCommand next = again();
    assertThat(next.status()).as(next.out() + next.err()).isEqualTo(ExitStatus.DONE);
    assertThat(states()).hasSize(CELLS).containsOnly("done");
    assertThat(starts()).hasSize(CELLS);
    assertThat(starts().values().stream().mapToLong(Long::longValue).sum())
        .isBetween((long) CELLS, CELLS + 1L); // one cell may have been cut off
    assertThat(command("status").out()).contains("running 0, done " + CELLS + ", failed 0");
  }

  @Test
  void simulatedCells_areEnded_onCtrlC_andTheNextSweepRunsTheRest() throws Exception {
    SluiceProcess sweep = beginToSimulate();
    sweep.signal("INT");
    assertThat(sweep.exitStatus()).as(sweep.screen().text()).isEqualTo(ExitStatus.STOPPED);
    assertThat(sweep.handle().descendants()).isEmpty();
    assertThat(command("status").out()).contains("no scheduler runs", "running 0");
    BadInputCommand next = again();
    assertThat(next.status()).as(next.out() + next.err()).isEqualTo(ExitStatus.DONE);
    assertThat(states()).hasSize(CELLS).containsOnly("done");
  }

  @Test
  void aCellThatRuns_goesOn_whenTheSweepIsKilled_andIsFoundAgain() throws Exception {
    write(4, 10, "mode: run\n" + seeds(2));
    List<SluiceProcess> sweep = new ArrayList<>();
    String first = beginToRun(sweep);
    sweep.get(0).signal("KILL");
    assertThat(sweep.get(0).exitStatus()).isEqualTo(137);
    assertThat(command("status").out()).contains("no scheduler runs", "waiting 1, running 1");
    assertThat(command("start").err()).contains("the tasks of this workspace are the cells of a");
    BadInputCommand next = again();
    assertThat(next.out()).contains("2: 2 to run", "found again    1");
    assertThat(states()).as(next.out()).hasSize(2);
    assertThat(starts()).hasSize(2).containsKey(first);
    for (String cell : starts().keySet()) {
      assertStartedOnce_unlessItFailed(left("logs").resolve(cell + ".log"));
    }
  }

  @Test
  void aCellThatRuns_isEnded_onCtrlC_andLooksUnfinished() throws Exception {
    write(600, 10, "mode: run\n" + seeds(2));
    List<SluiceProcess> sweep = new ArrayList<>();
    String first = beginToRun(sweep);
    sweep.get(0).signal("INT");
    sweep.get(0).screen().await("Cells that were ended: 1", SluiceProcess.LIMIT);
    assertThat(sweep.get(0).exitStatus()).isEqualTo(ExitStatus.STOPPED);
    assertThat(left("cells")).isEmptyDirectory();
    assertThat(command("status").out())
        .contains("waiting 1, running 0, done 0, failed 1")
        .contains(first)
        .contains("stopped with its sweep");
    assertThat(sluice("sweep", folder.resolve("grid.yaml").toString(), "--dry-run").out())
        .contains("2: 2 to run, 0 done before");
  }

  @Test
  void aCellThatRuns_isEnded_byKillAll() throws Exception {
    write(600, 10, "mode: run\n" + seeds(2));
    List<SluiceProcess> sweep = new ArrayList<>();
    String first = beginToRun(sweep);
    assertThat(command("kill-all").out()).contains("ended 1 running tasks, 1 wait no more");
    assertThat(sweep.get(0).exitStatus()).isEqualTo(143);
    assertThat(left("cells")).isEmptyDirectory();
    SluiceProcess log =
        SluiceProcess.piped(List.of("sweep", "logs", first, "--workspace", left("").toString()));
    processes.add(log);
    assertThat(log.exitStatus()).isZero();
    log.screen().await(STARTED, SluiceProcess.LIMIT);
  }
}
