package dev.sluice.analytics.check.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.sluice.analytics.check.Findings;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.workflow.ScheduleLog.Execution;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Recounts the figures that the summary of an execution log states. */
final class ScheduleSummary {
  private static final double P99 = 0.99;

  /** Fields that list every request once, so that none vanishes. */
  private static final List<String> OUTCOMES =
      List.of("completed_requests", "failed_requests", "dropped_requests", "refused_requests");

  private final JsonNode summary;
  private final List<Execution> executions;
  private final Map<String, List<Execution>> byRequest;
  private final Set<String> unfinished;
  private final Map<String, Double> arrivals;
  private final @Nullable WorkflowFiles files;
  private final Findings findings = new Findings();

  ScheduleSummary(Schedule schedule) {
    this.summary = schedule.summary();
    this.executions = schedule.executions();
    this.byRequest = schedule.byRequest();
    this.unfinished = schedule.unfinished();
    this.arrivals = schedule.arrivals();
    this.files = schedule.files();
  }

  Findings check() {
    if (!summary.isObject()) {
      findings.leaveOut(Rule.SUMMARY, "the log has none");
      return findings;
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
          unfinished.size());
    }
    if (files != null) {
      equal("total_requests", files.requests().size() + files.skipped().size());
      equal("completed_requests", (int) files.requests().stream().filter(this::isComplete).count());
      equal("slo_violations", (int) files.requests().stream().filter(this::isLate).count());
    }
    equal("total_nodes_executed", executions.size());
    equal("makespan", executions.stream().mapToDouble(Execution::end).max().orElse(0));
    double[] switches = values(Execution::switchTime);
    equal("total_model_switches", (int) Arrays.stream(switches).filter(s -> s > 0).count());
    equal("total_switch_time", Arrays.stream(switches).sum());
    distribution("waiting_time", values(Execution::waitingTime));
    distribution("response_time", values(row -> row.end() - row.takenFrom() + row.waitingTime()));
    if (files != null || !isOnline()) {
      distribution("request_response_time", requestResponses());
    }
    checkGpus();
    return findings;
  }

  /** Busy time counts from the beginning of the switch until the end, on each GPU of a gang. */
  private void checkGpus() {
    double makespan = summary.path("makespan").asDouble();
    Map<Integer, List<Execution>> byGpu = new HashMap<>();
    for (Execution row : summary.has("gpu_utilization") ? executions : List.<Execution>of()) {
      for (int gpu : row.gpus()) {
        byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(row);
      }
    }
    for (JsonNode gpu : summary.path("gpu_utilization")) {
      int id = gpu.path("gpu_id").asInt(-1);
      String where = "summary.gpu_utilization of GPU " + id + " ";
      List<Execution> own = byGpu.getOrDefault(id, List.of());
      double busy = busy(own);
      equal(where + "executions", gpu.path("executions"), own.size());
      equal(where + "busy_time", gpu.path("busy_time"), busy);
      equal(where + "utilization", gpu.path("utilization"), makespan > 0 ? busy / makespan : 0);
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

  private boolean isOnline() {
    return summary.path("mode").asText().equals("online");
  }

  private boolean isComplete(WorkflowRequest request) {
    List<Execution> rows = byRequest.get(request.id());
    int ran = rows == null ? 0 : rows.size();
    return ran == request.workflow().nodes().size();
  }

  /** True if a promise to the request was broken. */
  private boolean isLate(WorkflowRequest request) {
    Double sloMs = request.workflow().sloMs();
    if (sloMs == null) {
      return false;
    }
    double ended =
        byRequest.getOrDefault(request.id(), List.of()).stream()
            .mapToDouble(Execution::end)
            .max()
            .orElse(0);
    double arrived = arrivals.getOrDefault(request.id(), 0.0);
    return !isComplete(request) || Seconds.before(arrived + sloMs / 1000, ended);
  }

  private double[] requestResponses() {
    return byRequest.entrySet().stream()
        .filter(request -> !unfinished.contains(request.getKey()))
        .mapToDouble(
            request ->
                request.getValue().stream().mapToDouble(Execution::end).max().orElse(0)
                    - arrivals.getOrDefault(request.getKey(), 0.0))
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

  private void equal(String figure, double counted) {
    equal("summary." + figure, summary.path(figure), counted);
  }

  private void equal(String where, JsonNode stated, double counted) {
    if (stated.isMissingNode()) {
      return;
    }
    findings.looked(Rule.SUMMARY, 1);
    findings.number();
    if (!stated.isNumber() || !same(counted, stated.asDouble())) {
      findings.fault(
          Rule.SUMMARY,
          where,
          "it says (%s), and its rows come to (%s)".formatted(stated, counted));
    }
  }

  /** Allows for the order of a sum over many rows. */
  private static boolean same(double counted, double stated) {
    return Seconds.same(counted, stated) || Math.abs(counted - stated) <= 1e-9 * Math.abs(counted);
  }
}
