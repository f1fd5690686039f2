package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
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
  private static final String KILLED = "kill-all";

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
        QueueProcesses.end(
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
    try {
      QueueState unused = folder.read();
    } catch (UserMistakeException e) {
      int unused = QueueProcesses.end(() -> QueueProcesses.ofQueue(folder, List.of()), PATIENCE);
      throw e;
    }
    try (HeldQueue queue =
        folder
            .hold()
            .orElseThrow(
                () -> new IOException("a scheduler was started again: " + folder.folder()))) {
      Ends ends = running(queue, KILLED);
      List<TaskState> waiting = queue.state().waiting();
      for (TaskState task : waiting) {
        Ended unused = queue.end(task, Outcome.KILLED, Verdict.UNKNOWN, KILLED, false);
      }
      queue.sync();
      return new Ends(ends.tasks, waiting.size(), ends.killed);
    }
  }

  /**
   * Ends each task that runs, as {@link #all} does; those that wait, wait on.
   *
   * @param why reason of their ends, in words
   */
  public static Ends running(HeldQueue queue, String why) throws IOException, InterruptedException {
    List<Attempt> attempts = new ArrayList<>();
    for (TaskState task : queue.state().running()) {
      Attempt attempt = queue.folder().attempt(task);
      attempts.add(attempt);
      boolean unused = attempt.withdraw(); // a keeper on its way gives up
    }
    int killed =
        QueueProcesses.end(() -> QueueProcesses.ofQueue(queue.folder(), attempts), PATIENCE);
    for (TaskState task : queue.state().running()) {
      Ended unused = queue.end(task, Outcome.KILLED, Verdict.UNKNOWN, why, false);
    }
    queue.sync();
    return new Ends(attempts.size(), 0, killed);
  }
}
