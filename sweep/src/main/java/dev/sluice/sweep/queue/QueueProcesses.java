package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.machine.Posix.Signal;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds and ends processes of a queue by what they inherited from it, wherever they went. Other
 * queues are left alone.
 */
public final class QueueProcesses {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String KILLED = "kill-all";
  private static final long PAUSE_NS = 20_000_000;

  private QueueProcesses() {}

  /**
   * What was ended.
   *
   * @param tasks tasks that ran
   * @param waiting tasks that waited, and wait no more
   * @param killed processes that SIGTERM did not end
   */
  public record Ends(int tasks, int waiting, int killed) {}

  /** Ends the scheduler, and leaves what runs alone; false: none runs. */
  public static boolean stop(QueueFolder folder) throws IOException, InterruptedException {
    var holder = folder.holder();
    if (holder.isEmpty()) {
      return false;
    }
    ProcessIdentity scheduler = holder.get().process();
    int unused =
        end(
            () ->
                scheduler.isAlive(ProcessIdentity.presentBoot())
                    ? List.of(scheduler.pid())
                    : List.of(),
            PATIENCE);
    return true;
  }

  /**
   * Ends the scheduler and each task with its whole session: SIGTERM, after 10 s SIGKILL.
   *
   * @throws UserMistakeException if the journal is damaged; the processes have ended all the same
   */
  public static Ends killAll(QueueFolder folder)
      throws IOException, InterruptedException, UserMistakeException {
    stop(folder);
    try {
      QueueState unused = folder.read();
    } catch (UserMistakeException e) {
      int unused = end(() -> ofQueue(folder, List.of()), PATIENCE);
      throw e;
    }
    try (HeldQueue queue =
        folder
            .hold()
            .orElseThrow(
                () -> new IOException("a scheduler was started again: " + folder.folder()))) {
      Ends ends = endRunning(queue, KILLED);
      List<TaskState> waiting = queue.state().waiting();
      for (TaskState task : waiting) {
        queue.end(task, Outcome.KILLED, KILLED);
      }
      queue.sync();
      return new Ends(ends.tasks, waiting.size(), ends.killed);
    }
  }

  /** Ends each task that runs, as {@link #killAll} does; those that wait, wait on. */
  public static Ends endRunning(HeldQueue queue, String why)
      throws IOException, InterruptedException {
    List<Attempt> attempts = new ArrayList<>();
    for (TaskState task : queue.state().running()) {
      Attempt attempt = queue.folder().attempt(task);
      attempts.add(attempt);
      boolean unused = attempt.withdraw(); // a keeper on its way gives up
    }
    int killed = end(() -> ofQueue(queue.folder(), attempts), PATIENCE);
    for (TaskState task : queue.state().running()) {
      queue.end(task, Outcome.KILLED, why);
    }
    queue.sync();
    return new Ends(attempts.size(), 0, killed);
  }

  static List<Long> ofAttempt(Attempt attempt) throws IOException {
    return ProcessIdentity.withVariable(Attempt.ATTEMPT, attempt.id());
  }

  static Map<String, List<Long>> ofAttempts(List<Attempt> attempts) throws IOException {
    return ProcessIdentity.withVariable(
        Attempt.ATTEMPT, attempts.stream().map(Attempt::id).collect(Collectors.toSet()));
  }

  /**
   * Processes of all attempts of a queue: those that have its variable, and those in the sessions
   * of keepers that live.
   */
  static List<Long> ofQueue(QueueFolder folder, List<Attempt> running) throws IOException {
    Set<Long> found =
        new HashSet<>(ProcessIdentity.withVariable(Attempt.QUEUE, folder.folder().toString()));
    String boot = ProcessIdentity.presentBoot();
    for (Attempt attempt : running) {
      var keeper = attempt.keeper().filter(process -> process.isAlive(boot));
      if (keeper.isPresent()) {
        found.addAll(ProcessIdentity.ofSession(keeper.get().pid()));
      }
    }
    found.remove(ProcessHandle.current().pid());
    return new ArrayList<>(found);
  }

  /** Processes to look for, which may be others each time. */
  @FunctionalInterface
  interface Search {
    List<Long> find() throws IOException;
  }

  /**
   * Ends processes: SIGTERM, and SIGKILL to those that are there after a while. Returns when none
   * is left.
   *
   * @return number of processes that took SIGKILL
   */
  static int end(Search search, Duration patience) throws IOException, InterruptedException {
    Set<Long> asked = new HashSet<>();
    Set<Long> killed = new HashSet<>();
    long deadlineNs = MachineClock.monotonicNs() + patience.toNanos();
    for (List<Long> left = search.find(); !left.isEmpty(); left = search.find()) {
      boolean late = MachineClock.monotonicNs() - deadlineNs >= 0;
      for (long pid : left) {
        if (late) {
          if (Posix.kill(pid, Signal.KILL)) {
            killed.add(pid);
          }
        } else if (asked.add(pid)) {
          boolean unused = Posix.kill(pid, Signal.TERM);
        }
      }
      MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + PAUSE_NS);
    }
    return killed.size();
  }

  /** The command lines of processes, for a person. */
  static String words(List<Long> pids) {
    List<String> words = new ArrayList<>();
    for (long pid : pids) {
      String command = ProcessIdentity.commandLine(pid);
      if (!command.isEmpty()) {
        words.add(pid + " (" + command + ")");
      }
    }
    return String.join(", ", words);
  }
}
