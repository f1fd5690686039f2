package dev.sluice.sweep.queue;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows an attempt's end and must not hold up the next start: once the end is on the disk,
 * the lines that tell it, a look at what the task left running, and the removal of the attempt's
 * files.
 */
final class Aftermath implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Aftermath.class);
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  /** Time that a task's last processes have to end by themselves. */
  private static final long GRACE_NS = 200_000_000;

  /** Time between looks at all processes. */
  private static final long LOOK_MS = 500;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Ledger ledger;
  private final Sessions sessions;
  private final boolean cleanup;
  private final Consumer<String> log;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            var made = new Thread(work, "sluice-aftermath");
            made.setDaemon(true);
            return made;
          });

  /** Attempts that were not looked at yet; of {@link #thread} alone. */
  private final Deque<ToLookAt> toLookAt = new ArrayDeque<>();

  /**
   * An attempt that has ended.
   *
   * @param position that of its end in the ledger
   * @param log file of its output
   */
  record End(Attempt attempt, Ended ended, long position, String name, int gpu, String log) {}

  private record ToLookAt(End end, long fromNs) {}

  Aftermath(Ledger ledger, Sessions sessions, boolean cleanup, Consumer<String> log) {
    this.ledger = ledger;
    this.sessions = sessions;
    this.cleanup = cleanup;
    this.log = log;
  }

  /** Begin of a line between whose like a task's output stands. */
  private static String stamp(String kind, long atMs) {
    return "== " + kind + " " + MOMENT.format(Instant.ofEpochMilli(atMs)) + " ";
  }

  /** First line of a task's attempt in its log. */
  static String begun(TaskState task, Path queue) {
    String line =
        stamp("start", task.sinceMs())
            + "task (%s), attempt %d".formatted(task.name(), task.attempt())
            + (task.gpu() == QueueState.NO_GPU ? "" : ", GPU " + task.gpu())
            + ", "
            + queue;
    return line.replace('\n', ' ');
  }

  /** An attempt has ended: this is told once it is on the disk. Returns at once. */
  void ended(End end) {
    thread.execute(() -> tell(end));
  }

  private void tell(End end) {
    try {
      if (!ledger.await(end.position)) {
        return; // the next scheduler will find what this one could not write
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    Ended ended = end.ended;
    log.accept(
        "task ("
            + end.name
            + ")"
            + (ended.outcome() == Outcome.DONE ? " is done" : " has failed")
            + (ended.why().isEmpty() ? "" : ": " + ended.why())
            + (ended.again() ? "; it waits again" : ""));
    stampEnd(ended, end.name, end.log);
    later(end);
  }

  private void later(End end) {
    toLookAt.add(new ToLookAt(end, MachineClock.monotonicNs() + GRACE_NS));
    if (toLookAt.size() == 1) {
      lookLater();
    }
  }

  private void lookLater() {
    var unused = thread.schedule(() -> look(false), LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private void stampEnd(Ended ended, String name, String file) {
    String how = ended.why().isEmpty() ? "exit status " + ended.status() : ended.why();
    append(
        file,
        stamp("end", ended.atMs())
            + "task (%s), attempt %d, after %.3f s: %s"
                .formatted(name, ended.attempt(), ended.ranMs() / 1000.0, how));
  }

  private static void append(String file, String line) {
    Path path = Path.of(file);
    if (file.isEmpty() || !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.writeString(
          path,
          line.replace('\n', ' ') + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.WRITE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOG.warn("{} cannot be written", path, e);
    }
  }

  /**
   * Looks at what is left of attempts, one pass over all processes for all of them.
   *
   * @param all whether those are among them that ended just now
   */
  private void look(boolean all) {
    long nowNs = MachineClock.monotonicNs();
    List<End> due = new ArrayList<>();
    while (!toLookAt.isEmpty() && (all || toLookAt.element().fromNs - nowNs <= 0)) {
      due.add(toLookAt.remove().end);
    }
    try {
      var left = Leftovers.ofAttempts(due.stream().map(End::attempt).toList());
      for (End end : due) {
        look(end, left.getOrDefault(end.attempt.id(), List.of()));
      }
    } catch (IOException e) {
      LOG.warn("what tasks left running cannot be seen", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    if (!toLookAt.isEmpty() && !all) {
      lookLater();
    }
  }

  private void look(End end, List<Long> left) throws IOException, InterruptedException {
    Attempt.Claim claim = end.attempt.claim();
    if (claim instanceof Attempt.Claim.Keeper keeper
        && keeper.process().isAlive(ProcessIdentity.presentBoot())) {
      later(end);
      return;
    }
    if (!left.isEmpty()) {
      leftRunning(end, left);
    }
    if (!(claim instanceof Attempt.Claim.Withdrawn)) {
      end.attempt.remove();
    }
    sessions.ended(end.name, end.gpu, cleanup);
  }

  private void leftRunning(End end, List<Long> left) throws IOException, InterruptedException {
    String line =
        "task ("
            + end.name
            + ") left processes running: "
            + Leftovers.words(left)
            + (cleanup ? "; they are ended" : "");
    log.accept(line);
    append(end.log, "== " + line);
    if (cleanup) {
      int unused = Leftovers.end(() -> Leftovers.ofAttempt(end.attempt), PATIENCE);
    }
  }

  /** Returns when nothing is left to do. */
  @Override
  public void close() throws InterruptedException {
    var last = thread.schedule(() -> look(true), GRACE_NS, TimeUnit.NANOSECONDS);
    try {
      Object unused = last.get(1, TimeUnit.MINUTES);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("some of what tasks left was not looked at", e);
    }
    thread.shutdownNow();
  }
}
