package dev.sluice.sweep.workspace;

import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.QueueProcesses;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The short commands of a workspace. Each method returns the exit status. */
public record WorkspaceRuns(Workspace workspace, Console console) {
  private static final TextTable KEYS = new TextTable("%-26s %-30s %s");

  /** Ends the scheduler; what runs goes on. */
  public int stop() throws IOException, InterruptedException, UserMistakeException {
    boolean stopped = QueueProcesses.stop(workspace.queue());
    QueueState state = workspace.queue().read();
    console.line(
        (stopped ? "the scheduler has stopped" : "no scheduler runs")
            + "; tasks that go on without it: "
            + state.running().size()
            + ", that wait: "
            + state.waiting().size());
    return ExitStatus.DONE;
  }

  /** Ends the scheduler and all tasks of this workspace. */
  public int killAll() throws IOException, InterruptedException, UserMistakeException {
    QueueProcesses.Ends ends = QueueProcesses.killAll(workspace.queue());
    if (showsInTmux(workspace)) {
      List<Path> logs = new ArrayList<>(List.of(workspace.schedulerLog()));
      workspace.queue().read().tasks().stream()
          .filter(task -> !task.log().isEmpty())
          .forEach(task -> logs.add(Path.of(task.log())));
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
    Path log = Path.of(task.log());
    if (task.log().isEmpty() || !Files.isRegularFile(log)) {
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
    return "waiting %d, running %d, done %d, failed %d"
        .formatted(
            state.tasks(Phase.WAITING).size(),
            state.tasks(Phase.RUNNING).size(),
            state.tasks(Phase.DONE).size(),
            state.tasks(Phase.FAILED).size());
  }
}
