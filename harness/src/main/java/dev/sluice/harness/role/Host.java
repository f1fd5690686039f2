package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host of roles in this process: their parts, which are closed in the opposite order of their
 * opening, their entries in the run's register, a person's wish to stop, and the end of the run or
 * the first failure of a part.
 */
public abstract class Host {
  private static final Logger LOG = LoggerFactory.getLogger(Host.class);

  private final String name;
  private final Console console;
  private final Opened opened = new Opened();

  /** End of the run; empty if a person stopped it before it began, or stopped this process. */
  private final CompletableFuture<Optional<RunEnded>> end = new CompletableFuture<>();

  private volatile boolean stopRequested;
  private volatile @Nullable Runnable endOfLoad;
  private volatile @Nullable Path temporary;
  private @Nullable RunRegister register;

  /** Entries of this host's roles in the register. */
  private final Deque<RoleJoined> entries = new ArrayDeque<>();

  /** The name is that of the temporary folder. */
  protected Host(String name, Console console) {
    this.name = name;
    this.console = console;
  }

  public Path temporary() throws IOException {
    Path folder = Files.createTempDirectory("sluice-" + name + "-");
    temporary = folder;
    return folder;
  }

  final void removeTemporary() {
    TemporaryFolder.remove(temporary);
  }

  /** Called on a wish to stop while there is no load to end. */
  protected void stopBeforeLoad() {
    end(Optional.empty());
  }

  /**
   * Works in a process of its own until the work or a person ends it, closes all parts, and returns
   * the exit status: that of the work, unless a signal came.
   *
   * @param onInput takes each line of the parent of a child
   */
  final int runInProcess(boolean child, Consumer<String> onInput, Callable<Integer> work)
      throws Exception {
    try (var signals = Signals.listenAsPart(child, onInput, this::stop, this::removeTemporary)) {
      int status;
      try {
        status = work.call();
      } catch (StoppedException e) {
        status = signals.exitStatus();
      } catch (RoleFailedException | WarmUpException e) {
        LOG.error("the role failed", e);
        String why = String.valueOf(e.getMessage());
        String end = why.endsWith(".") ? "" : ".";
        News.error("sluice: error: " + why + end + "\n  Maybe the lines before say more.");
        status = ExitStatus.BUG;
      } finally {
        closeParts();
        removeTemporary();
      }
      // A parent that stopped this process needs the status of its work.
      return signals.received() && !child ? signals.exitStatus() : status;
    }
  }

  public final <T extends AutoCloseable> T add(T part) {
    return opened.add(part);
  }

  /** Closes all parts, and then enters that the roles have left. Parts added later go next time. */
  public final void closeParts() {
    opened.close();
  }

  /** Opens the register of a run whose topics are there. */
  public final RunRegister openRegister(RunFrame frame, KafkaAccess kafka)
      throws InterruptedException {
    RunRegister opening =
        add(RunRegister.open(frame.topics(), kafka.clients(), frame.clock(), this::fail));
    register = opening;
    add(this::leave);
    return opening;
  }

  /** Enters that the roles have left; all that they had opened is closed already. */
  private void leave() throws InterruptedException {
    while (!entries.isEmpty()) {
      try {
        register().leave(entries.pop());
      } catch (IllegalStateException e) {
        LOG.warn("a leaving could not be entered", e);
        return; // the broker is gone
      }
    }
  }

  public final RunRegister register() {
    if (register == null) {
      throw new IllegalStateException("not connected");
    }
    return register;
  }

  /** Enters a role that has no shard of its own in the register. */
  public final RoleJoined join(Role role, String name, RunFrame frame)
      throws UserMistakeException, InterruptedException {
    return joined(register().join(role, name, frame.configDigest(), null));
  }

  public RoleJoined joined(RoleJoined entry) {
    entries.push(entry);
    return entry;
  }

  /** Tells of a part that cannot go on. Called from any thread; the first failure counts. */
  public final void fail(Throwable cause) {
    LOG.error("a role cannot go on", cause);
    end.completeExceptionally(cause);
  }

  /** Tells of the end of the run, unless a part has failed; empty: a person stopped it before. */
  protected final void end(Optional<RunEnded> ended) {
    end.complete(ended);
  }

  protected final boolean isOver() {
    return end.isDone();
  }

  public final boolean hasFailed() {
    return end.isCompletedExceptionally();
  }

  public final void failIfFailed() throws RoleFailedException {
    try {
      var unused = end.getNow(Optional.empty());
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new RoleFailedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /**
   * Waits for the end of the run.
   *
   * @throws RoleFailedException if a part fails before
   * @throws StoppedException if a person stops the run before it begins, or stops this process
   */
  public final RunEnded awaitEnd()
      throws RoleFailedException, StoppedException, InterruptedException {
    try {
      return end.get().orElseThrow(StoppedException::new);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String why = cause instanceof RunFailedException ? cause.getMessage() : String.valueOf(cause);
      throw new RoleFailedException(why, cause);
    }
  }

  /** Sets the action that ends the load when a person wants it, while what runs is awaited. */
  public final void onStop(Runnable action) {
    endOfLoad = action;
    if (stopRequested) { // the wish came earlier
      action.run();
    }
  }

  /** Obeys a person's wish to stop. Called from any thread. */
  protected final void stop() {
    stopRequested = true;
    Runnable action = endOfLoad;
    if (action == null) {
      stopBeforeLoad();
    } else {
      console.line("Stopping: no more arrivals, what runs is awaited. Again to stop at once.");
      action.run();
    }
  }

  public final boolean stopRequested() {
    return stopRequested;
  }

  /**
   * Throws if a person wants the run, or this process, to end. Called between the steps of the
   * start, since an interrupt would hit the libraries while they load.
   */
  public final void heedAWishToStop() throws StoppedException {
    if (stopRequested) {
      throw new StoppedException();
    }
  }
}
