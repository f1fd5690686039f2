package dev.sluice.cli;

import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.executor.LaneBackend;
import dev.sluice.executor.LatencyTable;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.model.ModelRequest;
import dev.sluice.executor.model.WorkloadInfo;
import dev.sluice.executor.model.Workloads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the lanes of an experiment will run on: loaded models, or an emulation. */
final class LaneSource implements AutoCloseable {
  private final ParsedExperiment parsed;
  private final @Nullable LatencyTable table;
  private @Nullable LoadedModels models;

  private LaneSource(ParsedExperiment parsed, @Nullable LatencyTable table) {
    this.parsed = parsed;
    this.table = table;
  }

  /**
   * Reads what has to be read before anything starts.
   *
   * @throws UserMistakeException if the latency table is missing or wrong
   */
  static LaneSource of(ParsedExperiment parsed) throws UserMistakeException {
    String path = parsed.experiment().lanes().latencyTable();
    boolean emulated = parsed.experiment().lanes().emulated();
    if (!emulated || path == null) {
      return new LaneSource(parsed, null);
    }
    Path file = parsed.resolve(path);
    if (!Files.exists(file)) {
      throw new UserMistakeException(
          parsed.location("lanes.latency_table"),
          "lanes.latency_table (" + file + ") does not exist",
          "the path is wrong; it counts from the folder of the experiment file");
    }
    return new LaneSource(parsed, LatencyTable.read(file));
  }

  /** Loads the models, or prepares the emulation. */
  LaneBackend open(Path cacheFolder, ModelProgress progress) throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    if (experiment.lanes().emulated()) {
      return LaneBackend.emulated(experiment, table, LaneSource::flopsPerSample);
    }
    LoadedModels loaded =
        LoadedModels.load(
            requests(experiment),
            experiment.lanes().threads(),
            new ModelCache(cacheFolder),
            progress);
    models = loaded;
    return LaneBackend.real(loaded);
  }

  /** 0, which means unknown, for a workload that only the experiment knows. */
  private static long flopsPerSample(String workload) {
    return Workloads.names().contains(workload) ? Workloads.info(workload).flopsPerSample() : 0;
  }

  private List<ModelRequest> requests(Experiment experiment) {
    List<ModelRequest> requests = new ArrayList<>();
    for (WorkloadChoice workload : experiment.workloads()) {
      for (String precision : experiment.precisionModes()) {
        for (String backend : experiment.backendsOf(workload)) {
          requests.add(new ModelRequest(workload.name(), backend, precision, userFile(workload)));
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
            file.inputShape(),
            workload.tokens());
  }

  /** How many model files are loaded. */
  int modelCount() {
    return requests(parsed.experiment()).size();
  }

  /** Each workload's size, by name, as far as it is known. */
  Map<String, WorkloadInfo> workloadInfos() {
    Map<String, WorkloadInfo> infos = new LinkedHashMap<>();
    for (ModelRequest request : requests(parsed.experiment())) {
      if (models != null) {
        infos.put(request.workload(), models.info(request.workload(), request.backend()));
      } else if (Workloads.names().contains(request.workload())) {
        infos.put(request.workload(), Workloads.info(request.workload()));
      }
    }
    return infos;
  }

  /** What every output says of an emulation; empty for real lanes. */
  List<String> notes() {
    if (!parsed.experiment().lanes().emulated()) {
      return List.of();
    }
    List<String> notes = new ArrayList<>();
    if (table != null) {
      notes.add("latency table " + table.file().getFileName() + ": " + firstSentence(table));
    }
    if (table == null || !table.hasContention()) {
      notes.add("emulated lanes have no contention");
    }
    return notes;
  }

  /** The table's first word on where it comes from; all of it stands in the file. */
  private static String firstSentence(LatencyTable table) {
    String text = String.join(" ", table.source());
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end + 1);
  }

  @Override
  public void close() {
    if (models != null) {
      models.close();
    }
  }
}
