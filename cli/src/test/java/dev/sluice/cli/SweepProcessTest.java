package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sweeps in a process of their own: ended by signals, or with another environment. */
@Tag("loop")
final class SweepProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int CELLS = 12;

  @TempDir private Path folder;
  private final Screen screen = new Screen();
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Process start(Map<String, String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "--default-signal=INT")); // a job in the background ignores it
    command.addAll(ChildJvm.sluice(List.of("-Dsluice.terminal=true"), List.of(arguments)));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    var reader =
        new Thread(
            () -> {
              try (var output = process.getInputStream()) {
                output.transferTo(screen);
              } catch (IOException e) {
                screen.stream().println(e);
              }
            },
            "screen-reader");
    reader.setDaemon(true);
    reader.start();
    return process;
  }

  private int exitStatus(Process process) throws InterruptedException {
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(screen.text()).isTrue();
    return process.exitValue();
  }

  /** Cells that are done, with the time at which each got its figures. */
  private Map<String, FileTime> done() throws IOException {
    Map<String, FileTime> done = new TreeMap<>();
    try (Stream<Path> inside = Files.list(folder.resolve("results/sweeps/grid/cells"))) {
      for (Path cell : inside.toList()) {
        Path summary = cell.resolve("summary.json");
        if (!cell.getFileName().toString().contains(".running") && Files.exists(summary)) {
          done.put(cell.getFileName().toString(), Files.getLastModifiedTime(summary));
        }
      }
    }
    return done;
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "KILL, 137"})
  void whatIsDoneStays_andTheNextSweepRunsTheRest(String signal, int expectedStatus)
      throws Exception {
    write(
        "base.yaml",
        """
        duration_seconds: 300
        warmup_seconds: 0
        tail_seconds: 1
        arrival_rate_jobs_per_sec: 100
        workloads: [{name: short, tokens: 100, alpha_ms: 2, beta_ms: 0.5}]
        batch_sizes: [1]
        lanes: {num_lanes: 1, kind: emulated}
        """);
    write(
        "grid.yaml",
        """
        base: base.yaml
        slots: 1
        grid: {seed: %s}
        figures: [all_p50_e2e_ms]
        """
            .formatted(IntStream.rangeClosed(1, CELLS).boxed().toList()));
    String grid = folder.resolve("grid.yaml").toString();
    String results = folder.resolve("results").toString();
    Process sweep = start(Map.of(), "sweep", grid, "--results", results);
    screen.await("2 of " + CELLS + " cells", LIMIT);
    var kill = new ProcessBuilder("kill", "-" + signal, Long.toString(sweep.pid())).start();
    assertThat(kill.waitFor()).isZero();
    assertThat(exitStatus(sweep)).as(screen.text()).isEqualTo(expectedStatus);
    Map<String, FileTime> before = done();
    assertThat(before).hasSizeBetween(2, CELLS - 1);

    BadInputCommand next = sluice("sweep", grid, "--results", results);
    assertThat(next.status()).as(next.out() + next.err()).isEqualTo(ExitStatus.DONE);
    assertThat(next.out())
        .contains(
            CELLS + ": " + (CELLS - before.size()) + " to run, " + before.size() + " done before");
    assertThat(done()).hasSize(CELLS).containsAllEntriesOf(before);
  }

  private void makeConda() throws IOException {
    write("conda/bin/conda", "#!/bin/sh\nexit 1\n");
    write(
        "conda/etc/profile.d/conda.sh",
        """
        conda() {
          [ "$1" = activate ] || return 1
          PATH=${CONDA_EXE%/bin/conda}/envs/$2/bin:$PATH
          CONDA_DEFAULT_ENV=$2
          export PATH CONDA_DEFAULT_ENV
        }
        """);
    write("conda/envs/torch 2/bin/python", "#!/bin/sh\nexec /bin/sh \"$@\"\n");
    for (String program : List.of("conda/bin/conda", "conda/envs/torch 2/bin/python")) {
      assertThat(folder.resolve(program).toFile().setExecutable(true)).isTrue();
    }
    write("vision/train.sh", "echo \"$CONDA_DEFAULT_ENV $(command -v python)\" >>ran\n");
    write("vision/configs/a.yml", "epochs: 1\n");
  }

  private int startInVision(String condaEnv) throws Exception {
    write(
        "vision/scheduler_config.yml",
        """
        task_name: vision
        conda_env: %s
        python_env: python
        script_path: train.sh
        log_dir: logs
        tmux: false
        """
            .formatted(condaEnv));
    return exitStatus(
        start(
            Map.of("CONDA_EXE", folder.resolve("conda/bin/conda").toString()),
            "sweep",
            "start",
            "--foreground",
            "--config",
            folder.resolve("vision/scheduler_config.yml").toString(),
            "--workspace",
            folder.resolve("vision").toString()));
  }

  @Test
  void activatesTheCondaEnvironment_inWhichATaskRuns() throws Exception {
    makeConda();
    assertThat(startInVision("torch 2")).as(screen.text()).isZero();
    assertThat(folder.resolve("vision/ran"))
        .hasContent("torch 2 " + folder.resolve("conda/envs/torch 2/bin/python"));
  }

  @Test
  void refusesACondaEnvironmentThatIsMissing() throws Exception {
    makeConda();
    assertThat(startInVision("torch 3")).isEqualTo(ExitStatus.MISTAKE);
    screen.await("scheduler_config.yml:2: error: conda_env (torch 3) is missing.", LIMIT);
    assertThat(folder.resolve("vision/ran")).doesNotExist();
  }
}
