package dev.sluice.harness.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSimulation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The request list of workflow files.
 *
 * @param online true if requests come at their timestamps, the earliest at 0; false if all come at
 *     0
 * @param models models that a workflow uses, in the order of the file
 * @param requests requests in the order of the file; their indexes rise with their arrivals
 * @param warnings warnings for the user, each a sentence
 */
record Workflows(
    WorkflowFiles files,
    Gpus gpus,
    boolean online,
    List<GpuModel> models,
    List<WorkflowRequested> requests,
    List<String> warnings) {
  private static final double ASSUMED_SECONDS = 10;
  private static final double NS_PER_SECOND = 1e9;
  private static final double YEARS_MAX = 100;

  /** Longest schedule; deadlines and predicted ends of 10⁹ s behind it still fit the clock. */
  private static final double SCHEDULE_NS_MAX = YEARS_MAX * 365.25 * 86_400 * NS_PER_SECOND;

  /**
   * Returns the requests that the files describe.
   *
   * @param backendOf backend on which nodes run a model
   * @throws UserMistakeException if the times are too long for any clock
   */
  static Workflows of(
      WorkflowFiles files, Gpus gpus, boolean online, Function<Model, String> backendOf)
      throws UserMistakeException {
    Map<String, List<WorkflowRequested.Node>> nodes = new HashMap<>();
    files
        .workflows()
        .forEach((id, workflow) -> nodes.put(id, nodes(workflow, files.models(), backendOf)));
    long zeroEpochNs =
        files.requests().stream().mapToLong(WorkflowRequest::timestampEpochNs).min().orElse(0);
    Map<String, Integer> assumed = new LinkedHashMap<>();
    Map<String, LongSummaryStatistics> seen = new HashMap<>();
    long[] indexes = indexes(files.requests(), online);
    List<WorkflowRequested> requests = new ArrayList<>(files.requests().size());
    double memoryGbMax =
        files.models().values().stream().mapToDouble(Model::memoryGb).max().orElse(0);
    double latestNs = 0;
    double workNs = 0;
    for (WorkflowRequest request : files.requests()) {
      Workflow workflow = request.workflow();
      List<WorkflowRequested.Node> untimed = Objects.requireNonNull(nodes.get(workflow.id()));
      long[] executionNs = executionNs(request, files.models(), assumed);
      double afterNs = online ? (double) request.timestampEpochNs() - zeroEpochNs : 0;
      latestNs = Math.max(latestNs, afterNs);
      workNs += longestNs(workflow.nodes(), files.models(), executionNs, gpus, memoryGbMax);
      if (latestNs + workNs > SCHEDULE_NS_MAX) {
        throw tooLong(files, request, latestNs);
      }
      Double sloMs = workflow.sloMs();
      requests.add(
          new WorkflowRequested(
              request.id(),
              0,
              indexes[requests.size()],
              workflow.id(),
              WorkflowCore.classOf(workflow.interactive(), workflow.joined()),
              sloMs == null ? null : toNs(sloMs / 1000),
              online ? request.timestampEpochNs() - zeroEpochNs : 0,
              0,
              WorkflowRequested.expecting(untimed, executionNs)));
      for (int node = 0; node < executionNs.length; node++) {
        String model = untimed.get(node).workload();
        seen.computeIfAbsent(model, m -> new LongSummaryStatistics()).accept(executionNs[node]);
      }
    }
    List<GpuModel> models =
        files.models().values().stream().map(m -> toModel(m, seen.get(m.id()))).toList();
    List<String> warnings =
        assumed.entrySet().stream()
            .map(
                of ->
                    "model %s says nothing of how long it takes: %d executions are assumed to take 10 s"
                        .formatted(of.getKey(), of.getValue()))
            .toList();
    return new Workflows(files, gpus, online, models, requests, warnings);
  }

  List<String> modelIds() {
    return models.stream().map(GpuModel::id).toList();
  }

  /** Returns the rank of each request by its arrival, then by its place in the list. */
  private static long[] indexes(List<WorkflowRequest> requests, boolean online) {
    long[] indexes = new long[requests.size()];
    int[] byArrival =
        IntStream.range(0, indexes.length)
            .boxed()
            .sorted(Comparator.comparingLong(i -> online ? requests.get(i).timestampEpochNs() : 0))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int rank = 0; rank < indexes.length; rank++) {
      indexes[byArrival[rank]] = rank;
    }
    return indexes;
  }

  private static UserMistakeException tooLong(
      WorkflowFiles files, WorkflowRequest request, double latestNs) {
    return new UserMistakeException(
        new Place(files.requestsFile().toString(), request.line()),
        latestNs > SCHEDULE_NS_MAX
            ? "request %s comes more than (%.0f) years after the first"
                .formatted(request.id(), YEARS_MAX)
            : "the requests up to %s may last longer than (%.0f) years"
                .formatted(request.id(), YEARS_MAX),
        latestNs > SCHEDULE_NS_MAX
            ? "the year of a timestamp is wrong"
            : "their times are in another unit than seconds");
  }

  /** Makes a model, whose typical time comes from requests if the file does not state one. */
  private static GpuModel toModel(Model model, @Nullable LongSummaryStatistics ofRequests) {
    long statedNs = toNs(typicalSeconds(model)); // 0: the file states none
    return new GpuModel(
        model.id(),
        model.memoryGb(),
        model.gpusRequired(),
        toNs(model.loadTimeSeconds()),
        statedNs > 0 || ofRequests == null ? statedNs : Math.round(ofRequests.getAverage()));
  }

  private static long toNs(double seconds) {
    return Math.round(seconds * NS_PER_SECOND);
  }

  /** Typical duration that the file states for the model; NaN: it states none. */
  private static double typicalSeconds(Model model) {
    Double mean = model.inferenceTimeMean();
    Double tokens = model.tokenMean();
    Double perSecond = model.tokensPerSecond();
    if (mean != null) {
      return mean;
    }
    return tokens == null || perSecond == null ? Double.NaN : tokens / perSecond;
  }

  /** Returns the nodes of a workflow, which are expected to take no time. */
  private static List<WorkflowRequested.Node> nodes(
      Workflow workflow, Map<String, Model> models, Function<Model, String> backendOf) {
    List<List<Integer>> inputs = workflow.inputs();
    List<WorkflowRequested.Node> nodes = new ArrayList<>();
    for (Workflow.Node node : workflow.nodes()) {
      Model model = Objects.requireNonNull(models.get(node.model()));
      nodes.add(
          new WorkflowRequested.Node(
              node.id(),
              model.id(),
              backendOf.apply(model),
              GraphSimulation.PRECISION,
              1,
              model.gpusRequired(),
              0,
              inputs.get(nodes.size())));
    }
    return nodes;
  }

  /**
   * Returns the duration of each node: as the request states it, else as the model does, else an
   * assumed one.
   *
   * @param assumed counts of assumed durations, by model
   */
  private static long[] executionNs(
      WorkflowRequest request, Map<String, Model> models, Map<String, Integer> assumed) {
    List<Workflow.Node> nodes = request.workflow().nodes();
    long[] executionNs = new long[nodes.size()];
    for (int node = 0; node < executionNs.length; node++) {
      Model model = Objects.requireNonNull(models.get(nodes.get(node).model()));
      double seconds = request.executionSeconds(node);
      if (Double.isNaN(seconds)) {
        seconds = typicalSeconds(model);
      }
      if (Double.isNaN(seconds)) {
        seconds = ASSUMED_SECONDS;
        assumed.merge(model.id(), 1, Integer::sum);
      }
      executionNs[node] = toNs(seconds);
    }
    return executionNs;
  }

  /** Returns the longest time that nodes can take one after the other. */
  private static double longestNs(
      List<Workflow.Node> nodes,
      Map<String, Model> models,
      long[] executionNs,
      Gpus gpus,
      double memoryGbMax) {
    double sumNs = 0;
    for (int node = 0; node < executionNs.length; node++) {
      Model model = Objects.requireNonNull(models.get(nodes.get(node).model()));
      sumNs += (double) executionNs[node] + toNs(model.loadTimeSeconds()) + gpus.overheadNs();
      sumNs += (memoryGbMax + model.memoryGb()) / gpus.bandwidthGbPerSecond() * NS_PER_SECOND;
    }
    return sumNs;
  }
}
