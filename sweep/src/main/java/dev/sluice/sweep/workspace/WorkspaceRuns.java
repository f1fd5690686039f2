package dev.sluice.sweep.workspace;

import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.Signals;
import dev.sluice.sweep.queue.QueueFolder;
import dev.sluice.sweep.queue.QueueProcesses;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request;
import dev.sluice.sweep.queue.Scheduler;
import dev.sluice.sweep.queue.Scheduler.Sessions;
import dev.sluice.sweep.queue.Scheduler.Work;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a workspace: what queues tasks and has a scheduler run them, and what ends or
 * shows them. Most return the exit status.
 */
public record WorkspaceRuns(Workspace workspace, Console console) {
  private static final TextTable KEYS = new TextTable("%-26s %-30s %s");

  /** Configs of which more is said than their number. */
  private static final int LISTED_MAX = 20;

  /** Name of the command that the scheduler's own process runs. */
  private static final String SCHEDULER = "scheduler";

  private static final long PAUSE_NS = 10_000_000;
  private static final long HAND_OVER_LIMIT_NS = 120_000_000_000L;

  /** What the command does once the tasks are queued. */
  public enum Mode {
    BACKGROUND,
    /** Returns when the scheduler has ended, for all tasks have. */
    WAIT,
    /** Is the scheduler itself, and draws its table anew until it ends. */
    FOREGROUND
  }

  /**
   * Queues configs.
   *
   * @param configs names with commas between; null: all that match config_pattern
   * @param gpus ids with commas between; null: any
   * @throws UserMistakeException before anything was queued
   */
  public int start(@Nullable String configs, @Nullable String gpus, Mode mode)
      throws UserMistakeException, IOException, InterruptedException {
    workspace.check();
    QueueState state = workspace.queue().read();
    List<Request> entries = entries(configs, gpus, state);
    List<String> lines = new ArrayList<>();
    for (Request entry : entries) {
      String line = before(entry, state.task(entry.name()));
      if (!line.isEmpty()) {
        lines.add(line);
      }
    }
    lines.stream().limit(LISTED_MAX).forEach(console::line);
    if (lines.size() > LISTED_MAX) {
      console.line("and " + (lines.size() - LISTED_MAX) + " more that run, wait or are done");
    }
    return queue(entries, mode);
  }

  /**
   * The tasks of a list of configs and of GPUs, as {@code start} takes them.
   *
   * @param configs names with commas between; null or empty: all that match config_pattern
   * @param gpus ids with commas between, as long as configs; null or empty: any
   * @throws UserMistakeException with all mistakes
   */
  List<Request> entries(@Nullable String configs, @Nullable String gpus, QueueState state)
      throws UserMistakeException, IOException {
    List<Problem> problems = new ArrayList<>();
    List<Path> files = configs == null || configs.isBlank() ? matching() : named(configs, problems);
    List<Integer> ids = gpus == null || gpus.isBlank() ? List.of() : ids(gpus, problems);
    if (problems.isEmpty() && !ids.isEmpty() && ids.size() != files.size()) {
      problems.add(
          new Problem(
              "GPU_LIST",
              "there are %d configs, but %d GPUs (%s)".formatted(files.size(), ids.size(), gpus),
              "each config should have its GPU, in the same order"));
    }
    List<Request> entries = new ArrayList<>();
    Map<String, Path> byName = new HashMap<>();
    for (int i = 0; i < files.size(); i++) {
      Path file = files.get(i);
      String name = stem(file);
      Path before = byName.putIfAbsent(name, file);
      TaskState known = state.task(name);
      if (before == null && known != null && !known.config().equals(file.toString())) {
        before = Path.of(known.config());
      }
      if (before != null) {
        problems.add(
            new Problem(
                "CONFIG_LIST",
                before.equals(file)
                    ? "config (" + file.getFileName() + ") is listed twice"
                    : "two configs have one name (%s, %s)".formatted(before, file),
                before.equals(file)
                    ? "one of the two should be removed"
                    : "one should be renamed: their markers and logs would be one file"));
      } else {
        Integer gpu = i < ids.size() ? ids.get(i) : null;
        entries.add(new Request(name, file.toString(), gpu, false));
      }
    }
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
    return entries;
  }

  /** Name of the task of a config: the file's name without its ending. */
  static String stem(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot <= 0 ? name : name.substring(0, dot);
  }

  private List<Path> matching() throws UserMistakeException, IOException {
    Path folder = workspace.config().folders().configs();
    String pattern = workspace.config().folders().pattern();
    List<Path> files = List.of();
    if (Files.isDirectory(folder)) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
      try (Stream<Path> entries = Files.list(folder)) {
        files =
            entries
                .filter(file -> matcher.matches(file.getFileName()) && Files.isRegularFile(file))
                .sorted()
                .toList();
      }
    }
    if (files.isEmpty()) {
      throw new UserMistakeException(
          folder.toString(),
          "no config matches config_pattern (" + pattern + ")",
          "the configs have another ending, or config_dir is another");
    }
    return files;
  }

  private List<Path> named(String configs, List<Problem> problems) {
    Path folder = workspace.config().folders().configs();
    List<Path> files = new ArrayList<>();
    for (String name : configs.split(",", -1)) {
      Path file = folder.resolve(name.strip()).normalize();
      if (name.isBlank() || !Files.isRegularFile(file)) {
        problems.add(
            new Problem(
                "CONFIG_LIST",
                "config (" + name.strip() + ") is missing in " + folder,
                name.isBlank() ? "there is a comma too many" : "its ending is missing"));
      }
      files.add(file);
    }
    return files;
  }

  private List<Integer> ids(String gpus, List<Problem> problems) {
    List<Integer> known = workspace.config().rules().gpus();
    List<Integer> ids = new ArrayList<>();
    for (String written : gpus.split(",", -1)) {
      String id = written.strip();
      if (id.matches("\\d{1,4}") && known.contains(Integer.valueOf(id))) {
        ids.add(Integer.valueOf(id));
      } else {
        problems.add(
            new Problem(
                "GPU_LIST",
                "GPU (" + id + ") is out of range",
                known.isEmpty()
                    ? "the list should be left out: gpu_count is 0"
                    : "you meant one of " + known));
      }
    }
    return ids;
  }

  /** What a config is before it is queued, in words; empty: nothing. */
  private String before(Request entry, @Nullable TaskState task) throws IOException {
    boolean marked = Files.exists(workspace.marker(entry.name()));
    if (task != null && task.phase() == Phase.RUNNING) {
      return entry.name() + " runs already";
    }
    if (task != null && task.phase() == Phase.WAITING) {
      return entry.name() + " waits already";
    }
    if (marked || (task != null && task.phase() == Phase.DONE)) {
      return entry.name()
          + " is done before"
          + (hasChanged(entry, task) ? "; its config has changed since: see retry" : "");
    }
    return "";
  }

  private boolean hasChanged(Request entry, @Nullable TaskState task) throws IOException {
    if (task != null && !task.started().digest().isEmpty()) {
      return !task.started().digest().equals(WorkspaceWork.digest(entry.config()));
    }
    Path marker = workspace.marker(entry.name());
    return Files.exists(marker)
        && Files.getLastModifiedTime(Path.of(entry.config()))
                .compareTo(Files.getLastModifiedTime(marker))
            > 0;
  }

  /**
   * Runs tasks again.
   *
   * @param failed whether to run all again that have failed
   * @param changed whether to run all again whose config has changed
   * @throws UserMistakeException before anything was queued
   */
  public int retry(List<String> names, boolean failed, boolean changed, Mode mode)
      throws UserMistakeException, IOException, InterruptedException {
    workspace.check();
    QueueState state = workspace.queue().read();
    var known = new TreeSet<String>();
    List<Request> entries = new ArrayList<>();
    for (TaskState task : state.tasks()) {
      known.add(task.name());
      boolean ended = task.phase() == Phase.FAILED || task.phase() == Phase.DONE;
      boolean meant =
          names.contains(task.name())
              || (failed && task.phase() == Phase.FAILED)
              || (changed
                  && ended
                  && Files.exists(Path.of(task.config()))
                  && !task.started().digest().equals(WorkspaceWork.digest(task.config())));
      if (ended && meant) {
        entries.add(new Request(task.name(), task.config(), task.bound(), true));
      }
    }
    for (String name : names) {
      if (!known.contains(name)) {
        throw unknownTask(name, known);
      }
    }
    for (Request entry : entries) {
      Path marker = workspace.marker(entry.name());
      if (Files.exists(marker, LinkOption.NOFOLLOW_LINKS)) {
        Path aside = marker.resolveSibling(marker.getFileName() + ".before");
        Files.move(marker, aside, StandardCopyOption.REPLACE_EXISTING);
        console.line(entry.name() + ": its marker is kept as " + aside.getFileName());
      }
    }
    if (entries.isEmpty()) {
      console.line("nothing to run again");
      return ExitStatus.DONE;
    }
    return queue(entries, mode);
  }

  private int queue(List<Request> entries, Mode mode)
      throws UserMistakeException, IOException, InterruptedException {
    QueueFolder queue = workspace.queue();
    if (mode == Mode.FOREGROUND) {
      if (queue.isHeld()) {
        throw new UserMistakeException(
            workspace.config().workspace().toString(),
            "a scheduler runs here already"
                + queue.holder().map(held -> " " + held.words()).orElse(""),
            "start without --foreground hands the configs over to it");
      }
      queue.hand(entries);
      return foregroundWithTable();
    }
    boolean ran = queue.isHeld();
    Path handed = queue.hand(entries);
    if (!awaitTaken(handed)) {
      return ExitStatus.BUG;
    }
    console.line(
        entries.size()
            + (entries.size() == 1 ? " config" : " configs")
            + (ran ? " handed over to the scheduler" : " queued, the scheduler runs")
            + queue.holder().map(h -> " (pid " + h.process().pid() + ")").orElse(""));
    console.line("log: " + workspace.schedulerLog());
    if (mode == Mode.BACKGROUND) {
      return ExitStatus.DONE;
    }
    queue.awaitFree();
    return summary(queue.read(), console);
  }

  /** Starts the scheduler as a process in a session of its own, which outlives the command. */
  public static Process startScheduler(Workspace workspace) throws IOException {
    List<String> options = new ArrayList<>(ChildJvm.ownPlainOptions());
    options.addAll(ChildJvm.SMALL);
    options.addAll(
        List.of("-Xms8m", "-Xmx64m", "-Xss256k", "-Djdk.lang.Process.launchMechanism=VFORK"));
    Path log = workspace.schedulerLog();
    var config = workspace.config();
    return Launch.of(
            ChildJvm.of(
                options,
                ChildJvm.SLUICE,
                List.of(
                    "sweep",
                    SCHEDULER,
                    "--config",
                    config.file().toAbsolutePath().toString(),
                    "--workspace",
                    config.workspace().toString())))
        .ownSession()
        .in(config.workspace())
        .without(List.of("SLUICE_SWEEP", "SLUICE_SWEEP_ATTEMPT"))
        .output(Redirect.appendTo(log.toFile()))
        .errorsToOutput()
        .start();
  }

  /** Runs the scheduler in this process, its lines on standard output. */
  public static int runScheduler(Workspace workspace)
      throws UserMistakeException, IOException, InterruptedException {
    var log = new SchedulerLog(workspace, System.out);
    int status = foreground(workspace, log::line);
    log.ended(status);
    return status;
  }

  private boolean awaitTaken(Path handed) throws IOException, InterruptedException {
    Process started = null;
    long deadlineNs = MachineClock.monotonicNs() + HAND_OVER_LIMIT_NS;
    while (Files.exists(handed)) {
      boolean runs = workspace.queue().isHeld();
      if (!runs && started == null) {
        started = startScheduler(workspace);
      } else if ((started != null && !started.isAlive() && !runs)
          || MachineClock.monotonicNs() > deadlineNs) {
        System.err.println("sluice: error: the scheduler did not take the configs.");
        System.err.println("  Maybe its log says why: " + workspace.schedulerLog() + ".");
        return false;
      }
      MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + PAUSE_NS);
    }
    return true;
  }

  /** Runs the scheduler in this process; its log is where that of any other would be. */
  private int foregroundWithTable() throws UserMistakeException, IOException, InterruptedException {
    try (var log = SchedulerLog.open(workspace)) {
      int status;
      long periodNs = QueueStatus.periodNs(console);
      ScheduledExecutorService timer = MachineClock.timer("sluice-table");
      try {
        var unused =
            timer.scheduleWithFixedDelay(
                () -> QueueStatus.drawAgain(workspace, console, log::line),
                periodNs,
                periodNs,
                TimeUnit.NANOSECONDS);
        status = foreground(workspace, log::line);
      } finally {
        timer.shutdown();
        boolean unused = timer.awaitTermination(1, TimeUnit.MINUTES);
      }
      QueueStatus.draw(workspace, console);
      log.ended(status);
      return status;
    }
  }

  /** Runs the scheduler in this process. */
  static int foreground(Workspace workspace, Consumer<String> log)
      throws UserMistakeException, IOException, InterruptedException {
    if (!showsInTmux(workspace)) {
      return foreground(workspace, log, Sessions.plain());
    }
    String prefix = workspace.config().names().workerPrefix();
    try (var tmux = new TmuxSessions(prefix, workspace::taskLog)) {
      tmux.openScheduler(workspace.schedulerName(), workspace.schedulerLog());
      return foreground(workspace, log, tmux);
    }
  }

  private static int foreground(Workspace workspace, Consumer<String> log, Sessions sessions)
      throws UserMistakeException, IOException, InterruptedException {
    var scheduler =
        new Scheduler(
            workspace.queue(),
            workspace.config().rules(),
            new WorkspaceWork(workspace),
            sessions,
            log);
    try (var signals = Signals.listen(scheduler::stop, scheduler::stop)) {
      Scheduler.End end = scheduler.run();
      if (signals.received()) {
        return ExitStatus.STOPPED;
      }
      if (end == Scheduler.End.STUCK) {
        log.accept("tasks wait for GPUs that are set aside or no longer there");
      }
    }
    // Read alone: a table that is redrawn meanwhile asks for the holder.
    boolean allDone = workspace.queue().read().tasks(Phase.FAILED).isEmpty();
    return allDone ? ExitStatus.DONE : ExitStatus.FAULTS;
  }

  /** Ends the scheduler; what runs goes on. */
  public int stop() throws IOException, InterruptedException, UserMistakeException {
    boolean stopped = QueueProcesses.stop(workspace.queue());
    QueueState state = workspace.queue().read();
    console.line(
        "%s; tasks that go on without it: %s, that wait: %s"
            .formatted(
                stopped ? "the scheduler has stopped" : "no scheduler runs",
                state.running().size(),
                state.waiting().size()));
    return ExitStatus.DONE;
  }

  /** Ends the scheduler and all tasks of this workspace. */
  public int killAll() throws IOException, InterruptedException, UserMistakeException {
    QueueProcesses.Ends ends = QueueProcesses.killAll(workspace.queue());
    if (showsInTmux(workspace)) {
      List<Path> logs = new ArrayList<>(List.of(workspace.schedulerLog()));
      workspace.queue().read().tasks().stream()
          .filter(task -> !task.started().log().isEmpty())
          .forEach(task -> logs.add(Path.of(task.started().log())));
      TmuxSessions.endAll(logs);
    }
    console.line(
        "ended %d running tasks, %d wait no more; %d processes took SIGKILL"
            .formatted(ends.tasks(), ends.waiting(), ends.killed()));
    return ExitStatus.DONE;
  }

  public int config() {
    for (WorkspaceKey key : WorkspaceKey.values()) {
      var place = workspace.config().places().get(key.key());
      console.line(
          KEYS.row(
              key.key(),
              String.valueOf(workspace.config().written().get(key)),
              place == null ? "default" : place));
    }
    return ExitStatus.DONE;
  }

  /**
   * Prints a task's log.
   *
   * @param follow whether to go on until Ctrl-C
   */
  public int logs(String name, boolean follow)
      throws IOException, InterruptedException, UserMistakeException {
    QueueState state = workspace.queue().read();
    TaskState task = state.task(name);
    if (task == null) {
      var known = new TreeSet<String>();
      state.tasks().forEach(one -> known.add(one.name()));
      throw unknownTask(name, known);
    }
    Path log = Path.of(task.started().log());
    if (task.started().log().isEmpty() || !Files.isRegularFile(log)) {
      throw new UserMistakeException(
          "NAME", "task (" + name + ") has no log", "it has not begun, or enable_logging is false");
    }
    List<String> command = new ArrayList<>(List.of("tail", "-n", "+1"));
    if (follow) {
      command.add("-F");
    }
    command.addAll(List.of("--", log.toString()));
    return Launch.of(command).output(Redirect.INHERIT).errors(Redirect.INHERIT).start().waitFor()
            == 0
        ? ExitStatus.DONE
        : ExitStatus.BUG;
  }

  static boolean showsInTmux(Workspace workspace) throws InterruptedException {
    return workspace.config().names().tmux()
        && workspace.config().folders().logging()
        && TmuxSessions.isInstalled();
  }

  static UserMistakeException unknownTask(String name, Collection<String> known) {
    return new UserMistakeException(
        "NAME", "task (" + name + ") is unknown", NearestName.advice(name, known, "tasks"));
  }

  /** Prints how many tasks are what; the exit status says whether one failed or waits. */
  static int summary(QueueState state, Console console) {
    console.line(counts(state));
    return state.tasks(Phase.DONE).size() == state.tasks().size()
        ? ExitStatus.DONE
        : ExitStatus.FAULTS;
  }

  static String counts(QueueState state) {
    return Stream.of(Phase.values())
        .map(phase -> phase.words() + " " + state.tasks(phase).size())
        .collect(Collectors.joining(", "));
  }

  /** The tasks of a workspace: {@code python_env script_path --config_path CONFIG}. */
  static final class WorkspaceWork implements Work {
    private static final String ACTIVATE =
        ". \"$1\" && conda activate \"$2\" && shift 2 && exec \"$@\"";

    private final Workspace workspace;

    WorkspaceWork(Workspace workspace) {
      this.workspace = workspace;
    }

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
                  program.gpuVariable(),
                  workspace.visibleId(gpu),
                  "CUDA_DEVICE_ORDER",
                  "PCI_BUS_ID");
      return new Plan(
          command, environment, program.workDir(), workspace.taskLog(name), digest(config));
    }

    @Override
    public Path marker(String name) {
      return workspace.marker(name);
    }
  }
}
