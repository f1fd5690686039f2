package dev.sluice.harness.run;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.kafka.BrokerWatch;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.ForeignLoad;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.role.AnalyzeRole;
import dev.sluice.harness.role.ExecuteRole;
import dev.sluice.harness.role.ProduceRole;
import dev.sluice.harness.role.ScheduleRole;
import dev.sluice.harness.serve.LivePage;
import dev.sluice.harness.serve.RoleMetrics;
import dev.sluice.producer.generator.JobGenerators;
import dev.sluice.producer.requests.OfferedRate;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One experiment with all roles in this process. */
public final class ExperimentRun extends WholeRun {
  private static final Logger LOG = LoggerFactory.getLogger(ExperimentRun.class);

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration BUSY_MAX = Duration.ofMinutes(1);

  private final DiskSpace disk;

  public ExperimentRun(RunSettings options, Console console) {
    super(options, false, console);
    this.disk = new DiskSpace(options.results(), console);
  }

  @Override
  int run(ParsedExperiment parsed, @Nullable KafkaAccess external, String runId, LivePage page)
      throws UserMistakeException, IOException, InterruptedException {
    LaneSource lanes = LaneSource.of(parsed);
    RunFrame frame = RunFrame.of(OfferedRate.provisional(parsed), runId, console);
    try (var metrics = new RoleMetrics(options.watching().metrics(), "run", runId);
        var folder = RunFolder.create(options.results(), runId);
        var shell =
            new RunShell(
                folder,
                external,
                console,
                options.child(),
                () -> console.line("Stopping after the step at hand. Again to stop at once."))) {
      begin(folder.path(), runId, parsed, page);
      page.addTo(metrics);
      metrics.say(console);
      try {
        shell.mindHalts(disk);
        int status = run(parsed, frame, shell.add(lanes), shell, metrics, page);
        return status == ExitStatus.BUG ? status : shell.exitStatus(status);
      } catch (RoleFailedException | WarmUpException e) {
        LOG.error("the run failed", e);
        if (disk.explains(e)) {
          disk.sayFull();
          return ExitStatus.BUG;
        }
        String why = String.valueOf(e.getMessage());
        console.line("sluice: error: the run failed: " + why + (why.endsWith(".") ? "" : "."));
        console.line("  Maybe its log says more: " + folder.failedPath().resolve("run.log"));
        return ExitStatus.BUG;
      } catch (UserMistakeException e) {
        LOG.error("a mistake of the user's", e);
        shell.closeParts();
        folder.discard();
        throw e;
      } catch (StoppedException e) {
        shell.closeParts();
        folder.discard();
        console.line("Stopped before the first job.");
        return shell.exitStatus(ExitStatus.DONE);
      } catch (IOException | RuntimeException e) {
        LOG.error("the run cannot go on", e);
        if (!disk.explains(e)) {
          throw e;
        }
        disk.sayFull();
        return ExitStatus.BUG;
      }
    }
  }

  /** Runs the experiment; while its rate is not known, the first frame has a provisional one. */
  private int run(
      ParsedExperiment parsed,
      RunFrame begun,
      LaneSource lanes,
      RunShell shell,
      RoleMetrics metrics,
      LivePage page)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    RequestList drawn = RequestList.of(begun.parsed(), lanes::isolatedMs);
    AbortFold.of(begun.parsed(), drawn); // a mistake is found before anything starts
    KafkaAccess external = shell.external;
    RunFolder folder = shell.folder;
    disk.expect(drawn.size(), external == null);
    shell.awaitExternal();
    shell.beginKafka(); // beside the models' loading, each takes a core
    ExecuteRole.Loaded loaded = ExecuteRole.load(begun, lanes, begun.experiment().lanes().speed());
    shell.heedAWishToStop();
    ForeignLoad others = new ForeignLoad();
    List<ExecuteRole> executors = beginWarmUp(begun, loaded, shell);
    RunFrame frame = begun;
    RequestList requests = drawn;
    if (parsed.needsRate()) {
      awaitWarm(executors);
      ParsedExperiment rated = OfferedRate.of(parsed, executors.get(0).capabilities());
      frame = begun.with(rated);
      requests = RequestList.of(rated, lanes::isolatedMs);
    }
    requests.beginDigest();
    Experiment experiment = frame.experiment();
    KafkaAccess kafka = startKafka(shell, external);
    folder.nameBroker(kafka.bootstrapServers());
    shell.heedAWishToStop();
    RunTopics.create(frame.topics(), frame.shards(), kafka.clients());
    shell.add(page.read(kafka));
    if (external != null) {
      shell.add(new BrokerWatch(external, console::line));
    }
    RunRegister register = shell.openRegister(frame, kafka);
    for (int shard = 0; shard < frame.shards(); shard++) {
      shell.joined(
          register.joinExecutor(executorId(shard), shard, frame.configDigest(), frame.shards()));
    }
    metrics.scheduler(startScheduler(frame, shell, kafka)::counts);
    shell.join(Role.ANALYZE, "analyze", frame);
    var analyze =
        shell.add(
            new AnalyzeRole(
                frame,
                kafka.clients(),
                lanes.notes(),
                Environment.versions(experiment),
                AbortFold.of(frame.parsed(), requests)));
    metrics.log(analyze::snapshot, experiment.jobs().classes());
    if (!parsed.needsRate()) {
      awaitWarm(executors);
    }
    OfferedLoadLines.show(experiment, requests, executors.get(0).capabilities(), console);
    for (ExecuteRole executor : executors) {
      shell.add(executor); // again, so that it closes before the clients that it writes to
      executor.join(kafka.clients(), LaneFaults.NONE, shell::fail);
    }
    metrics.executor(() -> ExecutorNumbers.sum(executors.stream().map(ExecuteRole::numbers)));

    if (options.dryRun()) {
      shell.closeParts();
      folder.discard();
      console.line("Dry run: all is ready.");
      removeTopics(frame, shell);
      return ExitStatus.DONE;
    }

    look(others, shell);
    Optional<HostLoad> before = HostLoad.read();
    RoleFailedException failure = null;
    try {
      shell.join(Role.PRODUCE, "produce", frame);
      awaitShardsTaken(frame, register);
      runLoad(
          ProduceRole.generators(frame, requests, kafka.clients(), START_LIMIT),
          shell,
          analyze,
          metrics);
    } catch (RoleFailedException e) {
      if (!kafka.answers()) {
        throw e; // there is no log to report
      }
      failure = e;
    }
    int status;
    try {
      status =
          analyze.finish(
              Environment.of(experiment, lanes, before),
              requests.digest(),
              folder,
              !options.output().noLog(),
              failure == null ? null : String.valueOf(failure.getMessage()),
              shell::closeParts); // mostly waits, for a second and more
    } catch (RoleFailedException e) {
      throw failure != null ? failure : e;
    }
    if (failure != null && status == ExitStatus.BUG) { // no early end
      throw failure; // the folder holds what the log held until then
    }
    summaryJson = analyze.summaryJson();
    if (status != ExitStatus.BUG) {
      removeTopics(frame, shell);
    }
    return status;
  }

  /**
   * Says that the machine is busy with others, if it is. A run of a series waits, for a minute at
   * most, until it is not.
   */
  private void look(ForeignLoad others, RunShell shell)
      throws InterruptedException, StoppedException {
    Double share = others.shareOfAll();
    if (share == null || !isBusy(share)) {
      return;
    }
    console.item(
        "machine",
        String.format(
            Locale.ROOT,
            "warning: busy, others took %.0f %% of its processors during the warm-up",
            100 * share));
    if (!options.child()) {
      return;
    }
    for (long second = 1; second <= BUSY_MAX.toSeconds(); second++) {
      others.share();
      TimeUnit.SECONDS.sleep(1); // the kernel counts in ticks, of which a second has a hundred
      shell.heedAWishToStop();
      if (!isBusy(others.share())) {
        console.item("", "quiet after " + second + " s");
        return;
      }
    }
    console.item("", "still busy after a minute: the load begins all the same");
  }

  private static boolean isBusy(@Nullable Double share) {
    return share != null && share > Environment.NOTED_SHARE;
  }

  /** Begins to warm the executors' lanes up, beside which the broker and the scheduler start. */
  private static List<ExecuteRole> beginWarmUp(
      RunFrame frame, ExecuteRole.Loaded loaded, RunShell shell)
      throws WarmUpException, StoppedException, InterruptedException {
    List<ExecuteRole> executors = new ArrayList<>();
    for (int shard = 0; shard < frame.shards(); shard++) {
      executors.add(shell.add(ExecuteRole.beginWarmUp(frame, loaded, executorId(shard), shard)));
      shell.heedAWishToStop();
    }
    return executors;
  }

  private static void awaitWarm(List<ExecuteRole> executors)
      throws WarmUpException, InterruptedException {
    for (ExecuteRole executor : executors) {
      executor.awaitFirstRuns();
    }
    for (ExecuteRole executor : executors) {
      executor.awaitWarm();
    }
  }

  private static String executorId(int shard) {
    return "executor-" + shard;
  }

  private KafkaAccess startKafka(RunShell shell, @Nullable KafkaAccess external)
      throws RoleFailedException, InterruptedException {
    KafkaAccess kafka = shell.startKafka();
    console.item(
        "broker",
        external == null
            ? String.format(
                Locale.ROOT,
                "embedded Kafka on %s, %.1f s",
                kafka.bootstrapServers(),
                shell.kafkaStartTook().toMillis() / 1e3)
            : "Kafka at " + kafka.bootstrapServers());
    return kafka;
  }

  private SchedulerStream startScheduler(RunFrame frame, RunShell shell, KafkaAccess kafka)
      throws UserMistakeException, RoleFailedException, IOException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    SchedulerStream stream = ScheduleRole.start(shell, frame, kafka);
    ScheduleRole.awaitRunning(stream);
    console.item(
        "scheduler",
        frame.experiment().scheduling().schedulerName() + ", " + frame.secondsSince(startedNs));
    return stream;
  }

  /** Waits until all shards are taken: one taken later would make the run look disturbed. */
  private static void awaitShardsTaken(RunFrame frame, RunRegister register)
      throws RoleFailedException, InterruptedException {
    if (!register.await(() -> register.shardsNotTaken(frame.shards()).isEmpty(), START_LIMIT)) {
      throw new RoleFailedException(
          "the scheduler did not take shard " + register.shardsNotTaken(frame.shards()), null);
    }
  }

  private static void runLoad(
      JobGenerators generators, RunShell shell, AnalyzeRole analyze, RoleMetrics metrics)
      throws RoleFailedException, StoppedException, InterruptedException {
    metrics.generators(generators::numbers);
    shell.onStop(generators::stop);
    shell.heedAWishToStop();
    Thread thread = ProduceRole.begin(generators, shell);
    try {
      analyze.follow(shell);
    } catch (RoleFailedException e) {
      generators.stop();
      throw e;
    } finally {
      if (shell.hasFailed()) {
        thread.interrupt();
      }
      thread.join();
    }
  }

  /** Removes a finished run's topics from a Kafka that Sluice did not start. */
  private void removeTopics(RunFrame frame, RunShell shell) throws InterruptedException {
    if (!options.output().keepTopics()) {
      shell.removeTopics(frame.topics(), console::line);
    }
  }
}
