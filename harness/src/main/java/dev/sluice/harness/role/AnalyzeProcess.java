package dev.sluice.harness.role;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Analytics as a process of its own. */
public final class AnalyzeProcess {
  private static final Logger LOG = LoggerFactory.getLogger(AnalyzeProcess.class);

  /** How long after the run's end a role may leave. One that stays longer was killed, or hangs. */
  private static final Duration LEAVING_LIMIT = Duration.ofSeconds(15);

  private final RoleSettings settings;
  private final Options options;

  /**
   * Options of analytics alone.
   *
   * @param results folder of all runs
   * @param keepTopics true if the run's topics stay on the broker
   * @param noLog true if the run leaves no recording of its topics
   * @param console where the progress and the closing table go
   */
  public record Options(Path results, boolean keepTopics, boolean noLog, Console console) {}

  public AnalyzeProcess(RoleSettings settings, Options options) {
    this.settings = settings;
    this.options = options;
  }

  /** Shows the run, leaves its folder, removes its topics, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Console console = options.console();
    return RoleProcess.run(Role.ANALYZE, settings, console, line -> {}, this::analyze);
  }

  private int analyze(RoleProcess process)
      throws UserMistakeException,
          RoleFailedException,
          StoppedException,
          IOException,
          InterruptedException {
    RunFrame frame = process.frame();
    var lanes = process.open(LaneSource.of(frame.parsed()));
    try (var folder = RunFolder.takeOver(options.results(), frame.runId());
        var log = LogFile.open(folder.log(), process.kafka().secrets())) {
      folder.nameBroker(process.kafka().bootstrapServers());
      try {
        return analyze(process, lanes, folder);
      } catch (StoppedException | UserMistakeException e) {
        folder.discard();
        throw e;
      } catch (RoleFailedException e) {
        LOG.error("the run failed", e);
        throw e;
      } catch (IOException | RuntimeException e) {
        LOG.error("the run cannot go on", e);
        if (!DiskSpace.isFull(e)) {
          throw e;
        }
        throw new RoleFailedException(
            "the disk of the run's folder is full (" + folder.failedPath() + ")", e);
      }
    }
  }

  private int analyze(RoleProcess process, LaneSource lanes, RunFolder folder)
      throws UserMistakeException,
          RoleFailedException,
          StoppedException,
          IOException,
          InterruptedException {
    RunFrame frame = process.frame();
    AbortFold abort =
        Aborts.any(frame.parsed())
            ? Aborts.of(frame.parsed(), RequestList.of(frame.parsed(), lanes::isolatedMs))
            : null;
    RunRegister register = process.connect();
    RoleJoined joined =
        process.joined(register.join(Role.ANALYZE, "analyze", frame.configDigest(), null));
    Optional<HostLoad> before = HostLoad.read();
    var role =
        process.open(
            new AnalyzeRole(
                frame,
                process.kafka().clients(),
                lanes.notes(),
                Environment.commonVersions(),
                abort));
    process.metrics().log(role::snapshot, frame.experiment().jobs().classes());
    RunEnded ended = awaitEnd(process, role);
    var environment = Environment.ofRoles(frame.experiment(), lanes, before);
    RunStarted started = register.started().getNow(null);
    if (started == null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    String lost = lost(role, ended, abort != null);
    if (lost != null) {
      role.summarizeFailure(lost);
      role.close();
      int status = role.concludeEarly(folder);
      removeTopics(process, register, joined);
      return status;
    }
    RunReport report = role.report(environment, options.noLog() ? null : folder);
    role.write(
        report,
        environment,
        started.requestDigest(),
        folder,
        () -> {
          role.summarize(report, ended.failure());
          role.close();
        });
    if (ended.failure() != null) {
      throw new RoleFailedException("the run was given up: " + ended.failure(), null);
    }
    int status = role.conclude(report, folder);
    frame.console().result(role.summaryJson());
    removeTopics(process, register, joined);
    return status;
  }

  /** Why the run was ended early; null: it was not. */
  private static @Nullable String lost(AnalyzeRole role, RunEnded ended, boolean mayBeLost)
      throws RoleFailedException, InterruptedException {
    if (AnalyzeRole.isEarly(ended, mayBeLost) && role.lost() == null) {
      role.awaitWholeLog(); // analytics that died before its last words has written the end
    }
    return ended.failure() == null ? null : role.lost();
  }

  private static RunEnded awaitEnd(RoleProcess process, AnalyzeRole role)
      throws RoleFailedException, StoppedException, InterruptedException {
    RunRegister register = process.register();
    if (!register.started().isDone()) {
      process.frame().console().line("waiting for the run to begin");
      while (!register.await(
          () -> register.started().isDone() || process.ending(), LEAVING_LIMIT)) {
        LOG.debug("the run has not begun yet");
      }
    }
    try (var progress = role.showProgress(process::fail)) {
      RunEnded ended = process.awaitEnd();
      if (ended.failure() == null) {
        role.awaitWholeLog();
      }
      progress.draw();
      return ended;
    }
  }

  private void removeTopics(RoleProcess process, RunRegister register, RoleJoined own)
      throws InterruptedException {
    RunFrame frame = process.frame();
    if (options.keepTopics()) {
      return;
    }
    Set<String> left = register.awaitOthersLeft(Set.of(own.instance()), LEAVING_LIMIT);
    if (!left.isEmpty()) {
      LOG.warn("not left {} s after the run's end: {}", LEAVING_LIMIT.toSeconds(), left);
    }
    process.leave(); // the topic that says so is removed next
    try {
      RunTopics.remove(frame.topics(), process.kafka().clients());
    } catch (ExecutionException e) {
      LOG.warn("the run's topics stay behind", e);
      frame
          .console()
          .line(
              "The run's topics stay behind; ./sluice topics prune --bootstrap "
                  + process.kafka().bootstrapServers()
                  + " "
                  + frame.runId()
                  + " takes them away.");
    }
  }
}
