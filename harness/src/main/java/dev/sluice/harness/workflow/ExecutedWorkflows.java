package dev.sluice.harness.workflow;

import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.ModelBar;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.role.Conclusion;
import dev.sluice.harness.role.ProduceRole;
import dev.sluice.harness.run.RunShell;
import dev.sluice.producer.generator.GeneratorSettings;
import dev.sluice.producer.generator.JobGenerators;
import dev.sluice.producer.generator.JobGenerators.EndedNumbers;
import dev.sluice.scheduler.topology.SchedulerStream;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.simulation.GraphSchedule;
import dev.sluice.scheduling.simulation.GraphSimulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workflows whose nodes really run: requests go through Kafka, the scheduler's core holds their
 * graphs and releases their jobs, and each GPU is played by a lane, which holds one model at a
 * time: the real workload and backend that stand for the model of the file.
 */
final class ExecutedWorkflows {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutedWorkflows.class);

  private static final long SEED = 42;
  private static final int HEARTBEAT_MS = 200;
  private static final int LEASE_MS = 2_000;
  private static final int ATTEMPTS_MAX = 3;
  private static final long NS_PER_MS = 1_000_000;
  private static final long LOOK_MS = 100;
  private static final long STANDSTILL_NS_MAX = 5 * 60_000 * NS_PER_MS;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Limit of the wait for running nodes, which are finished however long they take. */
  private static final Duration FOR_EVER = Duration.ofDays(10_000);

  private static final int THREADS_PER_LANE = 1;

  /** Limit of lanes on each processor. More lanes would be slow enough to look hung. */
  private static final int LANES_PER_PROCESSOR_MAX = 4;

  private static final String EXECUTOR = "gpus";

  /** Workload of a model for which the file names none; the backend follows. */
  private static final String WORKLOAD = "resnet18";

  private static final String BACKEND = "onnx";
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");

  private final WorkflowSettings options;
  private final Workflows workflows;
  private final Console console;

  /** Built-in models that stand for the models in use, by the latter. */
  private final Map<ModelKey, ModelKey> models;

  private final @Nullable KafkaAccess external;
  private final ProcessClock clock = MachineClock.process();
  private int exitStatus = ExitStatus.DONE;

  /**
   * @throws UserMistakeException if a model names an unknown workload or backend
   */
  ExecutedWorkflows(WorkflowSettings options, Workflows workflows, Console console)
      throws UserMistakeException {
    this.options = options;
    this.workflows = workflows;
    this.console = console;
    refuseAmbiguousIds(options.systemFile(), workflows.files());
    this.models = builtIn(options.systemFile(), workflows.files());
    this.external = options.externalKafka();
  }

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
      RunFolder folder, String runId, Consumer<String> said, Consumer<String> lines)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          IOException,
          InterruptedException {
    try (var shell = new RunShell(folder, external, console, /* child= */ false, () -> {})) {
      try {
        shell.awaitExternal();
        Executor executor = warmUp(shell, said);
        KafkaAccess kafka = shell.startKafka();
        var topics = new Topics(runId);
        RunTopics.create(topics, 1, kafka.clients());
        startScheduler(topics, kafka, folder, shell);
        shell.add(executor); // again, so that it closes before the clients that it writes to
        executor.join(topics, kafka.clients(), LaneFaults.NONE, shell::fail);
        said.accept("Starting execution of nodes...");
        RunStarted started = send(topics, kafka, executor, shell, said);
        WorkflowOutcomes outcomes = readLog(topics, kafka, folder, started);
        shell.closeParts();
        shell.removeTopics(topics, said);
        exitStatus = shell.exitStatus(ExitStatus.DONE);
        return WorkflowSchedules.executed(workflows, options.policy(), outcomes, lines);
      } catch (RoleFailedException | WarmUpException | RuntimeException e) {
        LOG.error("the run failed", e);
        throw e;
      }
    }
  }

  /**
   * Has the requests sent, and shows how they go until all that were sent have ended: earlier than
   * their list if a person wants it, or if nothing happens any more.
   *
   * @return the run's beginning
   */
  private RunStarted send(
      Topics topics, KafkaAccess kafka, Executor executor, RunShell shell, Consumer<String> said)
      throws RoleFailedException, IOException, InterruptedException {
    var load =
        WorkflowLoad.of(
            workflows.requests(), Sha256.hex(Files.readAllBytes(options.requestsFile())));
    var generators =
        new JobGenerators(
            new GeneratorSettings(
                load,
                topics.prefix(),
                SEED,
                Sha256.hex(Files.readAllBytes(options.systemFile())),
                /* shards= */ 1,
                /* generators= */ 1,
                /* warmupNs= */ 0,
                load.size() == 0 ? 0 : load.intendedAtNs(load.size() - 1) + 1,
                /* tailEndNs= */ Long.MAX_VALUE,
                /* oneAtATime= */ false,
                topics,
                new GeneratorSettings.TimeLimits(LIMIT, FOR_EVER)),
            kafka.clients(),
            clock,
            MachineClock.pacer(),
            missing -> {});
    Thread thread = ProduceRole.begin(generators, shell);
    try {
      follow(generators, thread, load, executor, shell, said);
    } finally {
      thread.interrupt(); // without effect on one that has ended
      thread.join();
    }
    shell.failIfFailed();
    said.accept(
        String.format(
            Locale.ROOT,
            "Requests were sent at most %.1f ms late",
            generators.numbers().latenessNsMax() / 1e6));
    return Objects.requireNonNull(generators.started());
  }

  private void follow(
      JobGenerators generators,
      Thread thread,
      WorkflowLoad load,
      Executor executor,
      RunShell shell,
      Consumer<String> said)
      throws RoleFailedException, InterruptedException {
    long movedAtNs = clock.monotonicNs();
    long drawnAtNs = movedAtNs;
    boolean ending = false;
    List<Object> before = List.of();
    while (thread.isAlive()) {
      thread.join(LOOK_MS);
      shell.failIfFailed();
      long nowNs = clock.monotonicNs();
      EndedNumbers ended = generators.ended();
      List<Object> now = List.of(generators.numbers(), ended, executor.numbers());
      movedAtNs = now.equals(before) ? movedAtNs : nowNs;
      before = now;
      boolean standsStill =
          generators.numbers().jobsSent() == load.size() && nowNs - movedAtNs > STANDSTILL_NS_MAX;
      if (standsStill && !ending) {
        said.accept(
            "Warning: nothing has happened for %d minutes: lanes hang, what waits is given up"
                .formatted(TimeUnit.NANOSECONDS.toMinutes(STANDSTILL_NS_MAX)));
      }
      boolean wanted = standsStill || shell.stopRequested();
      if (wanted && !ending && generators.started() != null) {
        ending = true;
        generators.stop(
            shell.stopRequested()); // waiting jobs are dropped, running jobs are finished
      }
      if (nowNs - drawnAtNs >= (console.isTerminal() ? 1 : 5) * 1_000_000_000L) {
        drawnAtNs = nowNs;
        console.live(
            "%d of %d requests ended, %d of %d nodes done"
                .formatted(ended.requests(), load.size(), ended.jobsDone(), load.jobs()));
      }
    }
  }

  /** Reads the topics, which are whole now, and leaves a recording of them if one is wanted. */
  private WorkflowOutcomes readLog(
      Topics topics, KafkaAccess kafka, RunFolder folder, RunStarted started)
      throws RoleFailedException, IOException {
    var outcomes = new WorkflowOutcomes(workflows.requests());
    var header =
        RecordingHeader.log(
            topics.prefix(),
            started,
            1,
            SchedulingCore.DECISIONS_VERSION,
            started.configDigest(),
            core().toText());
    try (@Nullable RunRecording recording =
            Boolean.FALSE.equals(options.log())
                ? null
                : new RunRecording(folder.path().resolve(FolderFiles.LOG), header);
        var consumer = kafka.clients().consumer(Reading.WHOLE_RUN)) {
      RunRecording.readWhole(
          topics,
          new LogMerge(topics, consumer, clock, LIMIT),
          outcomes,
          record -> LOG.warn("{} at {} is no event", record.topic(), record.offset()),
          recording);
      if (recording != null) {
        Conclusion.tellFailure(recording, console);
      }
    }
    if (!outcomes.isWhole()) {
      throw new RoleFailedException("the log lacks the dispatch or the end of a node's run", null);
    }
    return outcomes;
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
              "node (%s) of workflow (%s) has a slash in its name"
                  .formatted(node.id(), workflow.id()),
              "another character will do; jobs are called request/node");
        }
      }
    }
  }

  private WorkflowCore core() {
    return new WorkflowCore(
        options.policy(),
        SEED,
        workflows.modelIds(),
        new CoreSettings.Microbatch(
            joins(),
            Math.round(workflows.files().microbatch().windowMs() * NS_PER_MS),
            workflows.files().microbatch().maxBatch()),
        new CoreSettings.Leases(HEARTBEAT_MS * NS_PER_MS, LEASE_MS * NS_PER_MS, ATTEMPTS_MAX));
  }

  private void startScheduler(Topics topics, KafkaAccess kafka, RunFolder folder, RunShell shell)
      throws RoleFailedException, InterruptedException {
    var stream =
        shell.add(
            new SchedulerStream(
                core().settings(),
                () -> WorkflowSettings.newPolicy(options.policy()),
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

  /** The backend on which a model runs, also if there is none of its name. */
  static String backendOf(Model model) {
    Model.Named backend = model.backend();
    return backend == null ? BACKEND : backend.name();
  }

  private static Map<ModelKey, ModelKey> builtIn(Path system, WorkflowFiles files)
      throws UserMistakeException {
    Map<ModelKey, ModelKey> builtIn = new LinkedHashMap<>();
    for (WorkflowRequest request : files.requests()) {
      for (Workflow.Node node : request.workflow().nodes()) {
        String id = node.model();
        Model model = Objects.requireNonNull(files.models().get(id));
        String workload =
            oneOf(
                system, id, "workload", model.workload(), WORKLOAD, List.copyOf(Workloads.names()));
        String backend = oneOf(system, id, "backend", model.backend(), BACKEND, BACKENDS);
        builtIn.put(
            new ModelKey(id, backend, GraphSimulation.PRECISION),
            new ModelKey(workload, backend, GraphSimulation.PRECISION));
      }
    }
    return builtIn;
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

  /** Loads each model once onto the first lane, to measure the time of loading. */
  private Executor warmUp(RunShell shell, Consumer<String> said)
      throws UserMistakeException, WarmUpException, InterruptedException {
    int gpus = workflows.gpus().count();
    var cache = ModelCache.ofUser();
    Engines engines = Engines.prepare(THREADS_PER_LANE, cache);
    List<String> backends =
        models.values().stream().map(ModelKey::backend).distinct().sorted().toList();
    Devices devices = Devices.choose("--execute", "auto", backends, gpus, engines::cudaDevices);
    int processors = Runtime.getRuntime().availableProcessors();
    UserMistakeException.throwIf(
        devices.kind().equals("cpu") && gpus > LANES_PER_PROCESSOR_MAX * processors,
        "--gpus",
        "a lane plays each GPU, and (%d) are too many for (%d) cores".formatted(gpus, processors),
        "--gpus %d will do".formatted(processors));
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
            List.copyOf(models.keySet()),
            warmUpSamples());
    Executor executor =
        shell.add(
            new Executor(
                    settings,
                    LaneBackend.loading(shelf, RealDevice.Holding.ONE),
                    clock,
                    MachineClock.pacer(),
                    (done, total, what) -> {})
                .awaitWarm());
    said.accept("Each GPU is played by a lane of " + THREADS_PER_LANE + " thread on " + devices);
    if (devices.kind().equals("cpu") && gpus > processors) {
      said.accept("Warning: %d lanes on %d cores slow each other down".formatted(gpus, processors));
    }
    for (Capability capability : executor.capabilities()) {
      describe(capability, said);
    }
    return executor;
  }

  private boolean joins() {
    return workflows.files().requests().stream().anyMatch(of -> of.workflow().joined());
  }

  /** Sample counts to warm up: the powers of two from one, and the largest batch as the last. */
  private List<Integer> warmUpSamples() {
    int most = joins() ? workflows.files().microbatch().maxBatch() : 1;
    Set<Integer> samples = new TreeSet<>(List.of(most));
    for (int power = 1; power < most; power *= 2) {
      samples.add(power);
    }
    return List.copyOf(samples);
  }

  private void describe(Capability capability, Consumer<String> said) {
    Long loadNs = capability.loadNs();
    said.accept(
        String.format(
            Locale.ROOT,
            "Model %s is %s on %s: loaded in %.3fs, run in %.3fs",
            capability.workload(),
            Objects.requireNonNull(models.get(capability.model())).workload(),
            capability.backend(),
            loadNs == null ? 0 : loadNs / 1e9,
            capability.warmUps().get(0).serviceNs() / 1e9));
    Model model = workflows.files().models().get(capability.workload());
    if (model != null && model.gpusRequired() > 1) {
      said.accept(
          "Model %s is loaded by each of its %d lanes, and run by the first: no engine here splits one"
              .formatted(model.id(), model.gpusRequired()));
    }
  }
}
