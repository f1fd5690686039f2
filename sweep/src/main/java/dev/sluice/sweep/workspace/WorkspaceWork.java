package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.Sha256;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tasks of a workspace: {@code python_env script_path --config_path CONFIG}. */
final class WorkspaceWork implements Work {
  private static final String ACTIVATE =
      ". \"$1\" && conda activate \"$2\" && shift 2 && exec \"$@\"";

  private final Workspace workspace;
  private final LogPaths logs;

  WorkspaceWork(Workspace workspace) {
    this.workspace = workspace;
    this.logs = new LogPaths(workspace);
  }

  /** Digest of a task's config file. */
  static String digest(String config) throws IOException {
    return Sha256.hex(Files.readAllBytes(Path.of(config)));
  }

  @Override
  public Plan plan(String name, String config, int gpu) throws IOException {
    var program = workspace.config().program();
    List<String> command = new ArrayList<>();
    Path conda = workspace.condaScript();
    if (conda != null && program.condaEnv() != null) {
      command.addAll(
          List.of("/bin/sh", "-c", ACTIVATE, "activate", conda.toString(), program.condaEnv()));
    }
    command.addAll(
        List.of(workspace.python(), program.script().toString(), "--config_path", config));
    Map<String, String> environment =
        gpu == QueueState.NO_GPU
            ? Map.of()
            : Map.of(
                program.gpuVariable(), workspace.visibleId(gpu), "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    return new Plan(command, environment, program.workDir(), logs.task(name), digest(config));
  }

  @Override
  public Path marker(String name) {
    return workspace.marker(name);
  }
}
