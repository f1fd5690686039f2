package dev.sluice.cli;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.role.AnalyzeRole;
import dev.sluice.harness.role.RoleProcess;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice analyze CONFIG}: analytics as a process of its own. */
@Command(
    name = "analyze",
    mixinStandardHelpOptions = true,
    description = {
      "Shows how a run goes, and leaves its folder when it has ended, as run does.",
      "Then takes the run's topics away."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, thresholds met",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:done, but a threshold was missed or undecided, or the generator came too late",
      "130:stopped by Ctrl-C"
    },
    footer = {
      "",
      "Example:",
      "  ./sluice analyze configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
final class AnalyzeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(AnalyzeCommand.class);

  /** A role that has not left so long after the run's end was killed, or hangs. */
  private static final Duration LEAVING_LIMIT = Duration.ofSeconds(15);

  @Mixin private RoleOptions options = new RoleOptions();

  @Mixin private ResultsOption results = new ResultsOption();

  @Option(names = "--keep-topics", description = "Leaves the run's topics on the broker.")
  private boolean keepTopics;

  @Option(
      names = "--json",
      description = "Prints summary.json on standard output, all else on standard error.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    Console console = json ? Console.standardError() : Console.standardOutput();
    return RoleProcess.run(Role.ANALYZE, options::settings, console, line -> {}, this::analyze);
  }

  private int analyze(RoleProcess process)
      throws UserMistakeException,
          RoleFailedException,
          StoppedException,
          IOException,
          InterruptedException {
    RunFrame frame = process.frame();
    var lanes = process.open(LaneSource.of(frame.parsed()));
    try (var folder = RunFolder.takeOver(results.folder(), frame.runId());
        var log = LogFile.open(folder.log(), process.kafka().secrets())) {
      try {
        return analyze(process, lanes, folder);
      } catch (StoppedException | UserMistakeException e) {
        folder.discard();
        throw e;
      } catch (RoleFailedException e) {
        LOG.error("the run failed", e);
        throw e;
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
    RunRegister register = process.connect();
    RoleJoined joined =
        process.joined(register.join(Role.ANALYZE, "analyze", frame.configDigest(), null));
    Optional<HostLoad> before = HostLoad.read();
    var role = process.open(new AnalyzeRole(frame, process.kafka().clients()));
    process.metrics().log(role::snapshot, classNames(frame));
    RunEnded ended = awaitEnd(process, role);
    if (ended.failure() == null) {
      role.awaitWholeLog();
    }
    var environment = Environment.ofRoles(frame.experiment(), lanes, before);
    RunStarted started = register.started().getNow(null);
    if (started == null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    RunReport report = role.report(environment);
    role.close();
    role.write(report, environment, started.requestDigest(), folder);
    if (ended.failure() != null) {
      throw new RoleFailedException("the run was given up: " + ended.failure(), null);
    }
    int status = role.conclude(report, folder);
    if (json && role.summaryJson() != null) {
      System.out.print(role.summaryJson());
    }
    removeTopics(process, register, joined);
    return status;
  }

  private static List<String> classNames(RunFrame frame) {
    return frame.experiment().classes().stream().map(JobClass::name).toList();
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
      progress.draw();
      return ended;
    }
  }

  private void removeTopics(RoleProcess process, RunRegister register, RoleJoined own)
      throws InterruptedException {
    RunFrame frame = process.frame();
    if (keepTopics) {
      return;
    }
    Set<String> left = register.awaitOthersLeft(Set.of(own.instance()), LEAVING_LIMIT);
    if (!left.isEmpty()) {
      LOG.warn("not left {} s after the run's end: {}", LEAVING_LIMIT.toSeconds(), left);
    }
    process.leave(); // before the topic goes in which it is said
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
