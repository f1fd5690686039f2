package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Runs a queue: starts what its state says comes next, hears of ends, and writes each step to the
 * journal before it takes it. Killed at any moment, the next scheduler goes on from the journal and
 * the attempts' files; nothing is lost and nothing starts twice.
 *
 * <p>One thread decides; threads of keepers and watches put news into its mailbox.
 */
public final class Scheduler {
  private final QueueFolder folder;
  private final QueueSettings settings;
  private final Work work;
  private final Consumer<String> log;
  private final Sessions sessions;
  private final BlockingQueue<News> mailbox = new LinkedBlockingQueue<>();

  private final Medium medium;

  /** Opener of the journal's storage. */
  @FunctionalInterface
  interface Medium {
    Journal.Storage open(Path file) throws IOException;
  }

  /** What the mailbox holds. */
  sealed interface News {
    record CommandEnded(Attempt attempt, int status) implements News {}

    record Gone(Attempt attempt) implements News {}

    record FilesCame(List<Path> files) implements News {}

    record Stop() implements News {}
  }

  /** How a scheduler ended. */
  public enum End {
    /** No task waits or runs. */
    ALL_ENDED,
    /** It was told to stop; tasks may run. */
    STOPPED,
    /** Tasks wait, but all GPUs that they may use are set aside or gone. */
    STUCK
  }

  /**
   * @param log takes lines for the scheduler's log
   */
  public Scheduler(
      QueueFolder folder,
      QueueSettings settings,
      Work work,
      Sessions sessions,
      Consumer<String> log) {
    this(folder, settings, work, sessions, log, Journal::file);
  }

  Scheduler(
      QueueFolder folder,
      QueueSettings settings,
      Work work,
      Sessions sessions,
      Consumer<String> log,
      Medium medium) {
    this.medium = medium;
    this.folder = folder;
    this.settings = settings;
    this.work = work;
    this.sessions = sessions;
    this.log = log;
  }

  /** Lets {@link #run} return soon; what runs goes on. From any thread. */
  public void stop() {
    mailbox.add(new News.Stop());
  }

  /**
   * Runs until nothing waits or runs, or until it is stopped.
   *
   * @throws UserMistakeException if another scheduler runs, or the journal is damaged
   */
  public End run() throws IOException, UserMistakeException, InterruptedException {
    var held = folder.hold();
    if (held.isEmpty()) {
      throw new UserMistakeException(
          folder.folder().toString(),
          "another scheduler runs here "
              + folder
                  .holder()
                  .map(h -> "(pid " + h.process().pid() + ", since " + h.since() + ")")
                  .orElse("(since just now)"),
          "its status is enough, or it should be stopped first");
    }
    try (var holding = held.get()) {
      Journal.Content content = Journal.read(folder.journal());
      QueueState state = folder.fold(content);
      folder.writeHolder();
      List<Path> watched = new ArrayList<>(List.of(folder.inbox()));
      Path markers = work.markers();
      if (markers != null) {
        watched.add(markers);
      }
      try (var journal = Journal.open(medium.open(folder.journal()), content);
          var ledger = new Ledger(journal, log);
          var after = new Aftermath(ledger, sessions, settings.cleanup(), log);
          var watch = FolderWatch.of(watched, files -> mailbox.add(new News.FilesCame(files)));
          var loop =
              new Loop(
                  new Loop.Parts(
                      folder, ProcessIdentity.presentBoot(), settings, work, ledger, after, log),
                  state,
                  mailbox,
                  sessions)) {
        return loop.run();
      }
    }
  }
}
