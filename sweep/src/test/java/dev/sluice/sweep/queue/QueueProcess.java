package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.Scheduler.Sessions;
import java.nio.file.Path;

/** A scheduler of {@link ShellWork} in a process of its own, to be killed. */
final class QueueProcess {
  private QueueProcess() {}

  /** Runs the queue of a folder; the second argument is the number of slots. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Scheduler.End end =
        new Scheduler(
                new QueueFolder(folder.resolve("queue")),
                QueueSettings.slots(Integer.parseInt(arguments[1]), false),
                new ShellWork(folder, null),
                Sessions.plain(),
                line -> {})
            .run();
    System.exit(end == Scheduler.End.ALL_ENDED ? 0 : 1);
  }
}
