package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Ends a queue's scheduler, or all that runs of a queue. Other queues are left alone. */
public final class KillAll {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private KillAll() {}

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
        Leftovers.end(
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
  public static Ends all(QueueFolder folder)
      throws IOException, InterruptedException, UserMistakeException {
    stop(folder);
    return end(folder, true, "kill-all");
  }

  /**
   * Ends each task that runs, as {@link #all} does; those that wait, wait on.
   *
   * @param why reason of their ends, in words
   * @throws UserMistakeException if the journal is damaged; the processes have ended all the same
   */
  public static Ends running(QueueFolder folder, String why)
      throws IOException, InterruptedException, UserMistakeException {
    return end(folder, false, why);
  }

  private static Ends end(QueueFolder folder, boolean waiting, String why)
      throws IOException, InterruptedException, UserMistakeException {
    try (var held =
        folder
            .hold()
            .orElseThrow(
                () -> new IOException("a scheduler was started again: " + folder.folder()))) {
      QueueState state;
      Journal.Content content;
      try {
        content = Journal.read(folder.journal());
        state = folder.fold(content);
      } catch (UserMistakeException e) {
        int unused = Leftovers.end(() -> Leftovers.ofQueue(folder, List.of()), PATIENCE);
        throw e;
      }
      List<Attempt> attempts = folder.running(state);
      for (Attempt attempt : attempts) {
        boolean unused = attempt.withdraw(); // a keeper on its way gives up
      }
      int killed = Leftovers.end(() -> Leftovers.ofQueue(folder, attempts), PATIENCE);
      List<QueueEvent> events = new ArrayList<>();
      long now = MachineClock.epochMs();
      for (TaskState task : state.running()) {
        long ranMs = Math.max(0, now - task.sinceMs());
        events.add(killed(task, task.attempt(), why, ranMs, now));
      }
      for (TaskState task : waiting ? state.waiting() : List.<TaskState>of()) {
        events.add(killed(task, 0, why, 0, now));
      }
      try (var journal = Journal.open(Journal.file(folder.journal()), content)) {
        journal.append(events);
        journal.sync();
      }
      return new Ends(attempts.size(), events.size() - attempts.size(), killed);
    }
  }

  private static Ended killed(TaskState task, int attempt, String why, long ranMs, long nowMs) {
    return new Ended(
        task.number, attempt, Outcome.KILLED, Verdict.UNKNOWN, why, false, ranMs, nowMs);
  }
}
