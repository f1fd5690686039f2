package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues of training commands in a process of their own, with another environment. */
@Tag("loop")
final class SweepProcessTest {
  @TempDir private Path folder;
  private SluiceProcess process;

  @AfterEach
  void endProcess() throws InterruptedException {
    process.close();
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
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
    process =
        SluiceProcess.onTerminal(
            Map.of("CONDA_EXE", folder.resolve("conda/bin/conda").toString()),
            "sweep",
            "start",
            "--foreground",
            "--config",
            folder.resolve("vision/scheduler_config.yml").toString(),
            "--workspace",
            folder.resolve("vision").toString());
    return process.exitStatus();
  }

  @Test
  void activatesTheCondaEnvironment_inWhichATaskRuns() throws Exception {
    makeConda();
    assertThat(startInVision("torch 2")).as(process.screen().text()).isZero();
    assertThat(folder.resolve("vision/ran"))
        .hasContent("torch 2 " + folder.resolve("conda/envs/torch 2/bin/python"));
  }

  @Test
  void refusesACondaEnvironmentThatIsMissing() throws Exception {
    makeConda();
    assertThat(startInVision("torch 3")).isEqualTo(ExitStatus.MISTAKE);
    process
        .screen()
        .await(
            "scheduler_config.yml:2: error: conda_env (torch 3) is missing.", SluiceProcess.LIMIT);
    assertThat(folder.resolve("vision/ran")).doesNotExist();
  }
}
