package dev.sluice.sweep.workspace;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Signals;
import dev.sluice.sweep.queue.QueueFolder.Holder;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.TaskLog;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What a workspace's queue does now, as a table that may be drawn anew until nothing runs, or as
 * JSON.
 *
 * @param holder the scheduler; empty: none runs
 * @param nowMs wall time of the look
 */
public record QueueStatus(
    Workspace workspace, QueueState state, Optional<Holder> holder, long nowMs) {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

  private static final TextTable TABLE = new TextTable("  %-8s %-20s %s %s");

  /** Tasks of a kind that are listed; the others are counted. */
  private static final int LISTED_MAX = 20;

  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final long TERMINAL_PERIOD_NS = 1_000_000_000;
  private static final long PLAIN_PERIOD_NS = 5_000_000_000L;

  public static QueueStatus of(Workspace workspace) throws IOException, UserMistakeException {
    QueueState state = workspace.queue().read();
    return new QueueStatus(workspace, state, workspace.queue().holder(), MachineClock.epochMs());
  }

  /** 5 if a task has failed, else 0. */
  public int exitStatus() {
    return state.tasks(Phase.FAILED).isEmpty() ? ExitStatus.DONE : ExitStatus.FAULTS;
  }

  /** True if nothing runs, and nothing waits for a scheduler that runs. */
  boolean isOver() {
    return state.running().isEmpty() && (state.waiting().isEmpty() || holder.isEmpty());
  }

  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        workspace.config().names().task()
            + ": "
            + holder.map(held -> "the scheduler runs " + held.words()).orElse("no scheduler runs"));
    lines.add(
        WorkspaceRuns.counts(state)
            + leftMs().stream()
                .mapToObj(ms -> ", about " + words(Duration.ofMillis(ms)) + " left")
                .findFirst()
                .orElse(""));
    for (Phase phase : List.of(Phase.RUNNING, Phase.WAITING, Phase.FAILED, Phase.DONE)) {
      List<TaskState> tasks = state.tasks(phase);
      tasks.stream().limit(LISTED_MAX).forEach(task -> lines.add(line(task)));
      if (tasks.size() > LISTED_MAX) {
        lines.add("  and " + (tasks.size() - LISTED_MAX) + " more " + phase.words());
      }
    }
    return lines;
  }

  private String line(TaskState task) {
    return TABLE.row(
        task.phase().words(),
        task.name().replace('\n', ' '),
        MOMENT.format(Instant.ofEpochMilli(task.sinceMs())),
        detail(task));
  }

  private String detail(TaskState task) {
    String last = lastLine(task);
    String shown = last.isEmpty() ? "" : " | " + last;
    return switch (task.phase()) {
      case WAITING -> waitsFor(task);
      case RUNNING ->
          "%sattempt %s, %s%s"
              .formatted(
                  task.gpu() == QueueState.NO_GPU ? "" : "GPU " + task.gpu() + ", ",
                  task.attempt(),
                  words(Duration.ofMillis(Math.max(0, nowMs - task.sinceMs()))),
                  shown);
      case FAILED -> task.ended().why() + ", attempt " + task.attempt() + shown;
      case DONE -> task.ended().why();
    };
  }

  /** What a waiting task waits for, in words. */
  private String waitsFor(TaskState task) {
    Integer bound = task.bound();
    String gpu = bound == null ? "a slot" : "GPU " + bound;
    if (bound != null && !workspace.config().rules().gpus().contains(bound)) {
      return "for " + gpu + ", which the config no longer has";
    }
    if (bound != null && state.aside().contains(bound)) {
      return "for " + gpu + ", which is set aside until the next start";
    }
    return holder.isEmpty() ? "for a scheduler: start" : "for " + gpu;
  }

  /** Expected time until all have ended, from the mean of those that are done; empty: unknown. */
  private OptionalLong leftMs() {
    var times =
        state.tasks(Phase.DONE).stream()
            .filter(task -> task.attempt() > 0)
            .mapToLong(task -> task.ended().ranMs())
            .summaryStatistics();
    int slots =
        workspace.config().rules().perGpu()
            * Math.max(1, workspace.config().rules().gpus().size() - state.aside().size());
    double work = state.waiting().size() * times.getAverage();
    for (TaskState task : state.running()) {
      work += Math.max(0, times.getAverage() - (nowMs - task.sinceMs()));
    }
    return times.getCount() == 0 || work == 0
        ? OptionalLong.empty()
        : OptionalLong.of(Math.round(work / slots));
  }

  private static String words(Duration time) {
    long seconds = time.toSeconds();
    return seconds < 120
        ? seconds + " s"
        : seconds < 7200 ? seconds / 60 + " min" : seconds / 3600 + " h";
  }

  private static String lastLine(TaskState task) {
    try {
      List<String> lines = TaskLog.lastLines(Path.of(task.started().log()), 1);
      return lines.isEmpty() ? "" : lines.get(0).strip();
    } catch (IOException e) {
      return "(log unreadable: " + UserMistakeException.reason(e) + ")";
    }
  }

  public String json() {
    var mapper = new ObjectMapper();
    ObjectNode root = mapper.createObjectNode();
    root.put("task_name", workspace.config().names().task());
    holder.ifPresent(
        h -> {
          root.put("scheduler_pid", h.process().pid());
          root.put("scheduler_since", h.since().toString());
        });
    leftMs().ifPresent(ms -> root.put("left_ms", ms));
    var tasks = root.putArray("tasks");
    for (TaskState task : state.tasks()) {
      ObjectNode node = tasks.addObject();
      node.put("name", task.name());
      node.put("config", task.config());
      node.put("phase", task.phase().words());
      node.put("since", Instant.ofEpochMilli(task.sinceMs()).toString());
      node.put("attempt", task.attempt());
      if (task.gpu() != QueueState.NO_GPU) {
        node.put("gpu", task.gpu());
      }
      if (task.phase() == Phase.WAITING) {
        node.put("waits", waitsFor(task));
      } else {
        node.put("why", task.ended().why());
        node.put("status", task.ended().status());
        node.put("log", task.started().log());
      }
      if (task.phase() == Phase.RUNNING || task.phase() == Phase.FAILED) {
        node.put("last_line", lastLine(task));
      }
    }
    return root + "\n";
  }

  /**
   * Draws until no task runs, and none waits for a scheduler that runs.
   *
   * @return 5 if a task has failed, 130 after Ctrl-C, else 0
   */
  public static int until(Workspace workspace, Console console)
      throws IOException, InterruptedException, UserMistakeException {
    Thread drawing = Thread.currentThread();
    try (var signals = Signals.listen(drawing::interrupt, () -> {})) {
      QueueStatus status = draw(workspace, console);
      while (!status.isOver()) {
        try {
          MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + periodNs(console));
        } catch (InterruptedException e) {
          if (signals.received()) {
            return signals.exitStatus();
          }
          throw e;
        }
        status = draw(workspace, console);
      }
      return status.exitStatus();
    }
  }

  /** Draws beside a scheduler of this process, whose log tells why a table cannot be drawn. */
  static void drawAgain(Workspace workspace, Console console, Consumer<String> log) {
    try {
      QueueStatus unused = draw(workspace, console);
    } catch (IOException e) {
      log.accept("the table cannot be drawn: " + UserMistakeException.reason(e));
    } catch (UserMistakeException e) {
      log.accept("the table cannot be drawn: " + e.getMessage());
    }
  }

  static QueueStatus draw(Workspace workspace, Console console)
      throws IOException, UserMistakeException {
    QueueStatus status = of(workspace);
    if (console.isTerminal()) {
      console.stream().print(CLEAR_SCREEN);
    }
    status.lines().forEach(console::line);
    return status;
  }

  static long periodNs(Console console) {
    return console.isTerminal() ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS;
  }
}
