package dev.sluice.analytics.row;

/** Names of the files in a run's folder. */
public final class FolderFiles {
  /** Figures of the run, or of repeats of a run. */
  public static final String SUMMARY = "summary.json";

  public static final String TRACE = "trace.csv";

  /** A row per dispatch and attempt. */
  public static final String DISPATCHES = "dispatches.csv";

  /** A row per load of a model; only runs whose lanes have a memory have it. */
  public static final String LOADS = "loads.csv";

  /** A row per run; only the folder of repeats has it. */
  public static final String REPEATS = "repeats.csv";

  /** A row per second and class. */
  public static final String METRICS = "metrics.csv";

  public static final String REPORT = "report.html";

  /** Why the run was ended early; only a failed run's folder has it. */
  public static final String FAILURE = "failure.txt";

  /** What a person wrote of the run. */
  public static final String NOTE = "note.txt";

  /** A recording of the run's topics. */
  public static final String LOG = "log.jsonl.gz";

  /** The resolved experiment, and the environment of the run. */
  public static final String CONFIG = "config.yaml";

  public static final String PLOTS = "plots";

  private FolderFiles() {}
}
