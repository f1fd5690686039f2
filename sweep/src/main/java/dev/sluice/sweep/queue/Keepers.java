package dev.sluice.sweep.queue;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.process.Launch;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts keepers, small shells that outlive the scheduler, and hears of their ends: a keeper holds
 * a named pipe open, so that its end is heard of at once, even after SIGKILL, and even by a
 * scheduler that did not start it.
 */
final class Keepers implements AutoCloseable {
  /** Variable of the queue's folder, in the environment of each of its processes. */
  static final String QUEUE = "SLUICE_SWEEP";

  /** Variable of the attempt, in the environment of each of its processes. */
  static final String ATTEMPT = "SLUICE_SWEEP_ATTEMPT";

  private static final Logger LOG = LoggerFactory.getLogger(Keepers.class);
  private static final String SCRIPT = script();
  private static final String ENDED = "ended ";
  private static final int STACK_BYTES = 128 * 1024;

  /** Most keepers that wait for an order. */
  private static final int SPARES_MAX = 16;

  private final Sessions sessions;
  private final Work.@Nullable Keeper other;
  private final Listener listener;
  private final Spares spares;

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
    this.sessions = sessions;
    this.other = other;
    this.listener = listener;
    this.spares =
        new Spares(
            Launch.of("/bin/sh", "-c", SCRIPT, "sluice-keeper", folder.attempts().toString())
                .ownSession()
                .environment(folder.variables())
                .output(Redirect.DISCARD)
                .errorsToOutput());
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

  /** Says how many keepers should wait for an order. */
  void want(int keepers) {
    spares.want(other == null ? Math.min(keepers, SPARES_MAX) : 0);
  }

  /**
   * Has a keeper run an attempt.
   *
   * @param stamp first line of the attempt in its log
   * @throws IOException if no process can be started
   */
  void start(Attempt attempt, TaskState task, Work.Plan plan, String stamp) throws IOException {
    if (!Files.isDirectory(plan.directory())) {
      throw new NotDirectoryException(plan.directory().toString());
    }
    Posix.makeFifo(attempt.fifo());
    // Held open until the keeper does: without a writer the reader would take it for gone.
    var own = new RandomAccessFile(attempt.fifo().toFile(), "rw");
    try {
      var pipe = new FileInputStream(attempt.fifo().toFile());
      Process keeper =
          other == null ? shell(attempt, plan, stamp) : other.keep(attempt, plan, stamp);
      var unused = keeper.onExit().thenAccept(ended -> close(own));
      listen(attempt, pipe, own);
    } catch (IOException | RuntimeException e) {
      own.close();
      throw e;
    }
    sessions.begun(task.name(), task.gpu());
  }

  private Process shell(Attempt attempt, Work.Plan plan, String stamp) throws IOException {
    attempt.writeOrder(order(attempt, plan, stamp));
    return spares.order(attempt.name());
  }

  /** What a keeper is told to do, as text of its shell. */
  private static String order(Attempt attempt, Work.Plan plan, String stamp) {
    Map<String, String> environment = new TreeMap<>(plan.environment());
    environment.put(ATTEMPT, attempt.id());
    var order = new StringBuilder();
    environment.forEach(
        (name, value) ->
            order.append("export ").append(name).append('=').append(quoted(value)).append('\n'));
    order.append("keep");
    List<String> words =
        new ArrayList<>(
            List.of(attempt.prefix(), plan.log().toString(), stamp, plan.directory().toString()));
    words.addAll(plan.command());
    words.forEach(word -> order.append(' ').append(quoted(word)));
    return order.append('\n').toString();
  }

  /** A word that a shell takes as it is, whatever it holds. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
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

  /** Lets the keepers go that wait for an order; those that have one go on. */
  @Override
  public void close() throws InterruptedException {
    spares.close();
  }

  /**
   * Keepers that wait for an order, so that no process of the scheduler's has to start between a
   * task's end and the next one's begin. A keeper waits at a pipe that the scheduler alone holds:
   * it ends with the scheduler. New ones are started while no slot is being filled.
   */
  private static final class Spares implements AutoCloseable {
    /** Time without an order after which new keepers take nobody's processor. */
    private static final long QUIET_NS = 10_000_000;

    private final Launch launch;
    private final Deque<Process> waiting = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "sluice-spare-keepers");
    private int wanted;
    private long orderedNs = MachineClock.monotonicNs();
    private boolean closed;

    Spares(Launch launch) {
      this.launch = launch;
      thread.setDaemon(true);
      thread.start();
    }

    synchronized void want(int keepers) {
      if (keepers != wanted) {
        wanted = keepers;
        notifyAll();
      }
    }

    /** Sends a keeper an order, a new one if none waits. */
    Process order(String attempt) throws IOException {
      byte[] line = (attempt + "\n").getBytes(StandardCharsets.US_ASCII);
      for (Process keeper = taken(); keeper != null; keeper = taken()) {
        try {
          send(keeper, line);
          return keeper;
        } catch (IOException e) {
          LOG.debug("a waiting keeper has been ended", e);
        }
      }
      Process keeper = launch.start();
      send(keeper, line);
      return keeper;
    }

    private synchronized @Nullable Process taken() {
      orderedNs = MachineClock.monotonicNs();
      notifyAll();
      return waiting.poll();
    }

    private static void send(Process keeper, byte[] line) throws IOException {
      try (OutputStream orders = keeper.getOutputStream()) {
        orders.write(line);
      }
    }

    private void run() {
      try {
        while (awaitNeed()) {
          Process keeper = launch.start();
          synchronized (this) {
            waiting.add(keeper);
          }
        }
      } catch (IOException e) {
        LOG.warn("no keeper can be started beforehand", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Returns when one more keeper should wait; false: none will. */
    private synchronized boolean awaitNeed() throws InterruptedException {
      while (!closed) {
        long leftNs = orderedNs + QUIET_NS - MachineClock.monotonicNs();
        if (waiting.size() >= wanted) {
          wait();
        } else if (leftNs > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        } else {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() throws InterruptedException {
      synchronized (this) {
        closed = true;
        notifyAll();
      }
      thread.join();
      for (Process keeper : waiting) {
        try {
          keeper.getOutputStream().close();
        } catch (IOException e) {
          LOG.debug("a waiting keeper has been ended", e);
        }
      }
    }
  }
}
