package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.queue.QueueFolder;
import dev.sluice.sweep.workspace.WorkspaceConfig.Program;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A workspace: its config and its queue.
 *
 * @param visible ids that the GPU variable of this process's environment holds; none: all GPUs
 */
public record Workspace(WorkspaceConfig config, QueueFolder queue, List<String> visible) {
  /** Folder of the queue, in the workspace. */
  private static final String QUEUE = ".sluice-sweep";

  /** Name of a workspace's own config. */
  public static final String CONFIG = "scheduler_config.yml";

  /** File of a workspace whose tasks are the cells of a grid. */
  public static final String OF_A_GRID = "sweep.json";

  /** End of the name of a completion marker, behind the task's. */
  static final String MARKER = "_completed.txt";

  /** Folder of the tasks' logs, in log_dir. */
  private static final String TASK_LOGS = "train_logs";

  /**
   * Opens the workspace of a config file.
   *
   * @throws UserMistakeException with all mistakes of the file
   */
  public static Workspace open(Path file, Path folder) throws UserMistakeException {
    Path workspace = folder.toAbsolutePath().normalize();
    WorkspaceConfig config = WorkspaceConfig.read(file, workspace);
    String ids = System.getenv().getOrDefault(config.program().gpuVariable(), "").strip();
    return new Workspace(
        config,
        queueOf(workspace),
        ids.isEmpty() ? List.of() : List.of(ids.split("\\s*,\\s*", -1)));
  }

  /** The queue of a workspace's folder. */
  public static QueueFolder queueOf(Path workspace) {
    return new QueueFolder(workspace.resolve(QUEUE));
  }

  /** The value of the GPU variable for a GPU, which counts within the variable's present value. */
  String visibleId(int gpu) {
    return visible.isEmpty() ? Integer.toString(gpu) : visible.get(gpu);
  }

  Path marker(String name) {
    return config.folders().output().resolve(name + MARKER);
  }

  /** The script that makes conda's commands known to a shell; null: no environment is activated. */
  @Nullable Path condaScript() {
    return config.program().condaEnv() == null
        ? null
        : condaBase().map(base -> base.resolve("etc/profile.d/conda.sh")).orElse(null);
  }

  private static Optional<Path> condaBase() {
    String program = System.getenv("CONDA_EXE");
    if (program != null) {
      return Optional.of(baseOf(Path.of(program).toAbsolutePath()));
    }
    return onPath("conda").map(Workspace::baseOf);
  }

  /** The folder of a conda whose program is {@code bin/conda}. */
  private static Path baseOf(Path program) {
    return program.resolve("../..").normalize();
  }

  private static Optional<Path> onPath(String program) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      Path file = Path.of(folder.isEmpty() ? "." : folder).resolve(program).toAbsolutePath();
      if (Files.isRegularFile(file) && Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /**
   * The Python as a process is started with: a path that is no name is taken from the workspace.
   */
  String python() {
    String python = config.program().python();
    return python.contains("/") ? config.workspace().resolve(python).toString() : python;
  }

  /**
   * Checks that tasks can run.
   *
   * @throws UserMistakeException with all that is missing
   */
  void check() throws UserMistakeException {
    if (Files.exists(config.workspace().resolve(OF_A_GRID))) {
      throw new UserMistakeException(
          config.workspace().toString(),
          "the tasks of this workspace are the cells of a grid",
          "./sluice sweep with the grid's file is meant, which runs all that is not done");
    }
    var problems = new Problems(config.file().toString());
    Program program = config.program();
    if (!Files.isRegularFile(program.script())) {
      missing(problems, WorkspaceKey.SCRIPT_PATH, program.script(), "the script is elsewhere");
    }
    if (!Files.isDirectory(program.workDir())) {
      missing(problems, WorkspaceKey.WORK_DIR, program.workDir(), "the folder is elsewhere");
    }
    checkPython(problems);
    checkVisible(problems);
    writable(problems, WorkspaceKey.OUTPUT_DIR, config.folders().output());
    if (config.folders().logging()) {
      writable(problems, WorkspaceKey.LOG_DIR, config.folders().logs().resolve(TASK_LOGS));
    }
    problems.throwIfAny();
    try {
      queue.make();
    } catch (IOException e) {
      throw new UserMistakeException(
          config.workspace().toString(),
          "the workspace is not writable (" + UserMistakeException.reason(e) + ")",
          "it is another user's",
          e);
    }
  }

  private void checkPython(Problems problems) {
    Program program = config.program();
    Optional<Path> environment = Optional.empty();
    if (program.condaEnv() != null) {
      String name = program.condaEnv();
      environment =
          name.contains("/")
              ? Optional.of(config.workspace().resolve(name))
              : condaBase().map(base -> base.resolve("envs").resolve(name));
      Path script = condaScript();
      if (script == null || !Files.isRegularFile(script)) {
        missing(problems, WorkspaceKey.CONDA_ENV, name, "conda should be on PATH");
        return;
      }
      if (!environment.map(Files::isDirectory).orElse(false)) {
        missing(problems, WorkspaceKey.CONDA_ENV, name, "conda env list shows its name");
        return;
      }
    }
    boolean found =
        program.python().contains("/")
            ? Files.isExecutable(Path.of(python()))
            : onPath(program.python()).isPresent()
                || environment
                    .map(env -> Files.isExecutable(env.resolve("bin").resolve(program.python())))
                    .orElse(false);
    if (!found) {
      missing(problems, WorkspaceKey.PYTHON_ENV, program.python(), "another Python is meant");
    }
  }

  private void checkVisible(Problems problems) {
    for (int gpu : config.rules().gpus()) {
      if (!visible.isEmpty() && gpu >= visible.size()) {
        problems.error(
            config.place(WorkspaceKey.GPUS),
            "GPU (%d) is beyond those of %s (%s)"
                .formatted(gpu, config.program().gpuVariable(), String.join(",", visible)),
            "ids count within that variable, from 0");
      }
    }
  }

  private void missing(Problems problems, WorkspaceKey key, Object value, String maybe) {
    problems.error(config.place(key), key.key() + " (" + value + ") is missing", maybe);
  }

  private void writable(Problems problems, WorkspaceKey key, Path folder) {
    String reason = "permission denied";
    try {
      Files.createDirectories(folder);
      if (Files.isWritable(folder)) {
        return;
      }
    } catch (IOException e) {
      reason = UserMistakeException.reason(e);
    }
    problems.error(
        config.place(key),
        key.key() + " (" + folder + ") is not writable, " + reason,
        "another folder is meant");
  }

  /**
   * The log of a task. A file that another workspace wrote, or that is a link, is left alone: then
   * the name begins with the workspace's task_name, and else the log stays in the queue's folder. A
   * log's first line names the queue's folder.
   */
  Path taskLog(String name) throws IOException {
    Path folder = config.folders().logs().resolve(TASK_LOGS);
    String prefix = config.names().task();
    return first(
        List.of(folder.resolve(name + ".log"), folder.resolve(prefix + "_" + name + ".log")),
        name + ".log");
  }

  /** The name of the scheduler's session, and of its log without the ending. */
  String schedulerName() {
    return config.names().task() + config.names().schedulerSuffix();
  }

  Path schedulerLog() throws IOException {
    String name = schedulerName() + ".log";
    return first(List.of(config.folders().logs().resolve(name)), name);
  }

  private Path first(List<Path> wanted, String name) throws IOException {
    if (!config.folders().logging()) {
      return Path.of("/dev/null");
    }
    for (Path path : wanted) {
      if (isFreeOrOwn(path)) {
        return path;
      }
    }
    return queue.folder().resolve(name);
  }

  private boolean isFreeOrOwn(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || !Files.isWritable(path)) {
      return false;
    }
    // Bytes that are no text are replaced here, where a reader of Files would refuse them.
    try (var lines =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      return line == null || line.endsWith(queue.folder().toString().replace('\n', ' '));
    }
  }
}
