package dev.sluice.harness.sweep.queue;

import dev.sluice.harness.machine.Posix;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts keepers, small shells that outlive the scheduler, and hears of their ends: a keeper holds
 * a named pipe open, so that its end is heard of at once, even after SIGKILL, and even by a
 * scheduler that did not start it.
 */
final class Keepers {
  /** Variable of the queue's folder, in the environment of each of its processes. */
  static final String QUEUE = "SLUICE_SWEEP";

  /** Variable of the attempt, in the environment of each of its processes. */
  static final String ATTEMPT = "SLUICE_SWEEP_ATTEMPT";

  private static final Logger LOG = LoggerFactory.getLogger(Keepers.class);
  private static final String SCRIPT = script();
  private static final String ENDED = "ended ";
  private static final int STACK_BYTES = 128 * 1024;

  private final QueueFolder folder;
  private final Sessions sessions;
  private final Work.@Nullable Keeper other;
  private final Listener listener;

  /** Listener to keepers, called on threads of their own. */
  interface Listener {
    /** The command has ended. */
    void ended(Attempt attempt, int status);

    /** Nobody holds the pipe any more: the keeper is gone, and all that inherited from it. */
    void gone(Attempt attempt);
  }

  /**
   * @param other who keeps attempts in place of shells; null: nobody
   */
  Keepers(QueueFolder folder, Sessions sessions, Work.@Nullable Keeper other, Listener listener) {
    this.folder = folder;
    this.sessions = sessions;
    this.other = other;
    this.listener = listener;
  }

  private static String script() {
    try (InputStream in = Keepers.class.getResourceAsStream("keeper.sh")) {
      if (in == null) {
        throw new IllegalStateException("the keeper's script is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts the keeper of an attempt.
   *
   * @param stamp first line of the attempt in its log
   * @throws IOException if no process can be started
   */
  void start(Attempt attempt, TaskState task, Work.Plan plan, String stamp) throws IOException {
    Posix.makeFifo(attempt.fifo());
    // Held open until the keeper does: without a writer the reader would take it for gone.
    var own = new RandomAccessFile(attempt.fifo().toFile(), "rw");
    try {
      var pipe = new FileInputStream(attempt.fifo().toFile());
      Process keeper =
          other == null ? shell(attempt, task, plan, stamp) : other.keep(attempt, plan, stamp);
      if (keeper != null) {
        var unused = keeper.onExit().thenAccept(ended -> close(own));
      }
      listen(attempt, pipe, own);
    } catch (IOException | RuntimeException e) {
      own.close();
      throw e;
    }
  }

  private @Nullable Process shell(Attempt attempt, TaskState task, Work.Plan plan, String stamp)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                SCRIPT,
                "sluice-keeper",
                attempt.prefix(),
                plan.log().toString(),
                stamp));
    command.addAll(plan.command());
    Map<String, String> environment = new HashMap<>(plan.environment());
    environment.putAll(folder.variables());
    environment.put(ATTEMPT, attempt.id());
    return sessions.begin(
        new Sessions.Begin(task.name(), task.gpu(), command, environment, plan.directory()));
  }

  private static void close(RandomAccessFile own) {
    try {
      own.close();
    } catch (IOException e) {
      LOG.warn("a pipe cannot be closed", e);
    }
  }

  /** Listens to the keeper of an attempt that an earlier scheduler started. */
  void findAgain(Attempt attempt) throws IOException {
    if (!Files.exists(attempt.fifo())) {
      listener.gone(attempt);
      return;
    }
    FileInputStream pipe;
    try (var own = new RandomAccessFile(attempt.fifo().toFile(), "rw")) {
      pipe = new FileInputStream(attempt.fifo().toFile());
    }
    listen(attempt, pipe, null);
  }

  private void listen(Attempt attempt, InputStream pipe, @Nullable RandomAccessFile own) {
    var thread =
        new Thread(
            null,
            () -> {
              try (pipe;
                  var lines =
                      new BufferedReader(
                          new InputStreamReader(pipe, StandardCharsets.US_ASCII), 64)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  if (own != null) {
                    own.close();
                  }
                  if (line.startsWith(ENDED)) {
                    listener.ended(attempt, Integer.parseInt(line.substring(ENDED.length())));
                  }
                }
              } catch (IOException | NumberFormatException e) {
                LOG.warn("the pipe of attempt {} cannot be read", attempt.id(), e);
              }
              listener.gone(attempt);
            },
            "sluice-keeper-" + attempt.task(),
            STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }
}
