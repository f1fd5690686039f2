package dev.sluice.harness.sweep.queue;

import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.harness.sweep.queue.QueueEvent.Ended;
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
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows an attempt's end and must not hold up the next start: the end's stamp in the log, a
 * look at what the task left running, and the removal of the attempt's files.
 */
final class Aftermath implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Aftermath.class);
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  /** Time that a task's last processes have to end by themselves. */
  private static final long GRACE_MS = 200;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

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

  Aftermath(Sessions sessions, boolean cleanup, Consumer<String> log) {
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

  /** An attempt has ended. Returns at once. */
  void ended(Attempt attempt, Ended ended, String name, int gpu, String file) {
    thread.execute(() -> stampEnd(ended, name, file));
    later(attempt, name, gpu, file);
  }

  private void later(Attempt attempt, String name, int gpu, String file) {
    var unused =
        thread.schedule(() -> look(attempt, name, gpu, file), GRACE_MS, TimeUnit.MILLISECONDS);
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

  /** Looks at what is left of an attempt, once its keeper has ended. */
  private void look(Attempt attempt, String name, int gpu, String file) {
    try {
      if (attempt.claim() instanceof Attempt.Claim.Keeper keeper) {
        if (keeper.process().isAlive(ProcessIdentity.presentBoot())) {
          later(attempt, name, gpu, file);
          return;
        }
        if (Posix.hasGroup(keeper.process().pid())) {
          leftRunning(attempt, name, file);
        }
      }
      if (!(attempt.claim() instanceof Attempt.Claim.Withdrawn)) {
        attempt.remove();
      }
      sessions.ended(name, gpu, cleanup);
    } catch (IOException e) {
      LOG.warn("what is left of attempt {} cannot be seen", attempt.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void leftRunning(Attempt attempt, String name, String file)
      throws IOException, InterruptedException {
    List<Long> left = Leftovers.ofAttempt(attempt);
    if (left.isEmpty()) {
      return;
    }
    String line =
        "task ("
            + name
            + ") left processes running: "
            + Leftovers.words(left)
            + (cleanup ? "; they are ended" : "");
    log.accept(line);
    append(file, "== " + line);
    if (cleanup) {
      int unused = Leftovers.end(() -> Leftovers.ofAttempt(attempt), PATIENCE);
    }
  }

  /** Returns when nothing is left to do. */
  @Override
  public void close() throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
      LOG.warn("some of what tasks left was not looked at");
    }
  }
}
