package dev.sluice.harness.workflow;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.GraphSchedule;
import dev.sluice.scheduling.simulation.GraphSchedule.Durations;
import dev.sluice.scheduling.simulation.GraphSchedule.LowerBound;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of workflows as the seed's JSON; all times are seconds.
 *
 * @param bound lower bound; null: none
 * @param executed true if the nodes really ran, so that switches and times are measured
 */
public record ExecutionLog(
    GraphSchedule schedule, Workflows workflows, @Nullable LowerBound bound, boolean executed) {
  public static final String NAME = "baseline_execution_log.json";
  private static final int DECIMALS = 9;
  private static final ObjectWriter JSON =
      new ObjectMapper()
          .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
          .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
          .writer(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));

  /**
   * Writes the file.
   *
   * @param withExecutions true if the file lists the executions; false: it has only the summary
   */
  void write(Path folder, boolean withExecutions) throws IOException {
    Map<String, Object> log = new LinkedHashMap<>();
    log.put("summary", summaryTree());
    if (withExecutions) {
      log.put("executions", schedule.executions().stream().map(this::tree).toList());
    }
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(folder.resolve(NAME)))) {
      JSON.writeValue(out, log);
    }
  }

  String summary() throws IOException {
    return JSON.writeValueAsString(summaryTree()) + "\n";
  }

  private Map<String, Object> summaryTree() {
    Map<String, Object> summary = new LinkedHashMap<>();
    Gpus gpus = workflows.gpus();
    List<Skipped> skipped = workflows.files().skipped();
    long failed = schedule.failed();
    summary.put("total_requests", schedule.requests() + skipped.size());
    summary.put("completed_requests", schedule.completed());
    summary.put("failed_requests", failed);
    summary.put("dropped_requests", schedule.unfinished().size() - failed);
    summary.put("refused_requests", skipped.size());
    summary.put("total_nodes_executed", schedule.executions().size());
    summary.put("mode", workflows.online() ? "online" : "offline");
    summary.put("simulate", executed);
    summary.put("policy", schedule.policy());
    summary.put("gpus", IntStream.range(0, gpus.count()).toArray());
    if (!executed) {
      summary.put("gang_switch", gpus.gangSwitch().name().toLowerCase(Locale.ROOT));
      summary.put("bandwidth_gb_per_s", gpus.bandwidthGbPerSecond());
      summary.put("switch_overhead_s", seconds(gpus.overheadNs()));
    }
    long makespanNs = schedule.makespanNs();
    summary.put("makespan", seconds(makespanNs));
    if (bound != null) {
      summary.put("lower_bound_makespan", seconds(bound.makespanNs()));
      summary.put("lower_bound_avg_request_response_time", seconds(bound.meanCompletionNs()));
    }
    List<NodeExecution> switches = schedule.switches();
    summary.put("total_model_switches", switches.size());
    summary.put("total_switch_time", seconds(GraphSchedule.switchNs(switches)));
    List<NodeExecution> loads = schedule.firstLoads();
    summary.put("total_first_loads", loads.size());
    summary.put("total_first_load_time", seconds(GraphSchedule.switchNs(loads)));
    put(summary, "waiting_time", schedule.waitingNs());
    put(summary, "response_time", schedule.responseNs());
    put(summary, "request_response_time", schedule.completionNs());
    if (schedule.hasPromises()) {
      summary.put("slo_violations", schedule.sloViolations());
    }
    if (executed) {
      summary.put("attempts_not_done", schedule.attemptsNotDone().count());
      summary.put("attempts_not_done_time", seconds(schedule.attemptsNotDone().heldNs()));
    }
    long[] executions = schedule.executionsByGpu();
    long[] busyNs = schedule.busyNsByGpu();
    List<GpuUse> uses = new ArrayList<>();
    for (int gpu = 0; gpu < busyNs.length; gpu++) {
      uses.add(
          new GpuUse(
              gpu,
              executions[gpu],
              seconds(busyNs[gpu]),
              makespanNs == 0 ? 0.0 : (double) busyNs[gpu] / makespanNs));
    }
    summary.put("gpu_utilization", uses);
    summary.put("refused", skipped);
    summary.put(
        "unfinished",
        schedule.unfinished().stream()
            .map(
                of -> new Skipped(of.request().requestId(), of.request().workflowId(), of.reason()))
            .toList());
    return summary;
  }

  private static void put(Map<String, Object> summary, String name, Durations sample) {
    summary.put("avg_" + name, seconds(sample.meanNs()));
    summary.put("p99_" + name, seconds(sample.percentileNs(99)));
  }

  private Map<String, Object> tree(NodeExecution execution) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("request_id", schedule.request(execution).requestId());
    tree.put("workflow_id", schedule.request(execution).workflowId());
    tree.put("node_id", schedule.node(execution).nodeId());
    tree.put("model_name", schedule.node(execution).workload());
    tree.put("gpu_id", execution.gpu());
    tree.put("gpu_ids", GraphSchedule.gpuIds(execution));
    if (schedule.isShared(execution)) {
      tree.put("batch_id", execution.batch());
    }
    tree.put("start_time", seconds(execution.startedAtNs()));
    tree.put("end_time", seconds(execution.endedAtNs()));
    tree.put("execution_time", seconds(execution.executionNs()));
    tree.put("estimated_time", seconds(schedule.node(execution).expectedNs()));
    tree.put("switch_time", seconds(execution.switchNs()));
    tree.put("waiting_time", seconds(execution.waitingNs()));
    return tree;
  }

  private record GpuUse(int gpuId, long executions, BigDecimal busyTime, double utilization) {}

  /** A time in seconds, with whole nanoseconds exact. */
  private static BigDecimal seconds(double ns) {
    return shortest(BigDecimal.valueOf(ns).movePointLeft(DECIMALS));
  }

  private static BigDecimal seconds(long ns) {
    return shortest(BigDecimal.valueOf(ns, DECIMALS));
  }

  private static BigDecimal shortest(BigDecimal seconds) {
    BigDecimal shortest = seconds.setScale(DECIMALS, RoundingMode.HALF_EVEN).stripTrailingZeros();
    return shortest.setScale(Math.max(1, shortest.scale()));
  }
}
