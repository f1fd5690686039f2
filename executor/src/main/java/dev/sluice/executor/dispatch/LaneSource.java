package dev.sluice.executor.dispatch;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.model.Devices;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.network.Workloads;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The source of an experiment's lane backend: loaded models, or an emulation. */
public final class LaneSource implements AutoCloseable {
  private final ParsedExperiment parsed;
  private final Experiment experiment;
  private final @Nullable LatencyTable table;
  private @Nullable LoadedModels models;
  private @Nullable BudgetedModels budgeted;

  private LaneSource(ParsedExperiment parsed, @Nullable LatencyTable table) {
    this.parsed = parsed;
    this.experiment = parsed.experiment();
    this.table = table;
  }

  /** Reads and checks the latency table, where the experiment needs one. */
  public static LaneSource of(ParsedExperiment parsed) throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    String path = experiment.lanes().latencyTable();
    boolean scaled = experiment.jobs().classes().stream().anyMatch(c -> c.sloScale() != null);
    if (path == null || !(experiment.lanes().emulated() || scaled)) {
      return new LaneSource(parsed, null);
    }
    Path file = parsed.resolve(path);
    if (!Files.exists(file)) {
      throw new UserMistakeException(
          parsed.location("lanes.latency_table"),
          "lanes.latency_table (" + file + ") does not exist",
          "the path is wrong; it counts from the folder of the experiment file");
    }
    var table = LatencyTable.read(file);
    checkDefault(parsed, table);
    checkScales(parsed, table);
    return new LaneSource(parsed, table);
  }

  private static void checkDefault(ParsedExperiment parsed, LatencyTable table)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    if (parsed.locations().containsKey("lanes.latency_table")) {
      return;
    }
    List<Problem> problems = new ArrayList<>();
    for (ModelKey model : ExecutorSettings.models(experiment)) {
      if (experiment.workload(model.workload()).linear() == null && !table.holds(model)) {
        String entry = "workloads." + model.workload();
        problems.add(
            new Problem(
                parsed.location(parsed.locations().containsKey(entry) ? entry : "lanes.kind"),
                "workloads (%s) has no service time on emulated lanes: their default table has (%s)"
                    .formatted(
                        model,
                        table.models().stream()
                            .map(ModelKey::toString)
                            .collect(Collectors.joining(", "))),
                "lanes.latency_table should name a table, or the entry should be {name: "
                    + model.workload()
                    + ", alpha_ms: 5, beta_ms: 0.5}"));
      }
    }
    UserMistakeException.throwIfAny(problems);
  }

  private static void checkScales(ParsedExperiment parsed, LatencyTable table)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    List<Problem> problems = new ArrayList<>();
    for (var jobClass : experiment.jobs().classes()) {
      if (jobClass.sloScale() == null) {
        continue;
      }
      for (ModelKey model : ExecutorSettings.models(experiment)) {
        if (experiment.workload(model.workload()).linear() == null && !table.holdsAlone(model)) {
          String key = "classes." + jobClass.name() + ".slo_scale";
          problems.add(
              new Problem(
                  parsed.location(key),
                  "%s (%s) needs the time of (%s) with one busy lane, and %s holds no such row"
                      .formatted(key, plain(jobClass.sloScale()), model, table.file()),
                  "add rows for it, or use slo_ms"));
        }
      }
    }
    UserMistakeException.throwIfAny(problems);
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  /** Null: nothing needs it. */
  @Nullable
  public LatencyTable latencyTable() {
    return table;
  }

  /** By the experiment or its latency table; one of them must say it. */
  public double isolatedMs(String workload, String backend, String precision, int samples) {
    LinearServiceTime linear = experiment.workload(workload).linear();
    if (linear != null) {
      return linear.alphaMs() + linear.betaMs() * samples;
    }
    if (table == null) {
      throw new IllegalStateException("no latency table was read, for " + workload);
    }
    return table.meanMs(new ModelKey(workload, backend, precision), samples, 1);
  }

  /**
   * Loads the models, or prepares the emulation.
   *
   * @throws UserMistakeException if a device is missing or cannot do what is asked of it, or if a
   *     model or a row of the latency table cannot be had
   */
  public LaneBackend open(ModelCache cache, double speed, ModelProgress progress)
      throws UserMistakeException {
    if (experiment.lanes().emulated()) {
      return LaneBackend.emulated(emulation(parsed, table, speed));
    }
    boolean prepared = experiment.lanes().memoryMb() != null;
    if (prepared) {
      checkMemory();
    }
    Engines engines = engines(cache);
    if (prepared) {
      Map<ModelKey, ModelKey> models = new LinkedHashMap<>();
      requests().forEach(request -> models.put(request.model(), request.model()));
      return LaneBackend.loading(
          ModelShelf.of(models, engines, devices(engines), cache, progress),
          RealDevice.Holding.AS_PREPARED);
    }
    Map<String, Long> budgets = budgets();
    List<ModelRequest> whole =
        requests().stream()
            .filter(request -> !budgets.containsKey(request.model().workload()))
            .toList();
    LoadedModels loaded = load(whole, cache, progress);
    if (!budgets.isEmpty()) {
      budgeted =
          BudgetedModels.load(parsed.location("workloads"), budgets, engines, cache, progress);
    }
    return LaneBackend.real(loaded, budgeted);
  }

  private Engines engines(ModelCache cache) throws UserMistakeException {
    return Engines.prepare(experiment.lanes().threads(), cache);
  }

  /** Where real lanes have a memory, the parameters of each model are known, and fit. */
  private void checkMemory() throws UserMistakeException {
    for (ModelKey model : ExecutorSettings.models(experiment)) {
      WorkloadChoice workload = experiment.workload(model.workload());
      if (workload.model() != null || workload.memoryBudget() != null) {
        throw new UserMistakeException(
            parsed.location("lanes.memory_mb"),
            "lanes.memory_mb (%s) does not go together with workload (%s), %s"
                .formatted(
                    plain(experiment.lanes().memoryBytes() / 1e6),
                    model.workload(),
                    workload.model() != null
                        ? "whose parameters are not known"
                        : "which has a memory_budget of its own"),
            "real lanes load and release models that come with Sluice");
      }
      long bytes = RealDevice.parameterBytes(Workloads.info(model.workload()), model);
      if (bytes > experiment.lanes().memoryBytes()) {
        throw new UserMistakeException(
            parsed.location("lanes.memory_mb"),
            "lanes.memory_mb (%s) is less than (%s) takes (%s)"
                .formatted(
                    plain(experiment.lanes().memoryBytes() / 1e6), model, plain(bytes / 1e6)),
            "no lane could ever run it: lanes.memory_mb should be at least that");
      }
    }
  }

  /**
   * Returns an emulation, unless a workload is neither linear nor in the latency table, or may run
   * with samples that a published table has no times near.
   */
  public static Emulation emulation(
      ParsedExperiment parsed, @Nullable LatencyTable table, double speed)
      throws UserMistakeException {
    if (table != null) {
      checkSamples(parsed, table);
    }
    return Emulation.of(parsed.experiment(), table, speed, LaneSource::flopsPerSample);
  }

  /** Checks that no batch can have fewer or more samples than a published table has times for. */
  private static void checkSamples(ParsedExperiment parsed, LatencyTable table)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    List<Problem> problems = new ArrayList<>();
    for (ModelKey model : publishedModels(experiment, table)) {
      NavigableSet<Integer> measured = table.samples(model);
      NavigableSet<Integer> asked = ExecutorSettings.reachableSamples(experiment, model.workload());
      if (asked.first() < measured.first() || asked.last() > measured.last()) {
        boolean byJobs =
            asked.first() < measured.first()
                || experiment.jobs().batchSizes().stream().anyMatch(s -> s > measured.last());
        String key = byJobs ? "batch_sizes" : "microbatch.max_batch";
        String limited = "microbatch.models." + model.workload() + ".max_batch";
        problems.add(
            new Problem(
                parsed.location(parsed.locations().containsKey(limited) && !byJobs ? limited : key),
                "a batch of (%s) may have %d to %d samples, and %s has measured times of %d to %d"
                    .formatted(
                        model,
                        asked.first(),
                        asked.last(),
                        table.file(),
                        measured.first(),
                        measured.last()),
                byJobs
                    ? "batch_sizes should stay within them"
                    : "you meant microbatch: {models: {%s: {max_batch: %d}}}"
                        .formatted(model.workload(), measured.last())));
      }
    }
    UserMistakeException.throwIfAny(problems);
  }

  /**
   * Returns lines that name the measured samples counts of models that may run with others. Between
   * two of them a time is interpolated; beyond them the experiment is refused.
   */
  public static List<String> notesOnSamples(Experiment experiment, LatencyTable table) {
    Set<String> notes = new LinkedHashSet<>();
    for (ModelKey model : publishedModels(experiment, table)) {
      NavigableSet<Integer> measured = table.samples(model);
      if (!measured.containsAll(ExecutorSettings.reachableSamples(experiment, model.workload()))) {
        notes.add(
            "%s was measured with %s samples; times between them are interpolated"
                .formatted(
                    model.workload(),
                    measured.stream().map(String::valueOf).collect(Collectors.joining(", "))));
      }
    }
    if (table.isPublished() && experiment.load().arrivals() instanceof Replay) {
      notes.add("replayed requests of more samples than were measured take times in proportion");
    }
    return List.copyOf(notes);
  }

  private static List<ModelKey> publishedModels(Experiment experiment, LatencyTable table) {
    return ExecutorSettings.models(experiment).stream()
        .filter(model -> table.isPublished() && table.holds(model))
        .filter(model -> experiment.workload(model.workload()).linear() == null)
        .toList();
  }

  public LoadedModels load(ModelKey model, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    List<ModelRequest> requests =
        requests().stream().filter(request -> request.model().equals(model)).toList();
    return load(requests, cache, progress);
  }

  private LoadedModels load(List<ModelRequest> requests, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    Engines engines = engines(cache);
    LoadedModels loaded = LoadedModels.load(requests, engines, devices(engines), cache, progress);
    models = loaded;
    return loaded;
  }

  public void startEngine(String backend, ModelCache cache) throws UserMistakeException {
    engines(cache).start(backend);
  }

  /** Returns the devices of real lanes, which can do what jobs ask for. */
  public Devices devices(Engines engines) throws UserMistakeException {
    Devices devices =
        Devices.choose(
            parsed.location("lanes.device"),
            budgets().isEmpty() ? experiment.lanes().device() : "cpu",
            experiment.jobs().backendsEnabled(),
            experiment.lanes().count(),
            engines::cudaDevices);
    devices.checkPrecisions(
        parsed.location("precision_modes"),
        experiment.jobs().precisionModes(),
        experiment.jobs().allowSlowPrecision());
    return devices;
  }

  public Optional<Devices> devices() {
    return Optional.ofNullable(models).map(LoadedModels::devices);
  }

  /** 0: unknown, of a workload that only the experiment defines. */
  public static long flopsPerSample(String workload) {
    return Workloads.names().contains(workload) ? Workloads.info(workload).flopsPerSample() : 0;
  }

  /** Bytes of parameters that a lane may hold, by the workloads whose layers come and go. */
  private Map<String, Long> budgets() {
    Map<String, Long> budgets = new LinkedHashMap<>();
    for (WorkloadChoice workload : experiment.jobs().workloads()) {
      if (workload.memoryBudget() != null) {
        budgets.put(workload.name(), workload.memoryBudget().bytes());
      }
    }
    return budgets;
  }

  private List<ModelRequest> requests() {
    List<ModelRequest> requests = new ArrayList<>();
    for (WorkloadChoice workload : experiment.jobs().workloads()) {
      for (String precision : experiment.jobs().precisionModes()) {
        for (String backend : experiment.backendsOf(workload)) {
          requests.add(
              new ModelRequest(
                  new ModelKey(workload.name(), backend, precision), userFile(workload)));
        }
      }
    }
    return requests;
  }

  private ModelRequest.@Nullable UserFile userFile(WorkloadChoice workload) {
    ModelFile file = workload.model();
    return file == null
        ? null
        : new ModelRequest.UserFile(
            parsed.location("workloads." + workload.name()),
            parsed.resolve(file.path()),
            file.inputs(),
            workload.tokens());
  }

  public int modelCount() {
    return requests().size();
  }

  public Map<String, WorkloadInfo> workloadInfos() {
    Map<String, WorkloadInfo> infos = new LinkedHashMap<>();
    for (ModelRequest request : requests()) {
      String workload = request.model().workload();
      if (Workloads.names().contains(workload)) {
        infos.put(workload, Workloads.info(workload));
      } else if (models != null) {
        infos.put(workload, models.info(request.model()));
      }
    }
    return infos;
  }

  public static Map<String, WorkloadInfo> knownWorkloads(Experiment experiment) {
    Map<String, WorkloadInfo> infos = new LinkedHashMap<>();
    for (WorkloadChoice workload : experiment.jobs().workloads()) {
      if (Workloads.names().contains(workload.name())) {
        infos.put(workload.name(), Workloads.info(workload.name()));
      }
    }
    return infos;
  }

  /** Returns the notes that every output carries. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    devices()
        .filter(devices -> !devices.kind().equals("cpu"))
        .ifPresent(devices -> notes.add("lanes: " + devices));
    if (!experiment.lanes().emulated()) {
      notes.addAll(notesOnBudgets());
      if (table != null) {
        notes.add("slo_scale counts in " + describe(table));
      }
      return notes;
    }
    if (table != null) {
      notes.add(describe(table));
      notes.addAll(notesOnSamples(experiment, table));
    }
    if (table == null || !table.hasContention()) {
      notes.add("emulated lanes have no contention");
    }
    return notes;
  }

  private List<String> notesOnBudgets() {
    List<String> notes = new ArrayList<>();
    Map<String, Long> budgets = budgets();
    budgets.forEach(
        (name, bytes) ->
            notes.add(
                "%s: layers come and go by schedule auto, %s at a time"
                    .formatted(name, ByteSize.text(bytes))));
    if (!budgets.isEmpty() && experiment.lanes().device().equals("auto")) {
      notes.add(
          "all lanes compute on the processor: each may get %s, and memory_budget works there alone"
              .formatted(String.join(" or ", budgets.keySet())));
    }
    return notes;
  }

  /**
   * Returns the table's name, the first sentence on its origin, and what a published table tells of
   * its numbers, and warnings; the file holds all lines.
   */
  public static String describe(LatencyTable table) {
    Predicate<String> told =
        line ->
            line.startsWith(LatencyTable.WARNING)
                || line.startsWith(LatencyTable.ASSUMED)
                || LatencyTable.PROVENANCE.stream().anyMatch(line::startsWith);
    String text = String.join(" ", table.source().stream().filter(told.negate()).toList());
    int end = text.indexOf(". ");
    var words = new StringBuilder("latency table " + table.file().getFileName() + ": ");
    words.append(end < 0 ? text : text.substring(0, end + 1));
    table.source().stream().filter(told).forEach(line -> words.append(' ').append(line));
    return words.toString();
  }

  @Override
  public void close() {
    if (budgeted != null) {
      budgeted.close();
    }
    if (models != null) {
      models.close();
    }
  }
}
