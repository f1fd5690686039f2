package dev.sluice.cli;

import dev.sluice.analytics.EventLogReader;
import dev.sluice.analytics.RunContext;
import dev.sluice.analytics.RunReport;
import dev.sluice.analytics.SummaryTable;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.RunEnded;
import dev.sluice.contract.Topics;
import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.executor.Executor;
import dev.sluice.executor.ExecutorSettings;
import dev.sluice.executor.LaneBackend;
import dev.sluice.executor.WarmUpException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.producer.EndOfArrivals;
import dev.sluice.producer.GeneratorListener;
import dev.sluice.producer.JobGenerators;
import dev.sluice.producer.RequestList;
import dev.sluice.producer.RunFailedException;
import dev.sluice.scheduler.SchedulerStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One experiment with all roles in this process, from its file to its finished folder. What was
 * opened is closed in the opposite order, however the run ends.
 */
final class ExperimentRun {
  private static final Logger LOG = LoggerFactory.getLogger(ExperimentRun.class);

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(2);

  /** A broker that takes no record for so long fails the run; the clients' default is 120 s. */
  private static final int DELIVERY_LIMIT_MS = 30_000;

  private static final int EXIT_DONE = 0;
  private static final int EXIT_THRESHOLD = 3;
  private static final int LINES_SHOWN_MAX = 6;
  private static final String EXECUTOR_ID = "executor-0";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneId.systemDefault());

  private final Options options;
  private final Console console;
  private final InstantSource wall = InstantSource.system();
  private final ProcessClock clock = new ProcessClock(wall, System::nanoTime);
  private final Pacer pacer = new SystemPacer(System::nanoTime);
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Completed by whatever ends the load first: the generators, or the failure of a role. */
  private final CompletableFuture<Optional<RunEnded>> load = new CompletableFuture<>();

  private @Nullable JobGenerators generators;
  private boolean stopRequested;
  private @Nullable String summaryJson;

  /**
   * What the command line said.
   *
   * @param bootstrap null: as the experiment says
   * @param runId null: made from the run's name and the time
   */
  record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable String bootstrap,
      @Nullable String runId,
      boolean dryRun) {}

  ExperimentRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** The finished run's summary.json; null if there is none. */
  @Nullable String summaryJson() {
    return summaryJson;
  }

  /**
   * Runs it, and returns the exit status.
   *
   * @throws IOException if the run's folder can not be written any more
   */
  int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed =
        ExperimentFile.read(options.config(), options.overrides(), Registries.vocabulary());
    LaneSource lanes = open(LaneSource.of(parsed));
    String runId =
        options.runId() != null
            ? options.runId()
            : parsed.experiment().runName() + "-" + STAMP.format(wall.instant());
    try (var folder = RunFolder.create(options.results(), runId);
        var log = LogFile.open(folder.log());
        var signals = Signals.listen(this::stop, folder::abandon)) {
      console.line("Sluice " + Sluice.Version.current() + ", run " + runId);
      parsed.warnings().forEach(console::line);
      try {
        return execute(parsed, lanes, runId, folder, signals);
      } catch (RoleFailedException | WarmUpException e) {
        LOG.error("the run failed", e);
        String why = String.valueOf(e.getMessage());
        console.line("sluice: error: the run failed: " + why + (why.endsWith(".") ? "" : "."));
        console.line("  Maybe its log says more: " + folder.failedPath().resolve("run.log"));
        return Sluice.EXIT_BUG;
      } catch (UserMistakeException e) {
        LOG.error("a mistake of the user's", e);
        closeAll();
        folder.discard();
        throw e;
      } catch (StoppedException e) {
        closeAll();
        folder.discard();
        console.line("Stopped before the first job.");
        return signals.exitStatus();
      } catch (RuntimeException e) {
        LOG.error("a bug ended the run", e);
        throw e;
      } finally {
        closeAll();
      }
    }
  }

  private int execute(
      ParsedExperiment parsed, LaneSource lanes, String runId, RunFolder folder, Signals signals)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    Experiment experiment = parsed.experiment();
    var topics = new Topics(runId);
    String external = externalKafka(parsed);
    LaneBackend backend =
        loadModels(lanes, experiment); // what can be wrong comes before the broker
    heedAWishToStop();
    Map<String, Object> kafka = startKafka(external, folder);
    heedAWishToStop();
    RunTopics.create(topics, experiment.kafka().shards(), kafka);
    Executor executor = warmUp(experiment, backend);
    heedAWishToStop();
    RequestList requests = RequestList.draw(experiment);
    showOfferedLoad(experiment, requests, executor);
    startScheduler(experiment, topics, kafka, folder);
    var reader = open(new EventLogReader(kafka, topics, clock));
    executor.join(topics, kafka, this::fail);

    if (options.dryRun()) {
      closeAll();
      folder.discard();
      console.line("Dry run: all is ready.");
      return EXIT_DONE;
    }

    Optional<HostLoad> before = HostLoad.read();
    long beforeNs = clock.monotonicNs();
    RoleFailedException failure = null;
    try {
      if (runLoad(experiment, requests, runId, topics, kafka, reader).isEmpty()) {
        throw new StoppedException();
      }
      if (!reader.awaitRunEnd(DRAIN_LIMIT)) {
        throw new RoleFailedException("the event log could not be read to its end in time", null);
      }
    } catch (RoleFailedException e) {
      failure = e;
    }
    var environment = Environment.of(experiment, lanes, before, clock.monotonicNs() - beforeNs);
    RunReport report;
    try {
      report =
          reader.report(
              new RunContext(experiment, runId, environment.notes(), environment.versions()));
    } catch (IllegalStateException e) {
      throw failure != null ? failure : new RoleFailedException(e.getMessage(), e);
    }
    closeAll();
    report.write(folder.path());
    Files.writeString(
        folder.path().resolve("config.yaml"),
        environment.firstLine()
            + ResolvedConfig.write(experiment)
            + environment.toYaml(
                requests.digest(), report.summary().figure("clock_offset_ms_max")));
    if (failure != null) {
      throw failure; // what the log held until then stands in the folder
    }
    summaryJson = report.summary().toJson();
    return conclude(report, folder, signals);
  }

  private int conclude(RunReport report, RunFolder folder, Signals signals) throws IOException {
    console.line("");
    console.line(SummaryTable.render(report.summary()));
    int status =
        switch (report.summary().verdict()) {
          case MET -> EXIT_DONE;
          case MISSED -> EXIT_THRESHOLD;
          case FAILED -> Sluice.EXIT_BUG;
        };
    if (status == Sluice.EXIT_BUG) {
      console.line("sluice: error: the run failed, see above.");
      console.line("  Maybe its folder says more: " + folder.failedPath());
      return status;
    }
    Path finished = folder.finish();
    console.line("Folder    " + finished);
    console.line("Pictures  " + finished.resolve("plots"));
    return signals.received() ? signals.exitStatus() : status;
  }

  /** Where a Kafka answers that runs already; null: an embedded one is to be started. */
  private @Nullable String externalKafka(ParsedExperiment parsed)
      throws UserMistakeException, InterruptedException {
    var settings = parsed.experiment().kafka();
    String external = options.bootstrap();
    String location = "--bootstrap";
    if (external == null && !settings.embedded()) {
      external = settings.bootstrapServers();
      location = parsed.location("kafka.bootstrap_servers");
    }
    if (external != null) {
      RunTopics.checkReachable(location, external, clientProperties(external));
    }
    return external;
  }

  private Map<String, Object> startKafka(@Nullable String external, RunFolder folder)
      throws RoleFailedException, InterruptedException {
    if (external != null) {
      console.item("broker", "Kafka at " + external);
      return clientProperties(external);
    }
    long startedNs = clock.monotonicNs();
    try {
      var broker = open(EmbeddedBroker.start(folder.temporary().resolve("broker")));
      console.item(
          "broker",
          "embedded Kafka on " + broker.bootstrapServers() + ", " + secondsSince(startedNs));
      return clientProperties(broker.bootstrapServers());
    } catch (IOException e) {
      throw new RoleFailedException("the embedded broker did not start: " + e.getMessage(), e);
    }
  }

  private static Map<String, Object> clientProperties(String bootstrapServers) {
    return Map.of(
        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
        bootstrapServers,
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        DELIVERY_LIMIT_MS);
  }

  private LaneBackend loadModels(LaneSource lanes, Experiment experiment)
      throws UserMistakeException {
    long startedNs = clock.monotonicNs();
    LaneBackend backend;
    try (var bar = new ModelBar(console)) {
      backend =
          lanes.open(
              ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))),
              bar);
    }
    if (experiment.lanes().emulated()) {
      console.item("models", "none: lanes are emulated (" + backend.deviceKind() + ")");
      lanes.notes().forEach(note -> console.item("", note));
    } else {
      console.item(
          "models", lanes.modelCount() + " loaded and checked, " + secondsSince(startedNs));
    }
    return backend;
  }

  private Executor warmUp(Experiment experiment, LaneBackend backend)
      throws WarmUpException, InterruptedException {
    long startedNs = clock.monotonicNs();
    var settings = ExecutorSettings.of(experiment, EXECUTOR_ID, clock.epochNs() / 1_000_000, 0);
    Executor executor =
        open(
            Executor.warmUp(
                settings,
                backend,
                clock,
                pacer,
                (done, total, what) -> {
                  if (console.isTerminal()) {
                    console.live(
                        String.format(
                            Locale.ROOT, "  %-14s %d of %d: %s", "warm-up", done, total, what));
                  }
                }));
    console.clearLiveLine();
    Double cores = executor.cpuPerLane();
    console.item(
        "warm-up",
        settings.lanes()
            + (settings.lanes() == 1 ? " lane" : " lanes")
            + (cores == null
                ? ""
                : String.format(
                    Locale.ROOT,
                    ", %d thread%s each, a busy lane uses %.2f cores",
                    settings.threadsPerLane(),
                    settings.threadsPerLane() == 1 ? "" : "s",
                    cores))
            + ", "
            + secondsSince(startedNs));
    executor.warnings().forEach(warning -> console.item("", "warning: " + warning));
    return executor;
  }

  private void showOfferedLoad(Experiment experiment, RequestList requests, Executor executor) {
    OfferedLoad offered = OfferedLoad.of(experiment, requests, executor.capabilities());
    console.item(
        "offered load",
        String.format(
            Locale.ROOT,
            "%.2f per lane: %s jobs/s of %.1f ms each alone, on %d lane%s%s",
            offered.perLane(),
            trimmed(experiment.arrivalRateJobsPerSec()),
            offered.meanServiceMs(),
            experiment.lanes().count(),
            experiment.lanes().count() == 1 ? "" : "s",
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

  private void startScheduler(
      Experiment experiment, Topics topics, Map<String, Object> kafka, RunFolder folder)
      throws RoleFailedException, InterruptedException {
    long startedNs = clock.monotonicNs();
    var scheduler =
        open(
            new SchedulerStream(
                experiment,
                topics,
                kafka,
                folder.temporary().resolve("streams"),
                clock,
                this::fail));
    scheduler.start();
    if (!scheduler.awaitRunning(START_LIMIT)) {
      throw new RoleFailedException(
          "the scheduler did not start within " + START_LIMIT.toSeconds() + " s", null);
    }
    console.item("scheduler", experiment.schedulerName() + ", " + secondsSince(startedNs));
  }

  private Optional<RunEnded> runLoad(
      Experiment experiment,
      RequestList requests,
      String runId,
      Topics topics,
      Map<String, Object> kafka,
      EventLogReader reader)
      throws RoleFailedException, StoppedException, InterruptedException {
    var running =
        new JobGenerators(
            experiment,
            requests,
            runId,
            ResolvedConfig.digest(experiment),
            topics,
            kafka,
            clock,
            pacer,
            new Listener(),
            new JobGenerators.TimeLimits(START_LIMIT, DRAIN_LIMIT));
    synchronized (this) {
      generators = running;
      heedAWishToStop();
    }
    var thread = new Thread(() -> generate(running), "sluice-generators");
    thread.start();
    try (var progress = ProgressLine.start(console, reader, experiment, this::fail)) {
      return load.get();
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

  private void generate(JobGenerators running) {
    try {
      load.complete(running.run());
    } catch (RunFailedException | InterruptedException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private static RoleFailedException failure(@Nullable Throwable cause) {
    return new RoleFailedException(
        cause instanceof RunFailedException ? cause.getMessage() : String.valueOf(cause), cause);
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

  private <T extends AutoCloseable> T open(T part) {
    opened.push(part);
    return part;
  }

  private void closeAll() {
    while (!opened.isEmpty()) {
      AutoCloseable part = opened.pop();
      try {
        part.close();
      } catch (Exception e) {
        LOG.error("{} could not be closed", part.getClass().getSimpleName(), e);
      }
    }
  }

  private String secondsSince(long startedNs) {
    return String.format(Locale.ROOT, "%.1f s", (clock.monotonicNs() - startedNs) / 1e9);
  }

  private static String trimmed(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** A person ended the run before its first job. */
  private static final class StoppedException extends Exception {}

  private static final class Listener implements GeneratorListener {
    @Override
    public void runStarted(long timeZeroEpochMs) {
      LOG.info("time zero is {} ms since 1970", timeZeroEpochMs);
    }

    @Override
    public void arrivalsEnding(EndOfArrivals reason) {
      LOG.info("arrivals end: {}", reason);
    }

    @Override
    public void runEnded(RunEnded ended) {
      LOG.info("{}", ended);
    }
  }
}
