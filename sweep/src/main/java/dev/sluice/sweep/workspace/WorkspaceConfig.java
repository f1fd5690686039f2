package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.sweep.queue.QueueSettings;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a workspace, scheduler_config.yml. Paths are absolute or taken from the
 * workspace's folder.
 *
 * @param places places of the keys that the file has, by key
 * @param written values of all keys as the file would write them
 */
public record WorkspaceConfig(
    Path file,
    Path workspace,
    Names names,
    Program program,
    Folders folders,
    QueueSettings rules,
    Map<String, Place> places,
    Map<WorkspaceKey, String> written) {
  private static final int GPUS_MAX = 1024;
  private static final int MANY = 1_000_000;
  private static final double DAY_SECONDS = 86_400;
  private static final Set<WorkspaceKey> MAY_BE_EMPTY =
      Set.of(
          WorkspaceKey.SCHEDULER_SESSION_SUFFIX,
          WorkspaceKey.WORKER_PREFIX,
          WorkspaceKey.CONDA_ENV);
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern ONE_NAME = Pattern.compile("[^/\\x00-\\x1f]+");

  /** Keys of scheduler_config.yml, in the order in which a new file lists them. */
  public enum WorkspaceKey {
    TASK_NAME("experiment_name", "name in sessions and logs"),
    WORK_DIR(".", "folder in which tasks run, relative to the workspace or absolute"),
    CONFIG_DIR("configs", "folder of the tasks' configs"),
    SCRIPT_PATH("train.py", "training script, relative to the workspace or absolute"),
    PYTHON_ENV("python3", "Python: a path, or a name on PATH"),
    OUTPUT_DIR("out", "folder of the completion markers NAME_completed.txt"),
    SCHEDULER_SESSION_SUFFIX("_scheduler", "end of the name of the scheduler's session"),
    WORKER_PREFIX("", "begin of the names of the tasks' sessions; empty: task_name"),
    MAX_JOBS_PER_GPU("2", "tasks that run on one GPU at once"),
    GPU_COUNT("2", "number of GPUs; 0: max_jobs_per_gpu slots without a GPU"),
    GPUS("", "GPUs to use, in order of preference, as [0, 2, 1]; left out: all of gpu_count"),
    CHECK_INTERVAL("30", "seconds between looks at the markers of tasks that wait"),
    STARTUP_DELAY("1", "read, without effect: nothing has to wait for tmux"),
    COMMAND_DELAY("0.5", "read, without effect: nothing has to wait for tmux"),
    LOG_DIR("/tmp", "folder of the scheduler's log and of train_logs/NAME.log"),
    ENABLE_LOGGING("true", "false: output of tasks and of the scheduler is dropped"),
    CONDA_ENV("base", "conda environment to activate; empty or base: none"),
    CUDA_VISIBLE_DEVICES_VAR("CUDA_VISIBLE_DEVICES", "variable that holds a task's GPU"),
    CONFIG_PATTERN("*.yml", "which files of config_dir are configs"),
    AUTO_RESTART_FAILED("false", "run a failed task again, behind the others"),
    MAX_RETRIES("3", "how often at most, with auto_restart_failed"),
    CLEANUP_ON_COMPLETE("false", "end what a task leaves running, and close its tmux session"),
    REQUIRE_MARKER("false", "a task that exits 0 without its marker has failed"),
    SET_ASIDE_AFTER("3", "tasks in a row that fail within 10 s before a GPU gets no more"),
    TMUX("true", "show tasks and scheduler in tmux sessions, where tmux is installed");

    private final String fallback;
    private final String comment;

    WorkspaceKey(String fallback, String comment) {
      this.fallback = fallback;
      this.comment = comment;
    }

    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The default, as text; empty: none. */
    public String fallback() {
      return fallback;
    }

    public String comment() {
      return comment;
    }
  }

  /** Names in sessions and logs. */
  public record Names(String task, String schedulerSuffix, String workerPrefix, boolean tmux) {}

  /** What a task runs; {@code condaEnv} null: no environment is activated. */
  public record Program(
      String python, Path script, Path workDir, @Nullable String condaEnv, String gpuVariable) {}

  /** Where configs, markers and logs are; {@code logging} false: output is dropped. */
  public record Folders(Path configs, String pattern, Path output, Path logs, boolean logging) {}

  /**
   * Reads the file of a workspace.
   *
   * @throws UserMistakeException with all mistakes
   */
  public static WorkspaceConfig read(Path file, Path workspace) throws UserMistakeException {
    var problems = new Problems(file.toString());
    Mapping mapping;
    try (Tree tree =
        Tree.open(
            file, "./sluice sweep setup " + workspace + " should make it first", Limits.BY_HAND)) {
      Value value = tree.whole(problems);
      if (value instanceof Mapping found) {
        mapping = found;
      } else if (value == null) {
        mapping = new Mapping(new Place(file.toString(), 0), Map.of());
      } else {
        throw new UserMistakeException(
            value.place(),
            "the file is no mapping of keys",
            "another file was meant; --config names it");
      }
    }
    Map<String, Place> places = new HashMap<>();
    var section = Section.strict(mapping, problems, places);
    WorkspaceConfig config =
        new Reader(section, problems, workspace, new HashMap<>()).read(file, places);
    problems.throwIfAny();
    return config;
  }

  /** The place of a key; of the whole file if the file leaves the key out. */
  public Place place(WorkspaceKey key) {
    return places.getOrDefault(key.key(), new Place(file.toString(), 0));
  }

  private record Reader(
      Section section, Problems problems, Path workspace, Map<WorkspaceKey, String> written) {
    WorkspaceConfig read(Path file, Map<String, Place> places) {
      String task =
          text(
              WorkspaceKey.TASK_NAME,
              ONE_NAME,
              "cannot be part of a file's name",
              "letters, digits and underscores are enough");
      String prefix =
          text(WorkspaceKey.WORKER_PREFIX).isEmpty() ? task : text(WorkspaceKey.WORKER_PREFIX);
      written.put(WorkspaceKey.WORKER_PREFIX, prefix);
      var names =
          new Names(
              task, text(WorkspaceKey.SCHEDULER_SESSION_SUFFIX), prefix, flag(WorkspaceKey.TMUX));
      String conda = text(WorkspaceKey.CONDA_ENV);
      boolean plain = conda.isEmpty() || conda.equals("base");
      written.put(WorkspaceKey.CONDA_ENV, plain ? "none" : conda);
      var program =
          new Program(
              text(WorkspaceKey.PYTHON_ENV),
              path(WorkspaceKey.SCRIPT_PATH),
              path(WorkspaceKey.WORK_DIR),
              plain ? null : conda,
              text(
                  WorkspaceKey.CUDA_VISIBLE_DEVICES_VAR,
                  VARIABLE,
                  "is no name of a variable",
                  "you meant CUDA_VISIBLE_DEVICES"));
      var folders =
          new Folders(
              path(WorkspaceKey.CONFIG_DIR),
              pattern(),
              path(WorkspaceKey.OUTPUT_DIR),
              path(WorkspaceKey.LOG_DIR),
              flag(WorkspaceKey.ENABLE_LOGGING));
      int retriesMax = whole(WorkspaceKey.MAX_RETRIES, 0, MANY);
      var rules =
          new QueueSettings(
              gpus(),
              whole(WorkspaceKey.MAX_JOBS_PER_GPU, 1, GPUS_MAX),
              flag(WorkspaceKey.AUTO_RESTART_FAILED) ? retriesMax : 0,
              whole(WorkspaceKey.SET_ASIDE_AFTER, 1, MANY),
              flag(WorkspaceKey.REQUIRE_MARKER),
              flag(WorkspaceKey.CLEANUP_ON_COMPLETE),
              checkInterval());
      for (WorkspaceKey delay : List.of(WorkspaceKey.STARTUP_DELAY, WorkspaceKey.COMMAND_DELAY)) {
        double unused = seconds(delay, Range.within(0, DAY_SECONDS));
        written.put(delay, "without effect");
      }
      section.end();
      return new WorkspaceConfig(file, workspace, names, program, folders, rules, places, written);
    }

    private List<Integer> gpus() {
      int count = whole(WorkspaceKey.GPU_COUNT, 0, GPUS_MAX);
      List<Integer> all = IntStream.range(0, count).boxed().toList();
      List<Integer> gpus = section.wholes(WorkspaceKey.GPUS.key(), all, 0, GPUS_MAX - 1, false);
      if (section.has(WorkspaceKey.GPUS.key()) && section.has(WorkspaceKey.GPU_COUNT.key())) {
        for (int gpu : gpus) {
          if (gpu >= count) {
            problems.error(
                section.place(WorkspaceKey.GPUS.key()),
                "gpus holds a GPU (" + gpu + ") beyond gpu_count (" + count + ")",
                "gpu_count should be left out");
          }
        }
      }
      written.put(WorkspaceKey.GPUS, gpus.toString());
      written.put(WorkspaceKey.GPU_COUNT, Integer.toString(gpus.size()));
      return gpus;
    }

    private Duration checkInterval() {
      long ms =
          Math.round(1000 * seconds(WorkspaceKey.CHECK_INTERVAL, Range.within(0.001, DAY_SECONDS)));
      written.put(WorkspaceKey.CHECK_INTERVAL, Double.toString(ms / 1000.0));
      return Duration.ofMillis(ms);
    }

    private String text(WorkspaceKey key) {
      boolean empty = section.find(key.key()) instanceof Scalar found && found.text().isEmpty();
      return note(
          key, empty && MAY_BE_EMPTY.contains(key) ? "" : section.text(key.key(), key.fallback()));
    }

    private <T> T note(WorkspaceKey key, T value) {
      written.put(key, value.toString());
      return value;
    }

    private String text(WorkspaceKey key, Pattern pattern, String what, String maybe) {
      return note(key, section.text(key.key(), key.fallback(), pattern, what, text -> maybe));
    }

    private String pattern() {
      String glob = text(WorkspaceKey.CONFIG_PATTERN);
      try {
        FileSystems.getDefault().getPathMatcher("glob:" + glob);
      } catch (PatternSyntaxException e) {
        problems.error(
            section.place(WorkspaceKey.CONFIG_PATTERN.key()),
            "config_pattern (" + glob + ") is no pattern of file names",
            "a bracket or a brace is not closed");
      }
      return glob;
    }

    private Path path(WorkspaceKey key) {
      return note(key, workspace.resolve(text(key)).normalize());
    }

    private boolean flag(WorkspaceKey key) {
      return note(key, section.flag(key.key(), Boolean.parseBoolean(key.fallback())));
    }

    private int whole(WorkspaceKey key, int least, int most) {
      return note(key, section.whole(key.key(), Integer.parseInt(key.fallback()), least, most));
    }

    private double seconds(WorkspaceKey key, Range range) {
      double fallback = Double.parseDouble(key.fallback());
      double seconds = section.number(key.key(), fallback, range);
      return Double.isNaN(seconds) ? fallback : seconds;
    }
  }
}
