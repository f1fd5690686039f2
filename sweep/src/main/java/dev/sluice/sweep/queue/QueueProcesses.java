package dev.sluice.sweep.queue;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.machine.Posix.Signal;
import dev.sluice.harness.process.ProcessIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds and ends processes of a queue by what they inherited from it, wherever they went. */
final class QueueProcesses {
  private static final long PAUSE_NS = 20_000_000;

  private QueueProcesses() {}

  /** Processes of an attempt: its keeper, and all that it began. */
  static List<Long> ofAttempt(Attempt attempt) throws IOException {
    return ProcessIdentity.withVariable(Attempt.ATTEMPT, attempt.id());
  }

  /** Processes of attempts, by the attempts' ids. */
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
