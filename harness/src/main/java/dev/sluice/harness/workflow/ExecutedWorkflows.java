package dev.sluice.harness.workflow;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelRequest;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ModelBar;
import dev.sluice.scheduler.topology.SchedulerStream;
import dev.sluice.scheduler.workflow.Workflows;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.workflow.GpuModel;
import dev.sluice.scheduling.workflow.Graph;
import dev.sluice.scheduling.workflow.GraphRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workflows whose nodes really run: requests go through Kafka, the scheduler's core holds their
 * graphs and releases their jobs, and a lane plays each GPU, which holds one model at a time.
 */
final class ExecutedWorkflows {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutedWorkflows.class);

  private static final long SEED = 42;
  private static final int HEARTBEAT_MS = 200;
  private static final int LEASE_MS = 2_000;
  private static final int ATTEMPTS_MAX = 3;
  private static final int THREADS_PER_LANE = 1;
  private static final long NS_PER_MS = 1_000_000;
  private static final long AHEAD_NS = 300 * NS_PER_MS;
  private static final long LOOK_NS = 100 * NS_PER_MS;
  private static final Duration STANDSTILL_MAX = Duration.ofMinutes(5);

  /** More lanes than this on each processor would be so slow that they seem to hang. */
  private static final int LANES_PER_PROCESSOR_MAX = 4;

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
  private static final String EXECUTOR = "gpus";

  /** What runs in place of a model of which the file does not say. */
  private static final String WORKLOAD = "resnet18";

  private static final String BACKEND = "onnx";
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");
  private static final String PRECISION = "fp32";

  private final WorkflowSettings options;
  private final WorkflowFiles files;
  private final Workflows workflows;
  private final String policy;
  private final Console console;

  /** What each model that is in use runs as. */
  private final Map<String, ModelRequest> models;

  private final @Nullable KafkaAccess external;
  private final Opened opened = new Opened();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ProcessClock clock = MachineClock.process();
  private volatile boolean stopRequested;
  private int exitStatus = ExitStatus.DONE;

  /**
   * Nothing starts yet.
   *
   * @throws UserMistakeException if a model is to run as what is not known
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
    refuseAmbiguousIds(options.systemFile(), workflows, files);
    this.models = modelRequests(options.systemFile(), files, workflows);
    this.external = options.externalKafka();
  }

  /** 0, or that of the signal that ended it. */
  int exitStatus() {
    return exitStatus;
  }

  /**
   * Runs all requests to their ends.
   *
   * @param runId names its topics
   * @param said is told what a person should know beside the schedule
   * @param lines is told the schedule, once it is whole
   */
  WorkflowSchedule execute(
      RunFolder folder, String runId, int gpus, Consumer<String> said, Consumer<String> lines)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          IOException,
          InterruptedException {
    Secrets secrets = external == null ? Secrets.NONE : external.secrets();
    try (var log = LogFile.open(folder.log(), secrets);
        var signals = Signals.listen(() -> stopRequested = true, folder::abandon)) {
      try {
        if (external != null) {
          external.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
        }
        Executor executor = warmUp(gpus, said);
        KafkaAccess kafka =
            external == null ? KafkaAccess.startEmbedded(opened, folder.temporary()) : external;
        var topics = new Topics(runId);
        RunTopics.create(topics, 1, kafka.clients());
        startScheduler(topics, kafka, folder);
        opened.add(executor); // again, to be closed before what it writes to
        executor.join(topics, kafka.clients(), this::fail);
        var outcomes = new WorkflowOutcomes(workflows.requests());
        said.accept("Starting execution of nodes...");
        try (var shard = new WorkflowLog(topics, kafka.clients())) {
          awaitExecutor(shard);
          run(runId, shard, outcomes, said);
        }
        opened.close();
        if (external != null) {
          external.removeTopicsOrSay(topics, said);
        }
        exitStatus = signals.received() ? signals.exitStatus() : ExitStatus.DONE;
        return WorkflowSchedule.executed(workflows, gpus, policy, outcomes, lines);
      } catch (RoleFailedException | WarmUpException | RuntimeException e) {
        LOG.error("the run failed", e);
        throw e;
      } finally {
        opened.close();
      }
    }
  }

  /** A job is called request/node: where a node's name has a slash two jobs may have one name. */
  private static void refuseAmbiguousIds(Path system, Workflows workflows, WorkflowFiles files)
      throws UserMistakeException {
    for (Workflow workflow : files.workflows().values()) {
      boolean asked =
          workflows.requests().stream().anyMatch(r -> r.graph().id().equals(workflow.id()));
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

  private static Map<String, ModelRequest> modelRequests(
      Path system, WorkflowFiles files, Workflows workflows) throws UserMistakeException {
    Map<String, ModelRequest> requests = new LinkedHashMap<>();
    for (GraphRequest request : workflows.requests()) {
      for (Graph.Node node : request.graph().nodes()) {
        String id = node.model().id();
        if (!requests.containsKey(id)) {
          Model model = files.models().get(id);
          Model.Named workload = model == null ? null : model.workload();
          Model.Named backend = model == null ? null : model.backend();
          requests.put(
              id,
              new ModelRequest(
                  oneOf(system, id, "workload", workload, WORKLOAD, List.copyOf(Workloads.names())),
                  oneOf(system, id, "backend", backend, BACKEND, BACKENDS),
                  PRECISION,
                  null));
        }
      }
    }
    return requests;
  }

  private static String oneOf(
      Path system,
      String model,
      String key,
      Model.@Nullable Named given,
      String fallback,
      List<String> known)
      throws UserMistakeException {
    if (given == null) {
      return fallback;
    }
    if (!known.contains(given.name())) {
      throw new UserMistakeException(
          system + ":" + given.line(),
          "models." + model + "." + key + " (" + given.name() + ") is unknown",
          NearestName.advice(given.name(), known, key + "s"));
    }
    return given.name();
  }

  /** Loads each model once onto the first lane, so that it is known how long that takes. */
  private Executor warmUp(int gpus, Consumer<String> said)
      throws UserMistakeException, WarmUpException, InterruptedException {
    var cache =
        new ModelCache(
            ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))));
    Engines engines = Engines.prepare(THREADS_PER_LANE, cache);
    List<String> backends =
        models.values().stream().map(ModelRequest::backend).distinct().sorted().toList();
    Devices devices = Devices.choose("--execute", "auto", backends, gpus, engines::cudaDevices);
    int processors = Runtime.getRuntime().availableProcessors();
    if (devices.kind().equals("cpu") && gpus > LANES_PER_PROCESSOR_MAX * processors) {
      throw new UserMistakeException(
          "--gpus",
          "a lane plays each GPU, and (%d) are too many for (%d) cores".formatted(gpus, processors),
          "--gpus %d will do".formatted(processors));
    }
    ModelShelf shelf;
    try (var bar = new ModelBar(console)) {
      shelf = ModelShelf.of(models, engines, devices, cache, bar);
    }
    backends.forEach(engines::start);
    var settings =
        new ExecutorSettings(
            EXECUTOR,
            clock.epochNs() / NS_PER_MS,
            0,
            gpus,
            0,
            THREADS_PER_LANE,
            null,
            SEED,
            HEARTBEAT_MS,
            models.entrySet().stream()
                .map(m -> new ModelKey(m.getKey(), m.getValue().backend(), PRECISION))
                .toList(),
            warmUpSamples());
    Executor executor =
        opened.add(
            Executor.warmUp(
                settings,
                LaneBackend.switching(shelf),
                clock,
                MachineClock.pacer(),
                (done, total, what) -> {}));
    said.accept("Each GPU is played by a lane of " + THREADS_PER_LANE + " thread on " + devices);
    if (devices.kind().equals("cpu") && gpus > processors) {
      said.accept("Warning: %d lanes on %d cores slow each other down".formatted(gpus, processors));
    }
    for (Capability capability : executor.capabilities()) {
      describe(capability, said);
    }
    return executor;
  }

  /** Whether any node shares a batch. */
  private boolean joins() {
    return workflows.requests().stream().anyMatch(request -> request.graph().joined());
  }

  /** One, and the powers of two up to the largest batch, which is the last. */
  private List<Integer> warmUpSamples() {
    int most = joins() ? files.microbatch().maxBatch() : 1;
    NavigableSet<Integer> samples = new TreeSet<>(List.of(most));
    for (int power = 1; power < most; power *= 2) {
      samples.add(power);
    }
    return List.copyOf(samples);
  }

  private void describe(Capability capability, Consumer<String> said) {
    Long loadNs = capability.loadNs();
    ModelRequest request = models.get(capability.workload());
    said.accept(
        String.format(
            Locale.ROOT,
            "Model %s is %s on %s: loaded in %.3fs, run in %.3fs",
            capability.workload(),
            request == null ? "" : request.workload(),
            capability.backend(),
            loadNs == null ? 0 : loadNs / 1e9,
            capability.warmUps().get(0).serviceNs() / 1e9));
    workflows.models().stream()
        .filter(model -> model.id().equals(capability.workload()) && model.gpus() > 1)
        .forEach(
            model ->
                said.accept(
                    "Model %s is loaded by each of its %d lanes, and run by the first: no engine here splits one"
                        .formatted(model.id(), model.gpus())));
  }

  private void startScheduler(Topics topics, KafkaAccess kafka, RunFolder folder)
      throws RoleFailedException, InterruptedException {
    var settings =
        CoreSettings.of(
                SEED,
                Graph.CLASSES,
                workflows.models().stream().collect(Collectors.toMap(GpuModel::id, model -> 0)))
            .with(
                new CoreSettings.Microbatch(
                    joins(),
                    Math.round(files.microbatch().windowMs() * NS_PER_MS),
                    files.microbatch().maxBatch()))
            .with(
                new CoreSettings.Leases(
                    HEARTBEAT_MS * NS_PER_MS, LEASE_MS * NS_PER_MS, ATTEMPTS_MAX));
    var stream =
        opened.add(
            new SchedulerStream(
                settings,
                () -> WorkflowSettings.newPolicy(policy),
                topics,
                kafka.clients(),
                "schedule",
                folder.temporary().resolve("streams"),
                clock,
                this::fail));
    stream.start();
    if (!stream.awaitRunning(LIMIT)) {
      throw new RoleFailedException("the scheduler did not start", null);
    }
  }

  private void awaitExecutor(WorkflowLog shard) throws RoleFailedException {
    long deadlineNs = clock.monotonicNs() + LIMIT.toNanos();
    while (shard.poll(Duration.ofNanos(LOOK_NS)).stream()
        .noneMatch(ExecutorReported.class::isInstance)) {
      failIfFailed();
      if (clock.monotonicNs() >= deadlineNs) {
        throw new RoleFailedException("the lanes did not join", null);
      }
    }
  }

  /** Sends each request at its time, until all that were sent have come to their ends. */
  private void run(
      String runId, WorkflowLog shard, WorkflowOutcomes outcomes, Consumer<String> said)
      throws RoleFailedException, IOException, InterruptedException {
    List<GraphRequest> requests = workflows.requests();
    int[] arrivals = GraphRequest.byArrival(requests);
    RunClock runClock = begin(runId, shard);
    long[] latenessNs = new long[arrivals.length];
    int sent = 0;
    boolean arrivalsEnded = false;
    long movedAtNs = clock.monotonicNs();
    try (var progress = new Progress(outcomes)) {
      while (outcomes.ended() < sent
          || (sent < arrivals.length && !stopRequested)
          || !outcomes.isWhole()) {
        failIfFailed();
        while (sent < arrivals.length && !stopRequested) {
          GraphRequest due = requests.get(arrivals[sent]);
          long nowNs = runClock.nowNs();
          if (due.arrivedAtNs() > nowNs) {
            break;
          }
          latenessNs[sent] = nowNs - due.arrivedAtNs();
          shard.send(requested(due, sent, nowNs), this::fail);
          sent++;
        }
        boolean standsStill = clock.monotonicNs() - movedAtNs > STANDSTILL_MAX.toNanos();
        if (standsStill && sent == arrivals.length && !arrivalsEnded) {
          said.accept(
              "Warning: nothing has happened for %d minutes: lanes hang, what waits is given up"
                  .formatted(STANDSTILL_MAX.toMinutes()));
        }
        if ((stopRequested || (standsStill && sent == arrivals.length)) && !arrivalsEnded) {
          arrivalsEnded = true;
          endArrivals(shard, latenessNs, sent); // what waits is dropped, what runs is finished
        }
        long waitNs = LOOK_NS;
        if (sent < arrivals.length && !stopRequested) {
          long dueNs = requests.get(arrivals[sent]).arrivedAtNs() - runClock.nowNs();
          waitNs = Math.max(0, Math.min(waitNs, dueNs));
        }
        for (Event event : shard.poll(Duration.ofNanos(waitNs))) {
          if (!(event instanceof ExecutorReported || event instanceof Ticked)) {
            movedAtNs = clock.monotonicNs();
          }
          outcomes.take(event);
        }
        progress.draw();
      }
    }
    if (!arrivalsEnded) {
      endArrivals(shard, latenessNs, sent);
    }
    shard.end(new RunEnded(runId, sent, false, stopRequested, runClock.nowNs(), null));
    long latest = IntStream.range(0, sent).mapToLong(i -> latenessNs[i]).max().orElse(0);
    said.accept(
        String.format(Locale.ROOT, "Requests were sent at most %.1f ms late", latest / 1e6));
  }

  private RunClock begin(String runId, WorkflowLog shard)
      throws RoleFailedException, IOException, InterruptedException {
    long timeZeroEpochMs = Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1;
    var started =
        new RunStarted(
            runId,
            timeZeroEpochMs,
            SEED,
            Sha256.hex(Files.readAllBytes(options.systemFile())),
            Sha256.hex(Files.readAllBytes(options.requestsFile())),
            1,
            1,
            null);
    shard.begin(started);
    return clock.forRun(timeZeroEpochMs);
  }

  private static void endArrivals(WorkflowLog shard, long[] latenessNs, int sent)
      throws RoleFailedException, InterruptedException {
    long[] sorted = IntStream.range(0, sent).mapToLong(i -> latenessNs[i]).sorted().toArray();
    long maxNs = sent == 0 ? 0 : sorted[sent - 1];
    long p99Ns = sent == 0 ? 0 : sorted[(int) Math.ceil(0.99 * sent) - 1];
    shard.append(new ArrivalsEnded(0, sent, p99Ns, maxNs, 0));
  }

  private WorkflowRequested requested(GraphRequest request, int index, long sentAtNs) {
    Graph graph = request.graph();
    return new WorkflowRequested(
        request.id(),
        0,
        index,
        graph.id(),
        graph.classType(),
        graph.sloNs() == Long.MAX_VALUE ? null : graph.sloNs(),
        request.arrivedAtNs(),
        sentAtNs,
        IntStream.range(0, graph.nodes().size())
            .mapToObj(
                node -> {
                  Graph.Node of = graph.nodes().get(node);
                  return new WorkflowRequested.Node(
                      of.id(),
                      of.model().id(),
                      backendOf(of.model()),
                      PRECISION,
                      1,
                      of.model().gpus(),
                      request.executionNs(node),
                      of.inputs());
                })
            .toList());
  }

  private String backendOf(GpuModel model) {
    return Objects.requireNonNull(models.get(model.id())).backend();
  }

  private void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  private void failIfFailed() throws RoleFailedException {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new RoleFailedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** The live line: how much of all is done. */
  private final class Progress implements AutoCloseable {
    private final WorkflowOutcomes outcomes;
    private final int nodes =
        workflows.requests().stream().mapToInt(r -> r.graph().nodes().size()).sum();
    private final long periodNs = (console.isTerminal() ? 1 : 5) * 1_000_000_000L;
    private long drawnAtNs = clock.monotonicNs();

    Progress(WorkflowOutcomes outcomes) {
      this.outcomes = outcomes;
    }

    void draw() {
      long nowNs = clock.monotonicNs();
      if (nowNs - drawnAtNs >= periodNs) {
        drawnAtNs = nowNs;
        console.live(
            "%d of %d requests ended, %d of %d nodes done"
                .formatted(
                    outcomes.ended(), workflows.requests().size(), outcomes.nodesDone(), nodes));
      }
    }

    @Override
    public void close() {
      console.endLiveLine();
    }
  }
}
