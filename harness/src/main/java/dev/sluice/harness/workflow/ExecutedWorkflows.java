package dev.sluice.harness.workflow;

import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.LogHeaders;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.role.Conclusion;
import dev.sluice.harness.run.RunShell;
import dev.sluice.harness.terminal.Console;
import dev.sluice.scheduler.topology.SchedulerStream;
import dev.sluice.scheduler.translation.WorkflowCore;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.workflow.GraphSchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workflows whose nodes really run: requests go through Kafka, the scheduler's core holds their
 * graphs and releases their jobs, and each GPU is played by a lane, which holds one model at a
 * time.
 */
final class ExecutedWorkflows {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutedWorkflows.class);

  private static final int LEASE_MS = 2_000;
  private static final int ATTEMPTS_MAX = 3;
  private static final long NS_PER_MS = 1_000_000;
  private static final long AHEAD_NS = 300 * NS_PER_MS;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final WorkflowSettings options;
  private final WorkflowFiles files;
  private final Workflows workflows;
  private final String policy;
  private final Console console;
  private final WorkflowLanes lanes;
  private final @Nullable KafkaAccess external;
  private final ProcessClock clock = MachineClock.process();
  private int exitStatus = ExitStatus.DONE;

  /**
   * Prepares the run, and starts nothing.
   *
   * @throws UserMistakeException if a model names an unknown workload or backend
   */
  ExecutedWorkflows(
      WorkflowSettings options,
      WorkflowFiles files,
      Workflows workflows,
      String policy,
      Console console)
      throws UserMistakeException {
    this.options = options;
    this.files = files;
    this.workflows = workflows;
    this.policy = policy;
    this.console = console;
    refuseAmbiguousIds(options.systemFile(), files);
    this.lanes = new WorkflowLanes(options.systemFile(), files);
    this.external = options.externalKafka();
  }

  /** The exit status: 0, or the status of the signal that ended the run. */
  int exitStatus() {
    return exitStatus;
  }

  /**
   * Runs all requests to their ends.
   *
   * @param runId id of the run, which names its topics
   * @param said called with lines for a person beside the schedule
   * @param lines called with the lines of the schedule, once it is whole
   */
  GraphSchedule execute(
      RunFolder folder, String runId, int gpus, Consumer<String> said, Consumer<String> lines)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          IOException,
          InterruptedException {
    try (var shell = new RunShell(folder, external, console, Signals::listen, () -> {})) {
      try {
        shell.awaitExternal();
        Executor executor = lanes.warmUp(gpus, clock, shell, console, said);
        KafkaAccess kafka = shell.startKafka();
        var topics = new Topics(runId);
        RunTopics.create(topics, 1, kafka.clients());
        startScheduler(topics, kafka, folder, shell);
        shell.add(executor); // again, so that it closes before the clients that it writes to
        executor.join(topics, kafka.clients(), LaneFaults.NONE, shell::fail);
        said.accept("Starting execution of nodes...");
        WorkflowOutcomes outcomes;
        try (var load =
            new WorkflowLoad(
                workflows.requests(), topics, kafka.clients(), clock, shell, console)) {
          load.awaitLanes();
          RunStarted started = start(runId);
          outcomes = load.run(started, said);
          if (!Boolean.FALSE.equals(options.output().log())) {
            record(topics, kafka, folder, started);
          }
        }
        shell.closeParts();
        shell.removeTopics(topics, said);
        exitStatus = shell.exitStatus(ExitStatus.DONE);
        return WorkflowSchedules.executed(workflows, gpus, policy, outcomes, lines);
      } catch (RoleFailedException | WarmUpException | RuntimeException e) {
        LOG.error("the run failed", e);
        throw e;
      }
    }
  }

  /** The beginning of the run, a little ahead of now. */
  private RunStarted start(String runId) throws IOException {
    return new RunStarted(
        runId,
        Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1,
        WorkflowLanes.SEED,
        Sha256.hex(Files.readAllBytes(options.systemFile())),
        Sha256.hex(Files.readAllBytes(options.requestsFile())),
        1,
        1,
        null);
  }

  /** Leaves a recording of the topics, which are whole now. */
  private void record(Topics topics, KafkaAccess kafka, RunFolder folder, RunStarted started)
      throws IOException {
    var header =
        LogHeaders.of(topics.prefix(), started, 1, started.configDigest(), core().toText());
    try (var recording = new RunRecording(folder.path().resolve(FolderFiles.LOG), header);
        var consumer = kafka.clients().consumer(Reading.WHOLE_RUN)) {
      var merge = new LogMerge(topics, consumer, clock, LIMIT);
      merge.read(merge.whole(LogOrder.TOPICS), record -> recording.take(merge.entry(record)));
      recording.finish();
      Conclusion.tellFailure(recording, console);
    }
  }

  /** Refuses slashes that could give two jobs one id: a job's id is request/node. */
  private static void refuseAmbiguousIds(Path system, WorkflowFiles files)
      throws UserMistakeException {
    for (Workflow workflow : files.workflows().values()) {
      boolean asked =
          files.requests().stream().anyMatch(r -> r.workflow().id().equals(workflow.id()));
      for (Workflow.Node node : asked ? workflow.nodes() : List.<Workflow.Node>of()) {
        if (node.id().contains("/")) {
          throw new UserMistakeException(
              system + ":" + node.line(),
              "node ("
                  + node.id()
                  + ") of workflow ("
                  + workflow.id()
                  + ") has a slash in its name",
              "another character will do; jobs are called request/node");
        }
      }
    }
  }

  private WorkflowCore core() {
    return new WorkflowCore(
        policy,
        WorkflowLanes.SEED,
        workflows.modelIds(),
        new CoreSettings.Microbatch(
            lanes.joins(),
            Math.round(files.microbatch().windowMs() * NS_PER_MS),
            files.microbatch().maxBatch()),
        new CoreSettings.Leases(
            WorkflowLanes.HEARTBEAT_MS * NS_PER_MS, LEASE_MS * NS_PER_MS, ATTEMPTS_MAX));
  }

  private void startScheduler(Topics topics, KafkaAccess kafka, RunFolder folder, RunShell shell)
      throws RoleFailedException, InterruptedException {
    var stream =
        shell.add(
            new SchedulerStream(
                core().settings(),
                () -> WorkflowSettings.newPolicy(policy),
                topics,
                kafka.clients(),
                "schedule",
                folder.temporary().resolve("streams"),
                clock,
                shell::fail));
    stream.start();
    if (!stream.awaitRunning(LIMIT)) {
      throw new RoleFailedException("the scheduler did not start", null);
    }
  }
}
