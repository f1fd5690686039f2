package dev.sluice.sweep.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.WorkspaceRuns.Mode;
import dev.sluice.sweep.workspace.WorkspaceRuns.WorkspaceWork;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A workspace's files as tasks, and the user's mistakes in them. */
@Timeout(600)
final class WorkspaceTest {
  private static final String CONFIG =
      """
      task_name: exp
      python_env: /bin/sh
      script_path: train.sh
      log_dir: logs
      tmux: false
      """;

  private static final String SCRIPT =
      """
      name=$(basename "$2" .yml)
      echo "$name $CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER" >>ran
      . "$2"
      echo done >"out/${name}_completed.txt"
      """;

  @TempDir private Path folder;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void makeWorkspace() throws IOException {
    Files.createDirectory(folder.resolve("configs"));
    write("scheduler_config.yml", CONFIG);
    write("train.sh", SCRIPT);
    for (String name : List.of("a", "b", "c")) {
      write("configs/" + name + ".yml", "true\n");
    }
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(folder.resolve(file), text);
  }

  private Workspace open() throws UserMistakeException {
    return Workspace.open(folder.resolve("scheduler_config.yml"), folder);
  }

  private WorkspaceRuns run() throws UserMistakeException {
    return new WorkspaceRuns(
        open(), new Console(new PrintStream(printed, true, StandardCharsets.UTF_8), false));
  }

  private List<String> ran() throws IOException {
    return Files.readAllLines(folder.resolve("ran"));
  }

  private List<Request> select(String configs, String gpus) throws Exception {
    return run().entries(configs, gpus, new QueueState());
  }

  @Test
  void putsTheConfigs_onTheirGpus_inOrder() throws Exception {
    assertThat(select("c.yml, a.yml", "1,0"))
        .containsExactly(
            new Request("c", folder.resolve("configs/c.yml").toString(), 1, false),
            new Request("a", folder.resolve("configs/a.yml").toString(), 0, false));
    assertThat(select("", "")).extracting(Request::name).containsExactly("a", "b", "c");
  }

  @Test
  void namesAllMistakes_ofTheLists() {
    assertThatThrownBy(() -> select("a.yml,a.yml,nothing.yml", "0,1,2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("config (nothing.yml) is missing")
        .hasMessageContaining("config (a.yml) is listed twice")
        .hasMessageContaining("GPU (2) is out of range");
    assertThatThrownBy(() -> select("a.yml,b.yml", "0"))
        .hasMessageContaining("there are 2 configs, but 1 GPUs (0)");
  }

  @Test
  void twoConfigsOfOneStem_areAMistake() throws Exception {
    write("configs/a.yaml", "true\n");
    assertThatThrownBy(() -> select("a.yml,a.yaml", ""))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("two configs have one name");
  }

  @Test
  void aPatternThatMatchesNothing_isAMistake() throws Exception {
    write("scheduler_config.yml", CONFIG + "config_pattern: '*.toml'\n");
    assertThatThrownBy(() -> select("", ""))
        .hasMessageContaining("no config matches config_pattern (*.toml)");
  }

  @Test
  void mistakesOfTheFile_haveLines() throws Exception {
    write("scheduler_config.yml", "task_nam: x\nmax_jobs_per_gpu: two\ngpus: [0, 0]\n");
    assertThatThrownBy(this::open)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("scheduler_config.yml:1: error: the key task_nam is unknown")
        .hasMessageContaining("scheduler_config.yml:2: error: max_jobs_per_gpu (two)")
        .hasMessageContaining("scheduler_config.yml:3: error: gpus (0) stands in the list twice");
  }

  @Test
  void whatIsMissing_isNamed_withItsLine() throws Exception {
    write("scheduler_config.yml", "script_path: none.py\npython_env: /none/python\n");
    assertThatThrownBy(() -> open().check())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("scheduler_config.yml:1: error: script_path (")
        .hasMessageContaining(
            "scheduler_config.yml:2: error: python_env (/none/python) is missing");
  }

  @Test
  void aGpuCountsWithinTheVariablesOwnValue() throws Exception {
    Workspace all = open();
    var some = new Workspace(all.config(), all.queue(), List.of("2", "GPU-5"));
    assertThat(some.visibleId(1)).isEqualTo("GPU-5");
    assertThat(new WorkspaceWork(some).plan("a", folder + "/configs/a.yml", 1).environment())
        .containsEntry("CUDA_VISIBLE_DEVICES", "GPU-5")
        .containsEntry("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    var one = new Workspace(all.config(), all.queue(), List.of("2"));
    assertThatThrownBy(one::check)
        .hasMessageContaining("GPU (1) is beyond those of CUDA_VISIBLE_DEVICES (2)");
  }

  @Test
  void leavesFilesOfOthersAlone_andLinks() throws Exception {
    Path logs = Files.createDirectories(folder.resolve("logs/train_logs"));
    Files.writeString(logs.resolve("a.log"), "another's\n");
    Files.createSymbolicLink(logs.resolve("b.log"), folder.resolve("train.sh"));
    Workspace workspace = open();
    assertThat(workspace.taskLog("a")).isEqualTo(logs.resolve("exp_a.log"));
    assertThat(workspace.taskLog("b")).isEqualTo(logs.resolve("exp_b.log"));
    assertThat(workspace.taskLog("c")).isEqualTo(logs.resolve("c.log"));
    Files.writeString(logs.resolve("exp_a.log"), "another's\n");
    assertThat(workspace.taskLog("a")).isEqualTo(open().queue().folder().resolve("a.log"));
  }

  @Test
  @Tag("loop")
  void runsAllConfigs_andNoneThatIsDone() throws Exception {
    assertThat(run().start(null, null, Mode.FOREGROUND)).isZero();
    assertThat(ran())
        .allMatch(line -> line.endsWith(" PCI_BUS_ID"))
        .extracting(line -> line.substring(0, 1))
        .containsExactlyInAnyOrder("a", "b", "c");
    assertThat(run().start(null, null, Mode.FOREGROUND)).isZero();
    assertThat(ran()).hasSize(3);
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("a is done before");
    assertThat(folder.resolve("logs/train_logs/a.log")).exists();
  }

  @Test
  @Tag("loop")
  void startPutsEachConfig_onItsGpu() throws Exception {
    assertThat(run().start("a.yml,b.yml,c.yml", "1,0,0", Mode.FOREGROUND)).isZero();
    assertThat(ran())
        .containsExactlyInAnyOrder("a 1 PCI_BUS_ID", "b 0 PCI_BUS_ID", "c 0 PCI_BUS_ID");
  }

  @Test
  @Tag("loop")
  void retryRunsAgain_whatFailed_andWhatChanged() throws Exception {
    write("configs/b.yml", "exit 9\n");
    assertThat(run().start(null, null, Mode.FOREGROUND)).isEqualTo(ExitStatus.FAULTS);
    write("configs/b.yml", "true\n");
    assertThat(run().retry(List.of(), true, false, Mode.FOREGROUND)).isZero();
    assertThat(ran()).hasSize(4);
    write("configs/c.yml", "true # changed\n");
    assertThat(run().retry(List.of(), false, true, Mode.FOREGROUND)).isZero();
    assertThat(ran()).hasSize(5);
    assertThat(ran().get(4)).startsWith("c ");
    assertThat(folder.resolve("out/c_completed.txt.before")).exists();
    assertThat(open().queue().read().tasks()).allMatch(task -> task.phase() == Phase.DONE);
  }

  @Test
  @Tag("loop")
  void statusTells_whatFailedAndWhy() throws Exception {
    write("configs/b.yml", "echo the reason; exit 9\n");
    assertThat(run().start(null, null, Mode.FOREGROUND)).isEqualTo(ExitStatus.FAULTS);
    QueueStatus status = QueueStatus.of(open());
    assertThat(status.exitStatus()).isEqualTo(ExitStatus.FAULTS);
    assertThat(status.lines())
        .contains("exp: no scheduler runs", "waiting 0, running 0, done 2, failed 1")
        .anyMatch(line -> line.matches(" *failed +b .*exit status 9, attempt 1 \\| the reason"));
    assertThat(status.json()).contains("\"name\":\"b\"", "\"last_line\":\"the reason\"");
  }

  /** The log is as large as a disk lets it be, but mostly a hole. */
  @Test
  @Tag("loop")
  void statusTellsTheLastLine_ofAHugeLog_withoutReadingIt() throws Exception {
    write("configs/a.yml", "exit 9\n");
    assertThat(run().start("a.yml", null, Mode.FOREGROUND)).isEqualTo(ExitStatus.FAULTS);
    try (var log = new RandomAccessFile(folder.resolve("logs/train_logs/a.log").toFile(), "rw")) {
      log.seek(1L << 32);
      log.write("\nlast words\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(QueueStatus.of(open()).json()).contains("\"last_line\":\"last words\"");
  }
}
