package dev.sluice.harness.run;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.executor.dispatch.LaneFaults;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.harness.frame.Entries;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.ParentWatch;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.role.AnalyzeRole;
import dev.sluice.harness.role.ExecuteRole;
import dev.sluice.harness.role.ProduceRole;
import dev.sluice.harness.role.ScheduleRole;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.generator.RunFailedException;
import dev.sluice.producer.requests.OfferedLoad;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One experiment with all roles in this process, from its file to its finished folder. What was
 * opened is closed in the opposite order, however the run ends.
 */
public final class ExperimentRun {
  private static final Logger LOG = LoggerFactory.getLogger(ExperimentRun.class);

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private static final int LINES_SHOWN_MAX = 6;

  private final Options options;
  private final Console console;
  private final Opened opened = new Opened();

  /** Completed by whatever ends the load first: the generators, or the failure of a role. */
  private final CompletableFuture<Optional<RunEnded>> load = new CompletableFuture<>();

  private @Nullable ProduceRole generators;
  private boolean stopRequested;
  public @Nullable String summaryJson;

  /**
   * What the command line said.
   *
   * @param bootstrap null: as the experiment says
   * @param runId null: made from the run's name and the time
   * @param kafkaConfig client properties for a Kafka that is not ours; null: none
   * @param keepTopics whether a finished run leaves its topics there
   * @param child whether another process of Sluice started it, and ends it
   */
  public record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable String bootstrap,
      @Nullable String runId,
      @Nullable Path kafkaConfig,
      boolean keepTopics,
      boolean dryRun,
      boolean child) {

    /** A run on a broker of its own. */
    public Options(Path config, List<String> overrides, Path results, @Nullable String runId) {
      this(config, overrides, results, null, runId, null, false, false, false);
    }

    /** The experiment, as its file and the overrides say. */
    ParsedExperiment read() throws UserMistakeException {
      return ExperimentFile.read(config, overrides, Registries.vocabulary());
    }

    /** Where a Kafka runs already; null: an embedded one is to be started. */
    @Nullable KafkaAccess externalKafka(ParsedExperiment parsed) throws UserMistakeException {
      var settings = parsed.experiment().kafka();
      if (bootstrap != null) {
        return KafkaAccess.of("--bootstrap", bootstrap, kafkaConfig);
      }
      if (!settings.embedded()) {
        return KafkaAccess.of(
            parsed.location("kafka.bootstrap_servers"), settings.bootstrapServers(), kafkaConfig);
      }
      if (kafkaConfig != null) {
        throw new UserMistakeException(
            "--kafka-config",
            "the properties (" + kafkaConfig + ") are for a Kafka of yours, and none is named",
            "--bootstrap HOST:PORT is to be given too");
      }
      return null;
    }

    /** Listens to whoever may stop the run; a child's parent stops it by going away, too. */
    Signals listen(Runnable onFirst, Runnable onSecond) {
      if (!child) {
        return Signals.listen(onFirst, onSecond);
      }
      ParentWatch.start(line -> {}, onFirst);
      return Signals.listenAsChild(onFirst, onSecond);
    }

    /** The run's id, made if none was given. */
    public String runIdFor(Experiment experiment) {
      return runId != null ? runId : experiment.runName() + "-" + MachineClock.stamp();
    }
  }

  public ExperimentRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** The finished run's summary.json; null if there is none. */
  @Nullable
  public String summaryJson() {
    return summaryJson;
  }

  /**
   * Runs it, and returns the exit status.
   *
   * @throws IOException if the run's folder can not be written any more
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.read();
    KafkaAccess external = options.externalKafka(parsed);
    LaneSource lanes = opened.add(LaneSource.of(parsed));
    RunFrame frame = RunFrame.of(parsed, options.runIdFor(parsed.experiment()), console);
    Secrets secrets = external == null ? Secrets.NONE : external.secrets();
    try (var folder = RunFolder.create(options.results(), frame.runId());
        var log = LogFile.open(folder.log(), secrets);
        var signals = options.listen(this::stop, folder::abandon)) {
      announce(frame.runId(), parsed, console);
      try {
        int status = execute(frame, lanes, external, folder);
        return signals.received() && status != ExitStatus.BUG ? signals.exitStatus() : status;
      } catch (RoleFailedException | WarmUpException e) {
        LOG.error("the run failed", e);
        String why = String.valueOf(e.getMessage());
        console.line("sluice: error: the run failed: " + why + (why.endsWith(".") ? "" : "."));
        console.line("  Maybe its log says more: " + folder.failedPath().resolve("run.log"));
        return ExitStatus.BUG;
      } catch (UserMistakeException e) {
        LOG.error("a mistake of the user's", e);
        opened.close();
        folder.discard();
        throw e;
      } catch (StoppedException e) {
        opened.close();
        folder.discard();
        console.line("Stopped before the first job.");
        return signals.exitStatus();
      } catch (RuntimeException e) {
        LOG.error("a bug ended the run", e);
        throw e;
      } finally {
        opened.close();
      }
    }
  }

  /** The first lines of any run. */
  public static void announce(String runId, ParsedExperiment parsed, Console console) {
    console.line("Sluice " + SluiceVersion.current() + ", run " + runId);
    parsed.warnings().forEach(console::line);
  }

  public int execute(
      RunFrame frame, LaneSource lanes, @Nullable KafkaAccess external, RunFolder folder)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    Experiment experiment = frame.experiment();
    if (external != null) {
      external.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
    }
    ExecuteRole.Loaded loaded =
        ExecuteRole.load(
            frame, lanes, experiment.lanes().speed()); // what can be wrong comes before the broker
    heedAWishToStop();
    List<ExecuteRole> executors = warmUp(frame, loaded);
    KafkaAccess kafka = startKafka(frame, external, folder);
    heedAWishToStop();
    RunTopics.create(frame.topics(), frame.shards(), kafka.clients());
    var register =
        opened.add(RunRegister.open(frame.topics(), kafka.clients(), frame.clock(), this::fail));
    var entries = opened.add(new Entries(register));
    for (int shard = 0; shard < frame.shards(); shard++) {
      entries.add(
          register.joinExecutor(executorId(shard), shard, frame.configDigest(), frame.shards()));
    }
    RequestList requests = RequestList.draw(experiment, lanes::isolatedMs);
    startScheduler(frame, kafka, folder, entries);
    entries.join(Role.ANALYZE, "analyze", frame);
    var analyze = opened.add(new AnalyzeRole(frame, kafka.clients()));
    executors.get(executors.size() - 1).awaitWarm();
    showOfferedLoad(experiment, requests, executors.get(0).capabilities(), console);
    for (ExecuteRole executor : executors) {
      opened.add(executor); // again, to be closed before what it writes to
      executor.join(kafka.clients(), LaneFaults.NONE, this::fail);
    }

    if (options.dryRun()) {
      opened.close();
      folder.discard();
      console.line("Dry run: all is ready.");
      removeTopics(frame, external);
      return ExitStatus.DONE;
    }

    Optional<HostLoad> before = HostLoad.read();
    long beforeNs = frame.clock().monotonicNs();
    RoleFailedException failure = null;
    try {
      entries.join(Role.PRODUCE, "produce", frame);
      awaitShardsTaken(frame, register);
      if (runLoad(frame, requests, kafka, analyze).isEmpty()) {
        throw new StoppedException();
      }
      analyze.awaitWholeLog();
    } catch (RoleFailedException e) {
      if (!answers(kafka)) {
        throw e; // there is no log to report
      }
      failure = e;
    }
    var environment =
        Environment.of(experiment, lanes, before, frame.clock().monotonicNs() - beforeNs);
    RunReport report;
    try {
      report = analyze.report(environment);
    } catch (IllegalStateException e) {
      throw failure != null ? failure : new RoleFailedException(e.getMessage(), e);
    }
    opened.close();
    analyze.write(report, environment, requests.digest(), folder);
    if (failure != null) {
      throw failure; // what the log held until then stands in the folder
    }
    int status = analyze.conclude(report, folder);
    summaryJson = analyze.summaryJson();
    if (status != ExitStatus.BUG) {
      removeTopics(frame, external);
    }
    return status;
  }

  /** The last one's lanes after the first still go on: the broker may start beside them. */
  private List<ExecuteRole> warmUp(RunFrame frame, ExecuteRole.Loaded loaded)
      throws WarmUpException, StoppedException, InterruptedException {
    List<ExecuteRole> executors = new ArrayList<>();
    for (int shard = 0; shard < frame.shards(); shard++) {
      if (shard > 0) {
        executors.get(shard - 1).awaitWarm();
      }
      executors.add(opened.add(ExecuteRole.beginWarmUp(frame, loaded, executorId(shard), shard)));
      heedAWishToStop();
    }
    return executors;
  }

  private static String executorId(int shard) {
    return "executor-" + shard;
  }

  private static boolean answers(KafkaAccess kafka) throws InterruptedException {
    try {
      return kafka.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
    } catch (UserMistakeException e) {
      return false;
    }
  }

  private KafkaAccess startKafka(RunFrame frame, @Nullable KafkaAccess external, RunFolder folder)
      throws RoleFailedException, InterruptedException {
    if (external != null) {
      console.item("broker", "Kafka at " + external.bootstrapServers());
      return external;
    }
    long startedNs = frame.clock().monotonicNs();
    KafkaAccess kafka = KafkaAccess.startEmbedded(opened, folder.temporary());
    console.item(
        "broker",
        "embedded Kafka on " + kafka.bootstrapServers() + ", " + frame.secondsSince(startedNs));
    return kafka;
  }

  /**
   * Says what the run is about to ask of its lanes.
   *
   * @param capabilities of each lane, with its times
   */
  public static void showOfferedLoad(
      Experiment experiment, RequestList requests, List<Capability> capabilities, Console console) {
    OfferedLoad offered = OfferedLoad.of(experiment, requests, capabilities);
    int lanes = experiment.lanes().count() * experiment.kafka().shards();
    console.item(
        "offered load",
        String.format(
            Locale.ROOT,
            "%.2f per lane: %s jobs/s of %.1f ms each alone, on %d lane%s%s",
            offered.perLane(),
            trimmed(experiment.arrivalRateJobsPerSec()),
            offered.meanServiceMs(),
            lanes,
            lanes == 1 ? "" : "s",
            offered.perLaneMin() < 0.99 * offered.perLane()
                ? String.format(Locale.ROOT, "; at least %.2f in batches", offered.perLaneMin())
                : ""));
    if (offered.perLaneMin() > 1) {
      console.item(
          "",
          String.format(
              Locale.ROOT,
              "warning: hopelessly overloaded, the queue must grow without end;"
                  + " the tail ends the run %s s after the last measured arrival",
              trimmed(experiment.tailSeconds())));
    }
    List<String> infeasible = offered.infeasible();
    console.item("infeasible", infeasible.isEmpty() ? "none" : infeasible.get(0));
    infeasible.stream().skip(1).limit(LINES_SHOWN_MAX - 1).forEach(l -> console.item("", l));
    if (infeasible.size() > LINES_SHOWN_MAX) {
      console.item("", "and " + (infeasible.size() - LINES_SHOWN_MAX) + " more");
    }
  }

  private void startScheduler(RunFrame frame, KafkaAccess kafka, RunFolder folder, Entries entries)
      throws UserMistakeException, RoleFailedException, InterruptedException {
    long startedNs = frame.clock().monotonicNs();
    String instance = entries.join(Role.SCHEDULE, "schedule", frame).instance();
    var role =
        opened.add(
            ScheduleRole.start(
                frame,
                kafka.clients(),
                instance,
                folder.temporary().resolve("streams"),
                this::fail));
    role.awaitRunning();
    console.item(
        "scheduler", frame.experiment().schedulerName() + ", " + frame.secondsSince(startedNs));
  }

  /** A shard that is taken once the run has begun would make it look disturbed. */
  private static void awaitShardsTaken(RunFrame frame, RunRegister register)
      throws RoleFailedException, InterruptedException {
    if (!register.await(() -> register.shardsNotTaken(frame.shards()).isEmpty(), START_LIMIT)) {
      throw new RoleFailedException(
          "the scheduler did not take shard " + register.shardsNotTaken(frame.shards()), null);
    }
  }

  private Optional<RunEnded> runLoad(
      RunFrame frame, RequestList requests, KafkaAccess kafka, AnalyzeRole analyze)
      throws RoleFailedException, StoppedException, InterruptedException {
    var running = new ProduceRole(frame, requests, kafka.clients(), START_LIMIT);
    synchronized (this) {
      generators = running;
      heedAWishToStop();
    }
    var thread = new Thread(() -> generate(running), "sluice-generators");
    thread.start();
    try (var progress = analyze.showProgress(this::fail)) {
      Optional<RunEnded> ended = load.get();
      progress.draw();
      return ended;
    } catch (ExecutionException e) {
      running.stop();
      throw failure(e.getCause());
    } finally {
      if (load.isCompletedExceptionally()) {
        thread.interrupt();
      }
      thread.join();
    }
  }

  private void generate(ProduceRole running) {
    try {
      load.complete(running.run(false));
    } catch (RunFailedException
        | UserMistakeException
        | InterruptedException
        | RuntimeException
        | Error e) {
      fail(e);
    }
  }

  private static RoleFailedException failure(@Nullable Throwable cause) {
    return new RoleFailedException(
        cause instanceof RunFailedException ? cause.getMessage() : String.valueOf(cause), cause);
  }

  /** On a Kafka that is not ours, nothing of a finished run stays unless that was asked for. */
  private void removeTopics(RunFrame frame, @Nullable KafkaAccess external)
      throws InterruptedException {
    if (external != null && !options.keepTopics()) {
      external.removeTopicsOrSay(frame.topics(), console::line);
    }
  }

  /** A role can not go on. From any thread. */
  private void fail(Throwable cause) {
    LOG.error("a role failed", cause);
    load.completeExceptionally(cause);
  }

  /** A person wants the run to end. From any thread. */
  private synchronized void stop() {
    stopRequested = true;
    if (generators == null) {
      console.line("Stopping after the step at hand. Again to stop at once.");
    } else {
      console.line("Stopping: no more arrivals, what runs is awaited. Again to stop at once.");
      generators.stop();
    }
  }

  /** Between the steps of the start: an interrupt would hit the libraries while they load. */
  private synchronized void heedAWishToStop() throws StoppedException {
    if (stopRequested) {
      throw new StoppedException();
    }
  }

  private static String trimmed(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
