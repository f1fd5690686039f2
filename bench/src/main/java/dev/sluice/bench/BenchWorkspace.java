package dev.sluice.bench;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.BackgroundScheduler;
import dev.sluice.sweep.workspace.Workspace;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A workspace of a bench, with its scheduler as a process of its own. */
final class BenchWorkspace {
  private static final String SCRIPT = "train.sh";

  private final Path folder;
  private final int slots;
  private final boolean tmux;

  /**
   * Makes a workspace without a GPU.
   *
   * @param slots tasks at once
   * @param tmux whether tmux shows the tasks
   */
  BenchWorkspace(Path folder, int slots, boolean tmux) throws IOException {
    this.folder = folder.toAbsolutePath();
    this.slots = slots;
    this.tmux = tmux;
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

  /**
   * Says what tasks do from now on.
   *
   * @param python the program that runs the script
   */
  void runs(String python, String script) throws IOException {
    Files.writeString(file(SCRIPT), script);
    Files.writeString(
        configFile(),
        """
        task_name: sluice-bench-%d
        python_env: %s
        script_path: %s
        max_jobs_per_gpu: %d
        gpu_count: 0
        log_dir: logs
        tmux: %b
        """
            .formatted(ProcessHandle.current().pid(), python, SCRIPT, slots, tmux));
  }

  private Path configFile() {
    return file("scheduler_config.yml");
  }

  /** Writes the config of a task, and returns its path. */
  Path config(String task) throws IOException {
    return Files.writeString(file("configs").resolve(task + ".yml"), "epochs: 1\n");
  }

  /** Hands new tasks over to the next scheduler. */
  void hand(int tasks) throws IOException {
    List<Request.Entry> entries = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      String name = "task" + i;
      entries.add(new Request.Entry(name, config(name).toString(), null, false));
    }
    open().queue().hand(new Request(entries));
  }

  /** Starts the scheduler. */
  Process scheduler() throws IOException {
    return BackgroundScheduler.start(open());
  }

  /** Starts one of the commands of {@code ./sluice sweep}, less the launcher's shell. */
  Process command(String command, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("sweep", command));
    words.addAll(List.of(arguments));
    words.addAll(List.of("--config", configFile().toString(), "--workspace", folder.toString()));
    return Launch.of(ChildJvm.of(ChildJvm.launchedSerial(), ChildJvm.SLUICE, words))
        .output(Redirect.appendTo(output().toFile()))
        .errorsToOutput()
        .start();
  }

  /** Where commands print. */
  Path output() {
    return file("commands.log");
  }

  /** Returns when no scheduler runs. */
  void awaitFree() throws IOException {
    open().queue().awaitFree();
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

  /** Ends all that runs here. */
  void killAll() throws IOException, InterruptedException {
    int unused = command("kill-all").waitFor();
  }

  private Workspace open() {
    try {
      return Workspace.open(configFile(), folder);
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the workspace of the bench is refused", e);
    }
  }
}
