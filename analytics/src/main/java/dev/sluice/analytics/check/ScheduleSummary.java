package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.sluice.analytics.check.Schedule.Execution;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** Recounts the figures that the summary of an execution log states. */
final class ScheduleSummary {
  private static final double P99 = 0.99;

  /** Fields that list every request once, so that none vanishes. */
  private static final List<String> OUTCOMES =
      List.of("completed_requests", "failed_requests", "dropped_requests", "refused_requests");

  /** Settings, which other rules read. */
  private static final Set<String> SETTINGS =
      Set.of("gpus", "bandwidth_gb_per_s", "switch_overhead_s");

  private final Schedule schedule;
  private final JsonNode summary;
  private final List<Execution> executions;
  private final Findings findings;
  private final Set<String> counted = new HashSet<>();

  /** True if Sluice wrote the log: then no figure may be missing. */
  private final boolean complete;

  ScheduleSummary(Schedule schedule, Findings findings) {
    this.schedule = schedule;
    this.summary = schedule.summary();
    this.executions = schedule.executions();
    this.findings = findings;
    this.complete = summary.has("policy");
  }

  void check() {
    WorkflowFiles files = schedule.files();
    if (!summary.isObject()) {
      findings.leaveOut(Rule.SUMMARY, "the log has none");
      return;
    }
    if (summary.has("refused_requests")) {
      equal(
          "total_requests",
          OUTCOMES.stream().mapToInt(outcome -> summary.path(outcome).asInt()).sum());
    }
    if (summary.has("unfinished")) {
      equal(
          "summary.failed_requests + dropped_requests beside unfinished",
          IntNode.valueOf(
              summary.path("failed_requests").asInt() + summary.path("dropped_requests").asInt()),
          schedule.unfinished().size());
      if (schedule.unfinished().isEmpty()) { // else no row tells which of them failed
        equal("failed_requests", 0);
        equal("dropped_requests", 0);
      }
    }
    if (summary.has("refused")) {
      equal("refused_requests", summary.path("refused").size());
    }
    if (files != null) {
      equal("total_requests", files.requests().size() + files.skipped().size());
      equal("completed_requests", (int) files.requests().stream().filter(this::isComplete).count());
      equal("refused_requests", files.skipped().size());
      if (files.workflows().values().stream().anyMatch(w -> w.sloMs() != null)) {
        equal("slo_violations", (int) files.requests().stream().filter(this::isLate).count());
      }
    }
    equal("total_nodes_executed", executions.size());
    equal("makespan", end(executions));
    double[] switches = values(Execution::switchTime);
    equal("total_model_switches", (int) Arrays.stream(switches).filter(s -> s > 0).count());
    equal("total_switch_time", Arrays.stream(switches).sum());
    firstLoads();
    distribution("waiting_time", values(Execution::waitingTime));
    distribution("response_time", values(row -> row.end() - row.takenFrom() + row.waitingTime()));
    if (files != null || !summary.path("mode").asText().equals("online")) {
      distribution("request_response_time", requestResponses());
    }
    checkGpus();
    nameTheRest("", summary);
  }

  /** Switches of executions none of whose GPUs held another model. */
  private void firstLoads() {
    if (summary.path("attempts_not_done").asInt() > 0) {
      return; // they may have left models, of which no row tells
    }
    Map<Integer, String> held = new HashMap<>();
    int loads = 0;
    double seconds = 0;
    for (Execution row : Schedule.sortedByTime(executions)) {
      boolean replaces = false;
      for (int gpu : row.gpus()) {
        String before = held.put(gpu, row.modelName());
        replaces |= before != null && !before.equals(row.modelName());
      }
      if (row.switchTime() > 0 && !replaces) {
        loads++;
        seconds += row.switchTime();
      }
    }
    equal("total_first_loads", loads);
    equal("total_first_load_time", seconds);
  }

  /** Names each number that was not counted again, and is no setting. */
  private void nameTheRest(String path, JsonNode node) {
    if (node.isNumber() && !counted.contains(path)) {
      findings.rests(path);
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!SETTINGS.contains(field.getKey()) && !field.getKey().equals("gpu_id")) {
        nameTheRest(path + (path.isEmpty() ? "" : ".") + field.getKey(), field.getValue());
      }
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      nameTheRest(path + "." + node.get(i).path("gpu_id").asInt(i), node.get(i));
    }
  }

  /** Busy time counts from the beginning of the switch until the end, on each GPU of a gang. */
  private void checkGpus() {
    double makespan = summary.path("makespan").asDouble();
    Map<Integer, List<Execution>> byGpu = schedule.byGpu();
    Set<Integer> listed = new TreeSet<>();
    for (JsonNode gpu : summary.path("gpu_utilization")) {
      int id = gpu.path("gpu_id").asInt(-1);
      String where = "gpu_utilization." + id + ".";
      List<Execution> own = byGpu.getOrDefault(id, List.of());
      double busy = busy(own);
      if (!listed.add(id)) {
        findings.fault(Rule.SUMMARY, "summary.gpu_utilization", "GPU (%d) is twice".formatted(id));
      }
      equalOf(gpu, where, "executions", own.size());
      equalOf(gpu, where, "busy_time", busy);
      equalOf(gpu, where, "utilization", makespan > 0 ? busy / makespan : 0);
    }
    Set<Integer> named = new TreeSet<>(schedule.gpus());
    if (summary.has("gpu_utilization") && !named.isEmpty() && !listed.equals(named)) {
      findings.fault(
          Rule.SUMMARY,
          "summary.gpu_utilization",
          "it lists the GPUs %s, and gpus are %s".formatted(listed, named));
    }
  }

  /** Nodes of one batch count once: from its first switch until its end. */
  private static double busy(List<Execution> rows) {
    Map<Double, Double> takenFromByBatch = new HashMap<>();
    double busy = 0;
    for (Execution row : rows) {
      double takenFrom = row.takenFrom();
      if (!Double.isNaN(row.batchId())) {
        Double before = takenFromByBatch.get(row.batchId());
        takenFromByBatch.merge(row.batchId(), takenFrom, Math::min);
        if (before != null) {
          busy += Math.max(0, before - takenFrom);
          continue;
        }
      }
      busy += row.end() - takenFrom;
    }
    return busy;
  }

  private boolean isComplete(WorkflowRequest request) {
    return rows(request).size() == request.workflow().nodes().size();
  }

  /** True if a promise to the request was broken. */
  private boolean isLate(WorkflowRequest request) {
    Double sloMs = request.workflow().sloMs();
    if (sloMs == null) {
      return false;
    }
    double arrived = schedule.arrivals().getOrDefault(request.id(), 0.0);
    return !isComplete(request) || Schedule.before(arrived + sloMs / 1000, end(rows(request)));
  }

  private List<Execution> rows(WorkflowRequest request) {
    return schedule.byRequest().getOrDefault(request.id(), List.of());
  }

  /** End of the last row; 0 without a row. */
  private static double end(List<Execution> rows) {
    return rows.stream().mapToDouble(Execution::end).max().orElse(0);
  }

  private double[] requestResponses() {
    return schedule.byRequest().entrySet().stream()
        .filter(request -> !schedule.unfinished().contains(request.getKey()))
        .mapToDouble(
            request ->
                end(request.getValue()) - schedule.arrivals().getOrDefault(request.getKey(), 0.0))
        .toArray();
  }

  private double[] values(ToDoubleFunction<Execution> value) {
    return executions.stream().mapToDouble(value).filter(v -> !Double.isNaN(v)).toArray();
  }

  private void distribution(String name, double[] values) {
    if (values.length > 0) {
      equal("avg_" + name, Arrays.stream(values).average().orElse(0));
      equal("p99_" + name, percentile(values));
    }
  }

  /** Quantile as numpy's default: between the two nearest ranks, in proportion. */
  private static double percentile(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double place = P99 * (sorted.length - 1);
    int below = (int) Math.floor(place);
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  private void equal(String figure, double count) {
    equalOf(summary, "", figure, count);
  }

  private void equalOf(JsonNode of, String path, String figure, double count) {
    counted.add(path + figure);
    JsonNode stated = of.path(figure);
    String where = "summary." + path + figure;
    if (!stated.isMissingNode()) {
      equal(where, stated, count);
    } else if (complete) {
      findings.fault(Rule.SUMMARY, where, "it is missing, and its rows come to (%s)", count);
    }
  }

  private void equal(String where, JsonNode stated, double count) {
    findings.looked(Rule.SUMMARY, 1);
    findings.number();
    if (!stated.isNumber() || !same(count, stated.asDouble())) {
      findings.fault(Rule.SUMMARY, where, "it says (%s), and its rows come to (%s)", stated, count);
    }
  }

  /** Allows for the order of a sum over many rows. */
  private static boolean same(double counted, double stated) {
    return Schedule.same(counted, stated) || Math.abs(counted - stated) <= 1e-9 * Math.abs(counted);
  }
}
