package dev.sluice.sweep.workspace;

import dev.sluice.executor.lane.Lane;
import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Scheduler.Sessions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sessions with a window of tmux beside each, which shows the log as it grows. A task is no child
 * of tmux: neither a slow nor a killed tmux server holds it up or ends it, and it has the
 * scheduler's environment instead of the server's. One thread talks to tmux, so that a slot is
 * refilled meanwhile.
 */
public final class TmuxSessions implements Sessions, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TmuxSessions.class);

  /** Sessions of tasks that have ended, and stay open to be read. */
  private static final int KEPT_MAX = 50;

  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final String workerPrefix;
  private final LogOf logs;
  private final Deque<String> kept = new ArrayDeque<>();
  private final ExecutorService tmux =
      Executors.newSingleThreadExecutor(work -> Lane.daemon(work, "sluice-tmux"));

  @FunctionalInterface
  public interface LogOf {
    Path task(String name) throws IOException;
  }

  @FunctionalInterface
  private interface Talk {
    void run() throws IOException, InterruptedException;
  }

  public TmuxSessions(String workerPrefix, LogOf logs) {
    this.workerPrefix = workerPrefix;
    this.logs = logs;
  }

  public static boolean isInstalled() throws InterruptedException {
    try {
      return Launch.of("tmux", "-V").status() == 0;
    } catch (IOException e) {
      return false; // there is no such program
    }
  }

  /** A name as tmux keeps it: it has no dots and no colons. */
  static String name(String wanted) {
    return wanted.replaceAll("[.:\\p{Cntrl}]", "_");
  }

  private String name(String task, int gpu) {
    return name(workerPrefix + "_" + task + (gpu == QueueState.NO_GPU ? "" : "_gpu" + gpu));
  }

  /** Opens the session that shows the scheduler's log. */
  public void openScheduler(String name, Path log) {
    talk(() -> open(name(name), log));
  }

  @Override
  public void begun(String task, int gpu) {
    String name = name(task, gpu);
    talk(
        () -> {
          kept.remove(name);
          open(name, logs.task(task));
        });
  }

  @Override
  public void ended(String task, int gpu, boolean cleanup) {
    String name = name(task, gpu);
    talk(
        () -> {
          if (cleanup) {
            end(name);
          } else {
            kept.add(name);
            while (kept.size() > KEPT_MAX) {
              end(kept.remove());
            }
          }
        });
  }

  private void talk(Talk talk) {
    tmux.execute(
        () -> {
          try {
            talk.run();
          } catch (IOException e) {
            LOG.warn("tmux cannot be started", e); // tasks run all the same
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private static void open(String name, Path log) throws IOException, InterruptedException {
    end(name);
    // Several words: tmux starts them without a shell. The log may come a moment later.
    int status =
        Launch.of("tmux", "new-session", "-d", "-s", name, "tail", "-n", "+1", "-F", log.toString())
            .status();
    if (status != 0) {
      LOG.warn("tmux has not opened session {}: status {}", name, status);
    }
  }

  private static void end(String name) throws IOException, InterruptedException {
    int unused = Launch.of("tmux", "kill-session", "-t", "=" + name).status(); // it may be gone
  }

  /** Ends every session that shows one of these logs; sessions of others are left alone. */
  public static void endAll(List<Path> logs) throws IOException, InterruptedException {
    if (!isInstalled()) {
      return;
    }
    List<String> sessions = new ArrayList<>();
    try {
      sessions.addAll(
          Launch.of("tmux", "list-panes", "-a", "-F", "#{session_name}\t#{pane_start_command}")
              .printed("tmux list-panes")
              .lines()
              .filter(line -> logs.stream().anyMatch(log -> shows(line, log)))
              .map(line -> line.substring(0, line.indexOf('\t')))
              .toList());
    } catch (IOException e) {
      return; // no server runs, so that there is no session
    }
    for (String session : sessions) {
      end(session);
    }
  }

  private static boolean shows(String line, Path log) {
    String shown = line.replaceAll("[\\\\\"']", "");
    return shown.endsWith(" " + log.toString().replaceAll("[\\\\\"']", ""));
  }

  /** Waits until tmux has heard all; its sessions stay open. */
  @Override
  public void close() throws InterruptedException {
    tmux.shutdown();
    if (!tmux.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      LOG.warn("tmux did not answer within {} s", CLOSE_LIMIT_SECONDS);
    }
  }
}
