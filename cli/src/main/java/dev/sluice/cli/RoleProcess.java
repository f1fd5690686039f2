package dev.sluice.cli;

import dev.sluice.contract.RoleJoined;
import dev.sluice.contract.RoleJoined.Role;
import dev.sluice.contract.RunEnded;
import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.executor.WarmUpException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One role as a process of its own, from its command line to its exit status: reads the experiment,
 * waits for Kafka, makes the run's topics if it comes first, enters and leaves the run's register,
 * and ends with the run.
 */
final class RoleProcess {
  private static final Logger LOG = LoggerFactory.getLogger(RoleProcess.class);
  private static final int EXIT_PARENT_GONE = 1;

  /** A role's output says so once for each of its starts. */
  static final String JOINED = "joined the run ";

  private final RoleOptions options;
  private final RunFrame frame;
  private final KafkaAccess kafka;
  private final Opened opened = new Opened();

  /** How the run went: empty if a person stopped this process first. */
  private final CompletableFuture<Optional<RunEnded>> end = new CompletableFuture<>();

  private volatile boolean stopped;
  private volatile @Nullable Runnable onStop;
  private @Nullable Path temporary;
  private @Nullable RoleMetrics metrics;
  private @Nullable RunRegister register;
  private @Nullable RoleJoined joined;

  /** What the role does between the reading of its experiment and the closing of all it opened. */
  @FunctionalInterface
  interface Work {
    /** Returns the exit status, unless a signal came. */
    int run(RoleProcess process)
        throws UserMistakeException,
            RoleFailedException,
            WarmUpException,
            StoppedException,
            IOException,
            InterruptedException;
  }

  private RoleProcess(RoleOptions options, RunFrame frame, KafkaAccess kafka) {
    this.options = options;
    this.frame = frame;
    this.kafka = kafka;
  }

  /**
   * Runs a role and returns its exit status: 0 when the run has ended, 1 if it or the role failed,
   * 2 for a user's mistake, 130 after Ctrl-C.
   */
  static int run(
      Role role, RoleOptions options, Console console, Consumer<String> onInput, Work work)
      throws IOException, InterruptedException {
    try {
      options.check();
      if (role != Role.ANALYZE && !options.child()) { // it knows better where the folder goes
        RunFolder.refuseFinished(RunFolder.results(null), options.runId());
      }
      var parsed =
          ExperimentFile.read(options.config(), options.overrides(), Registries.vocabulary());
      var frame = RunFrame.of(parsed, options.runId(), console);
      var process = new RoleProcess(options, frame, options.kafka());
      parsed.warnings().forEach(console::line);
      return process.run(role, onInput, work);
    } catch (UserMistakeException e) {
      console.endLiveLine();
      System.err.println(e.getMessage());
      return Sluice.EXIT_MISTAKE;
    }
  }

  private int run(Role role, Consumer<String> onInput, Work work)
      throws UserMistakeException, IOException, InterruptedException {
    if (options.child()) {
      ParentWatch.start(onInput, this::endAtOnce);
    }
    try (var signals =
        options.child()
            ? Signals.listenAsChild(this::stop, this::removeTemporary)
            : Signals.listen(this::stop, this::removeTemporary)) {
      int status;
      String name = role.name().toLowerCase(Locale.ROOT);
      // What analytics prints its parent shows; its log has a file of its own.
      boolean shown = options.child() && role == Role.ANALYZE;
      try (var log = shown ? null : LogFile.toStandardError(kafka.secrets());
          var served = RoleMetrics.serve(options.metricsPort(), name, frame.runId())) {
        metrics = served;
        if (served.port() != null) {
          frame.console().line("metrics at port " + served.port());
        }
        status = work.run(this);
        leave();
      } catch (StoppedException e) {
        leave();
        status = signals.exitStatus();
      } catch (RoleFailedException | WarmUpException e) {
        LOG.error("the role failed", e);
        String why = String.valueOf(e.getMessage());
        System.err.println("sluice: error: " + why + (why.endsWith(".") ? "" : "."));
        System.err.println("  Maybe the lines before say more.");
        status = Sluice.EXIT_BUG;
        leave();
      } finally {
        opened.close();
        removeTemporary();
      }
      // A parent that asked this role to stop wants to know whether its work is done.
      return signals.received() && !options.child() ? signals.exitStatus() : status;
    }
  }

  /** The parent is gone: nobody waits for this process any more. */
  private void endAtOnce() {
    removeTemporary();
    Runtime.getRuntime().halt(EXIT_PARENT_GONE);
  }

  RunFrame frame() {
    return frame;
  }

  KafkaAccess kafka() {
    return kafka;
  }

  /** Takes care that a part is closed before this role leaves. */
  <T extends AutoCloseable> T open(T part) {
    return opened.add(part);
  }

  /** A folder that goes when this process goes in order. */
  Path temporary() throws IOException {
    Path folder = Files.createTempDirectory("sluice-" + frame.runId() + "-");
    temporary = folder;
    return folder;
  }

  private void removeTemporary() {
    TemporaryFolder.remove(temporary);
  }

  /** Waits for Kafka, makes the run's topics unless they are there, and opens the register. */
  RunRegister connect() throws UserMistakeException, StoppedException, InterruptedException {
    boolean answered =
        kafka.awaitAnswer(
            options.waitLimit(),
            () -> frame.console().line("waiting for Kafka at " + kafka.bootstrapServers()),
            () -> stopped);
    if (!answered) {
      throw new StoppedException();
    }
    RunTopics.ensure(frame.topics(), frame.shards(), kafka);
    var opening = RunRegister.open(frame.topics(), kafka.properties(), this::fail);
    register = opening;
    return opening;
  }

  /** Remembers what this process entered, so that its leaving is entered too. */
  RoleJoined joined(RoleJoined entry) {
    joined = entry;
    frame
        .console()
        .line(
            JOINED
                + frame.runId()
                + " as "
                + entry.instance()
                + (entry.shard() == null ? "" : ", shard " + entry.shard()));
    return entry;
  }

  /** Where the role's meters are handed in. */
  RoleMetrics metrics() {
    if (metrics == null) {
      throw new IllegalStateException("not running");
    }
    return metrics;
  }

  RunRegister register() {
    if (register == null) {
      throw new IllegalStateException("not connected");
    }
    return register;
  }

  /** Waits until the run has ended, and returns the exit status that follows from it. */
  int awaitRunEnd() throws RoleFailedException, StoppedException, InterruptedException {
    if (!register().started().isDone()) {
      frame.console().line("waiting for the run to begin");
    }
    RunEnded ended = awaitEnd();
    if (ended.failure() != null) {
      System.err.println("sluice: error: the run was given up: " + ended.failure() + ".");
      System.err.println("  Maybe its folder, or what the other roles print, says more.");
      return Sluice.EXIT_BUG;
    }
    return Sluice.EXIT_DONE;
  }

  /** Waits for the run's end as it stands in the register. */
  RunEnded awaitEnd() throws RoleFailedException, StoppedException, InterruptedException {
    var unused = register().ended().thenAccept(ended -> end.complete(Optional.of(ended)));
    try {
      return end.get().orElseThrow(StoppedException::new);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new RoleFailedException(String.valueOf(cause), cause);
    }
  }

  /** The role can not go on. From any thread. */
  void fail(Throwable cause) {
    LOG.error("the role can not go on", cause);
    end.completeExceptionally(cause);
  }

  /** What ends the role when a person wants it, instead of its leaving at once. */
  void onStop(Runnable action) {
    onStop = action;
    if (stopped) { // it came before
      action.run();
    }
  }

  /** A person wants this process to end. From any thread. */
  private void stop() {
    stopped = true;
    Runnable action = onStop;
    if (action == null) {
      frame.console().line("Leaving. Again to stop at once.");
      end.complete(Optional.empty());
    } else {
      frame
          .console()
          .line("Stopping: no more arrivals, what runs is awaited. Again to stop at once.");
      action.run();
    }
  }

  boolean stopped() {
    return stopped;
  }

  /** Whether the run has ended, or this process has to. */
  boolean ending() {
    return stopped || end.isDone() || register().ended().isDone();
  }

  /** Between the steps of the start. */
  void heedAWishToStop() throws StoppedException {
    if (stopped) {
      throw new StoppedException();
    }
  }

  /**
   * Closes all that the role opened, then says in the register that it is gone: its last act. Only
   * once.
   */
  void leave() throws InterruptedException {
    opened.close();
    RunRegister register = this.register;
    if (register == null) {
      return;
    }
    this.register = null;
    try (register;
        var entries = new Entries(register)) {
      if (joined != null) {
        entries.add(joined);
      }
    }
  }
}
