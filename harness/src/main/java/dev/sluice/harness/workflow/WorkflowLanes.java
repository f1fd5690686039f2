package dev.sluice.harness.workflow;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.run.RunShell;
import dev.sluice.harness.terminal.Console;
import dev.sluice.harness.terminal.ModelBar;
import dev.sluice.scheduling.workflow.GraphSimulation;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that play the GPUs of a schedule of workflows, and the real workload and backend that
 * stand for each model.
 */
final class WorkflowLanes {
  static final long SEED = 42;
  static final int HEARTBEAT_MS = 200;

  private static final int THREADS_PER_LANE = 1;
  private static final long NS_PER_MS = 1_000_000;

  /** Limit of lanes on each processor. More lanes would be slow enough to look hung. */
  private static final int LANES_PER_PROCESSOR_MAX = 4;

  private static final String EXECUTOR = "gpus";

  /** Workload of a model for which the file names none; the backend follows. */
  private static final String WORKLOAD = "resnet18";

  private static final String BACKEND = "onnx";
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");

  private final WorkflowFiles files;

  /** Built-in models that stand for the models in use, by the latter. */
  private final Map<ModelKey, ModelKey> models;

  /**
   * Prepares the lanes, and starts nothing.
   *
   * @throws UserMistakeException if a model names an unknown workload or backend
   */
  WorkflowLanes(Path systemFile, WorkflowFiles files) throws UserMistakeException {
    this.files = files;
    this.models = builtIn(systemFile, files);
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
  Executor warmUp(
      int gpus, ProcessClock clock, RunShell shell, Console console, Consumer<String> said)
      throws UserMistakeException, WarmUpException, InterruptedException {
    var cache =
        new ModelCache(
            ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))));
    Engines engines = Engines.prepare(THREADS_PER_LANE, cache);
    List<String> backends =
        models.values().stream().map(ModelKey::backend).distinct().sorted().toList();
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
            List.copyOf(models.keySet()),
            warmUpSamples());
    Executor executor =
        shell.add(
            Executor.warmUp(
                settings,
                LaneBackend.loading(shelf, RealDevice.Holding.ONE),
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

  /** True if any node shares a batch. */
  boolean joins() {
    return files.requests().stream().anyMatch(request -> request.workflow().joined());
  }

  /** Sample counts to warm up: the powers of two from one, and the largest batch as the last. */
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
    said.accept(
        String.format(
            Locale.ROOT,
            "Model %s is %s on %s: loaded in %.3fs, run in %.3fs",
            capability.workload(),
            Objects.requireNonNull(models.get(capability.model())).workload(),
            capability.backend(),
            loadNs == null ? 0 : loadNs / 1e9,
            capability.warmUps().get(0).serviceNs() / 1e9));
    Model model = files.models().get(capability.workload());
    if (model != null && model.gpusRequired() > 1) {
      said.accept(
          "Model %s is loaded by each of its %d lanes, and run by the first: no engine here splits one"
              .formatted(model.id(), model.gpusRequired()));
    }
  }
}
