package dev.sluice.harness.process;

import dev.sluice.executor.lane.Lane;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess.Signal;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts roles as child processes, with the Java, class path and flags of this process, and
 * restarts children that die unexpectedly. Each ends when its standard input does, a pipe from
 * here.
 *
 * <p>Safe for any thread. The listener is called on threads of the supervisor, and may call back.
 */
public final class Supervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

  /** Base of the exit status of a process that a signal ended; the signal's number is added. */
  private static final int SIGNAL_BASE = 128;

  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  private final Path logs;
  private final Path temporary;
  private final Listener listener;
  private final Map<String, ChildProcess> children = new LinkedHashMap<>();
  private final List<Thread> watchers = new ArrayList<>();
  private boolean closing;

  public interface Listener {
    /** The child has ended for good: by choice, as expected, or having died too often. */
    void ended(ChildProcess child, int status);

    /** The child has died unexpectedly, and is about to be started again. */
    default void died(ChildProcess child, int status) {}
  }

  /** The folders get {@code <name>.log}, the output of each child, and its temporary files. */
  public Supervisor(Path logs, Path temporary, Listener listener) {
    this.logs = logs;
    this.temporary = temporary;
    this.listener = listener;
  }

  /** Starts a child, or starts it again where it has ended, or died for good. */
  public synchronized ChildProcess start(ChildProcess.Spec spec) throws IOException {
    ChildProcess before = children.get(spec.name());
    if (before != null && before.isAlive()) {
      throw new IllegalStateException(spec.name() + " runs");
    }
    return launch(spec, before == null ? 0 : before.restarts() + 1);
  }

  public synchronized ChildProcess child(String name) {
    ChildProcess child = children.get(name);
    if (child == null) {
      throw new IllegalArgumentException("no child is named " + name);
    }
    return child;
  }

  public synchronized List<ChildProcess> children() {
    return List.copyOf(children.values());
  }

  private ChildProcess launch(ChildProcess.Spec spec, int restarts) throws IOException {
    if (closing) {
      throw new IllegalStateException("the supervisor is closing");
    }
    Path output = logs.resolve(spec.name() + ".log");
    Path news = temporary.resolve(spec.name() + ".news");
    List<String> options = new ArrayList<>(CommandLine.options());
    options.addAll(ChildJvm.wholeHeap(spec.heapMb()));
    options.addAll(
        List.of(
            "-XX:MaxDirectMemorySize=" + spec.directMb() + "m",
            "-Djava.io.tmpdir=" + temporary,
            "-D" + News.FILE + "=" + news,
            "-Dsluice.terminal=" + spec.terminal()));
    List<String> arguments =
        new ArrayList<>(restarts == 0 ? spec.arguments() : spec.restartArguments());
    arguments.add("--child");
    Process process =
        Launch.of(ChildJvm.sluice(options, arguments))
            .errorsToOutput()
            .output(Redirect.appendTo(output.toFile()))
            .start();
    var child = new ChildProcess(spec, process, output, news, restarts, new AtomicBoolean());
    children.put(spec.name(), child);
    LOG.info("{} is process {}", child.name(), child.pid());
    Thread watcher = Lane.daemon(() -> watch(child), "sluice-watch-" + spec.name());
    watchers.add(watcher);
    watcher.start();
    return child;
  }

  private void watch(ChildProcess child) {
    int status;
    try {
      status = child.process().waitFor();
    } catch (InterruptedException e) {
      return; // closing: no end matters any more
    }
    ChildProcess.Spec spec = child.spec();
    boolean again;
    synchronized (this) {
      again =
          !closing
              && !child.endExpected().get()
              && status > SIGNAL_BASE // no end by choice
              && child.restarts() < spec.restartsMax();
    }
    if (!again) {
      listener.ended(child, status);
      return;
    }
    listener.died(child, status);
    try {
      synchronized (this) {
        if (!closing) {
          var unused = launch(spec, child.restarts() + 1);
        }
      }
    } catch (IOException e) {
      LOG.error("{} could not be started again", spec.name(), e);
      listener.ended(child, status);
    }
  }

  /** Ends all children that still run: asks first, then kills. */
  @Override
  public void close() {
    List<ChildProcess> left = beginToClose();
    try {
      for (ChildProcess child : left) {
        child.expectEnd();
        child.signal(Signal.CONT); // a stopped process takes no other signal
        child.signal(Signal.TERM);
      }
      long deadlineNs = MachineClock.monotonicNs() + END_LIMIT.toNanos();
      for (ChildProcess child : left) {
        if (!child.endsBy(deadlineNs)) {
          child.process().destroyForcibly().waitFor();
        }
      }
      for (Thread watcher : watchers) {
        if (watcher != Thread.currentThread()) {
          watcher.join();
        }
      }
    } catch (InterruptedException e) {
      left.forEach(child -> child.process().destroyForcibly());
      Thread.currentThread().interrupt();
    }
  }

  public void killAll() {
    beginToClose().forEach(child -> child.process().destroyForcibly());
  }

  private synchronized List<ChildProcess> beginToClose() {
    closing = true;
    return children();
  }
}
