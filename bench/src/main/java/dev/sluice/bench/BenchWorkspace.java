package dev.sluice.bench;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.Workspace;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A sweep's workspace without a GPU, with its scheduler as a process of its own. */
final class BenchWorkspace {
  private static final String SCRIPT = "train.sh";

  private final Path folder;
  private final int slots;

  /**
   * @param slots tasks at once
   */
  BenchWorkspace(Path folder, int slots) throws IOException {
    this.folder = folder.toAbsolutePath();
    this.slots = slots;
    for (String part : List.of("configs", "out", "logs/train_logs")) {
      Files.createDirectories(this.folder.resolve(part));
    }
  }

  /** A path as a word of a shell. */
  static String quoted(Path path) {
    return "'" + path.toString().replace("'", "'\\''") + "'";
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** Says what tasks do: a script of the shell. */
  void runs(String script) throws IOException {
    Files.writeString(file(SCRIPT), script);
    Files.writeString(
        configFile(),
        """
        task_name: sluice-bench-%d
        python_env: /bin/sh
        script_path: %s
        max_jobs_per_gpu: %d
        gpu_count: 0
        log_dir: logs
        tmux: false
        """
            .formatted(ProcessHandle.current().pid(), SCRIPT, slots));
  }

  private Path configFile() {
    return file("scheduler_config.yml");
  }

  /** Hands new tasks over to the next scheduler. */
  void hand(int tasks) throws IOException {
    List<Request> entries = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      String name = "task" + i;
      Path config = Files.writeString(file("configs").resolve(name + ".yml"), "epochs: 1\n");
      entries.add(new Request(name, config.toString(), null, false));
    }
    open().queue().hand(entries);
  }

  /** Starts the scheduler. */
  Process scheduler() throws IOException {
    return WorkspaceRuns.startScheduler(open());
  }

  QueueState state() throws IOException {
    try {
      return open().queue().read();
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the journal of the bench is damaged", e);
    }
  }

  /** Checks that this number of tasks is done. */
  void checkDone(int tasks) throws IOException, MeasurementFailedException {
    long done = state().tasks().stream().filter(t -> t.phase() == Phase.DONE).count();
    if (done != tasks) {
      throw new MeasurementFailedException(
          "only " + done + " of " + tasks + " tasks are done", open().queue().journal());
    }
  }

  private Workspace open() {
    try {
      return Workspace.open(configFile(), folder);
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the workspace of the bench is refused", e);
    }
  }
}
