package dev.sluice.sweep.config;

import static dev.sluice.sweep.config.WorkspaceKey.AUTO_RESTART_FAILED;
import static dev.sluice.sweep.config.WorkspaceKey.CHECK_INTERVAL;
import static dev.sluice.sweep.config.WorkspaceKey.CLEANUP_ON_COMPLETE;
import static dev.sluice.sweep.config.WorkspaceKey.COMMAND_DELAY;
import static dev.sluice.sweep.config.WorkspaceKey.CONDA_ENV;
import static dev.sluice.sweep.config.WorkspaceKey.CONFIG_DIR;
import static dev.sluice.sweep.config.WorkspaceKey.CONFIG_PATTERN;
import static dev.sluice.sweep.config.WorkspaceKey.CUDA_VISIBLE_DEVICES_VAR;
import static dev.sluice.sweep.config.WorkspaceKey.ENABLE_LOGGING;
import static dev.sluice.sweep.config.WorkspaceKey.GPUS;
import static dev.sluice.sweep.config.WorkspaceKey.GPU_COUNT;
import static dev.sluice.sweep.config.WorkspaceKey.LOG_DIR;
import static dev.sluice.sweep.config.WorkspaceKey.MAX_JOBS_PER_GPU;
import static dev.sluice.sweep.config.WorkspaceKey.MAX_RETRIES;
import static dev.sluice.sweep.config.WorkspaceKey.OUTPUT_DIR;
import static dev.sluice.sweep.config.WorkspaceKey.PYTHON_ENV;
import static dev.sluice.sweep.config.WorkspaceKey.REQUIRE_MARKER;
import static dev.sluice.sweep.config.WorkspaceKey.SCHEDULER_SESSION_SUFFIX;
import static dev.sluice.sweep.config.WorkspaceKey.SCRIPT_PATH;
import static dev.sluice.sweep.config.WorkspaceKey.SET_ASIDE_AFTER;
import static dev.sluice.sweep.config.WorkspaceKey.STARTUP_DELAY;
import static dev.sluice.sweep.config.WorkspaceKey.TASK_NAME;
import static dev.sluice.sweep.config.WorkspaceKey.TMUX;
import static dev.sluice.sweep.config.WorkspaceKey.WORKER_PREFIX;
import static dev.sluice.sweep.config.WorkspaceKey.WORK_DIR;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Schema;
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
 * @param file the file as the user named it
 * @param workspace folder of the workspace
 * @param names names in sessions and logs
 * @param program what a task runs
 * @param folders where configs, markers and logs are
 * @param rules where tasks run, and when a task is what
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
    Map<WorkspaceKey, Place> places,
    Map<WorkspaceKey, String> written) {
  private static final int GPUS_MAX = 1024;
  private static final int MANY = 1_000_000;
  private static final double DAY_SECONDS = 86_400;
  private static final Set<WorkspaceKey> MAY_BE_EMPTY =
      Set.of(SCHEDULER_SESSION_SUFFIX, WORKER_PREFIX, CONDA_ENV);
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern ONE_NAME = Pattern.compile("[^/\\x00-\\x1f]+");

  public WorkspaceConfig {
    places = Map.copyOf(places);
    written = Map.copyOf(written);
  }

  /**
   * Names in sessions and logs.
   *
   * @param task name of the workspace's work
   * @param schedulerSuffix what follows the task's name in the scheduler's session
   * @param workerPrefix what begins the names of the tasks' sessions
   * @param tmux whether sessions are shown in tmux
   */
  public record Names(String task, String schedulerSuffix, String workerPrefix, boolean tmux) {}

  /**
   * What a task runs.
   *
   * @param python a path, or a name on PATH
   * @param condaEnv environment to activate; null: none
   * @param gpuVariable name of the variable that holds the task's GPU
   */
  public record Program(
      String python, Path script, Path workDir, @Nullable String condaEnv, String gpuVariable) {}

  /**
   * Where configs, markers and logs are.
   *
   * @param pattern glob of the configs' file names
   * @param logging false: output is dropped
   */
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
    Map<String, Place> placeByName = new HashMap<>();
    var section = Section.strict(mapping, problems, placeByName, new Schema());
    WorkspaceConfig config =
        new Reader(section, problems, workspace, new HashMap<>()).read(file, placeByName);
    problems.throwIfAny();
    return config;
  }

  /** The place of a key; of the whole file if the file leaves the key out. */
  public Place place(WorkspaceKey key) {
    return places.getOrDefault(key, new Place(file.toString(), 0));
  }

  /**
   * Reads key by key.
   *
   * @param written filled with the values
   */
  private record Reader(
      Section section, Problems problems, Path workspace, Map<WorkspaceKey, String> written) {
    WorkspaceConfig read(Path file, Map<String, Place> placeByName) {
      String task = name(TASK_NAME);
      String prefix = text(WORKER_PREFIX).isEmpty() ? task : text(WORKER_PREFIX);
      written.put(WORKER_PREFIX, prefix);
      var names = new Names(task, text(SCHEDULER_SESSION_SUFFIX), prefix, flag(TMUX));
      String conda = text(CONDA_ENV);
      boolean plain = conda.isEmpty() || conda.equals("base");
      written.put(CONDA_ENV, plain ? "none" : conda);
      var program =
          new Program(
              text(PYTHON_ENV),
              path(SCRIPT_PATH),
              path(WORK_DIR),
              plain ? null : conda,
              variable());
      var folders =
          new Folders(
              path(CONFIG_DIR), pattern(), path(OUTPUT_DIR), path(LOG_DIR), flag(ENABLE_LOGGING));
      int retriesMax = whole(MAX_RETRIES, 0, MANY);
      var rules =
          new QueueSettings(
              gpus(),
              whole(MAX_JOBS_PER_GPU, 1, GPUS_MAX),
              flag(AUTO_RESTART_FAILED) ? retriesMax : 0,
              whole(SET_ASIDE_AFTER, 1, MANY),
              flag(REQUIRE_MARKER),
              flag(CLEANUP_ON_COMPLETE),
              checkInterval());
      for (WorkspaceKey delay : List.of(STARTUP_DELAY, COMMAND_DELAY)) {
        double unused = seconds(delay, Range.within(0, DAY_SECONDS));
        written.put(delay, "without effect");
      }
      section.end();
      Map<WorkspaceKey, Place> places = new HashMap<>();
      placeByName.forEach(
          (key, place) -> WorkspaceKey.of(key).ifPresent(known -> places.put(known, place)));
      return new WorkspaceConfig(file, workspace, names, program, folders, rules, places, written);
    }

    private List<Integer> gpus() {
      int count = whole(GPU_COUNT, 0, GPUS_MAX);
      List<Integer> all = IntStream.range(0, count).boxed().toList();
      List<Integer> gpus = section.wholes(GPUS.key(), all, 0, GPUS_MAX - 1, false);
      if (section.has(GPUS.key()) && section.has(GPU_COUNT.key())) {
        for (int gpu : gpus) {
          if (gpu >= count) {
            problems.error(
                section.place(GPUS.key()),
                "gpus holds a GPU (" + gpu + ") beyond gpu_count (" + count + ")",
                "gpu_count should be left out");
          }
        }
      }
      written.put(GPUS, gpus.toString());
      written.put(GPU_COUNT, Integer.toString(gpus.size()));
      return gpus;
    }

    private Duration checkInterval() {
      long ms = Math.round(1000 * seconds(CHECK_INTERVAL, Range.within(0.001, DAY_SECONDS)));
      written.put(CHECK_INTERVAL, Double.toString(ms / 1000.0));
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

    private String variable() {
      WorkspaceKey key = CUDA_VISIBLE_DEVICES_VAR;
      return note(
          key,
          section.text(
              key.key(),
              key.fallback(),
              VARIABLE,
              "is no name of a variable",
              text -> "you meant CUDA_VISIBLE_DEVICES"));
    }

    private String name(WorkspaceKey key) {
      return note(
          key,
          section.text(
              key.key(),
              key.fallback(),
              ONE_NAME,
              "cannot be part of a file's name",
              text -> "letters, digits and underscores are enough"));
    }

    private String pattern() {
      String glob = text(CONFIG_PATTERN);
      try {
        FileSystems.getDefault().getPathMatcher("glob:" + glob);
      } catch (PatternSyntaxException e) {
        problems.error(
            section.place(CONFIG_PATTERN.key()),
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
