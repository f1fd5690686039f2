package dev.sluice.sweep.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

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

  /** The key as the file writes it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The default, as text; empty: none. */
  public String fallback() {
    return fallback;
  }

  /** What the key means, without a full stop. */
  public String comment() {
    return comment;
  }

  /** The key of a name. */
  public static Optional<WorkspaceKey> of(String key) {
    return Arrays.stream(values()).filter(known -> known.key().equals(key)).findFirst();
  }
}
