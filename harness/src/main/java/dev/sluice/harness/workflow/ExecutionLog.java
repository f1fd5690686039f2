package dev.sluice.harness.workflow;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.GraphSchedule;
import dev.sluice.scheduling.workflow.GraphSchedule.Durations;
import dev.sluice.scheduling.workflow.GraphSchedule.LowerBound;
import dev.sluice.scheduling.workflow.GraphSchedule.UnfinishedRequest;
import dev.sluice.scheduling.workflow.NodeExecution;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A schedule of workflows as the seed's JSON; all times are seconds. */
public final class ExecutionLog {
  public static final String NAME = "baseline_execution_log.json";
  private static final int DECIMALS = 9;

  private final GraphSchedule schedule;
  private final Gpus gpus;
  private final boolean online;
  private final List<Skipped> skipped;
  private final @Nullable LowerBound bound;
  private final boolean executed;

  /**
   * @param bound lower bound; null: none
   * @param executed true if the nodes really ran, so that switches and times are measured
   */
  ExecutionLog(
      GraphSchedule schedule,
      Gpus gpus,
      boolean online,
      List<Skipped> skipped,
      @Nullable LowerBound bound,
      boolean executed) {
    this.schedule = schedule;
    this.gpus = gpus;
    this.online = online;
    this.skipped = skipped;
    this.bound = bound;
    this.executed = executed;
  }

  /**
   * Writes the file.
   *
   * @param withExecutions true if the file lists the executions; false: it has only the summary
   */
  void write(Path folder, boolean withExecutions) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(folder.resolve(NAME)));
        JsonGenerator json = new JsonFactory().createGenerator(out, JsonEncoding.UTF8)) {
      indent(json);
      json.writeStartObject();
      json.writeFieldName("summary");
      writeSummary(json);
      if (withExecutions) {
        json.writeArrayFieldStart("executions");
        for (NodeExecution execution : schedule.executions()) {
          write(json, execution);
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }
  }

  /** The summary alone, as JSON. */
  String summary() throws IOException {
    var text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      indent(json);
      writeSummary(json);
    }
    return text + "\n";
  }

  private static void indent(JsonGenerator json) {
    var printer = new DefaultPrettyPrinter();
    printer.indentObjectsWith(new DefaultIndenter("  ", "\n"));
    json.setPrettyPrinter(printer);
  }

  private void writeSummary(JsonGenerator json) throws IOException {
    json.writeStartObject();
    long failed = schedule.failed();
    json.writeNumberField("total_requests", schedule.requests() + skipped.size());
    json.writeNumberField("completed_requests", schedule.completed());
    json.writeNumberField("failed_requests", failed);
    json.writeNumberField("dropped_requests", schedule.unfinished().size() - failed);
    json.writeNumberField("refused_requests", skipped.size());
    json.writeNumberField("total_nodes_executed", schedule.executions().size());
    json.writeStringField("mode", online ? "online" : "offline");
    json.writeBooleanField("simulate", executed);
    json.writeStringField("policy", schedule.policy());
    json.writeArrayFieldStart("gpus");
    for (int gpu = 0; gpu < gpus.count(); gpu++) {
      json.writeNumber(gpu);
    }
    json.writeEndArray();
    if (!executed) {
      json.writeStringField("gang_switch", gpus.gangSwitch().name().toLowerCase(Locale.ROOT));
      json.writeFieldName("bandwidth_gb_per_s");
      json.writeNumber(gpus.bandwidthGbPerSecond());
      seconds(json, "switch_overhead_s", gpus.overheadNs());
    }
    long makespanNs = schedule.makespanNs();
    seconds(json, "makespan", makespanNs);
    if (bound != null) {
      seconds(json, "lower_bound_makespan", bound.makespanNs());
      seconds(json, "lower_bound_avg_request_response_time", bound.meanCompletionNs());
    }
    List<NodeExecution> switches = schedule.switches();
    json.writeNumberField("total_model_switches", switches.size());
    seconds(json, "total_switch_time", GraphSchedule.switchNs(switches));
    List<NodeExecution> loads = schedule.firstLoads();
    json.writeNumberField("total_first_loads", loads.size());
    seconds(json, "total_first_load_time", GraphSchedule.switchNs(loads));
    write(json, "waiting_time", schedule.waitingNs());
    write(json, "response_time", schedule.responseNs());
    write(json, "request_response_time", schedule.completionNs());
    if (schedule.hasPromises()) {
      json.writeNumberField("slo_violations", schedule.sloViolations());
    }
    if (executed) {
      json.writeNumberField("attempts_not_done", schedule.attemptsNotDone().count());
      seconds(json, "attempts_not_done_time", schedule.attemptsNotDone().heldNs());
    }
    writeGpus(json, makespanNs);
    json.writeArrayFieldStart("refused");
    for (Skipped request : skipped) {
      writeLeftOut(json, request.requestId(), request.workflowId(), request.reason());
    }
    json.writeEndArray();
    json.writeArrayFieldStart("unfinished");
    for (UnfinishedRequest of : schedule.unfinished()) {
      writeLeftOut(json, of.request().requestId(), of.request().workflowId(), of.reason());
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeLeftOut(
      JsonGenerator json, String requestId, String workflowId, String reason) throws IOException {
    json.writeStartObject();
    json.writeStringField("request_id", requestId);
    json.writeStringField("workflow_id", workflowId);
    json.writeStringField("reason", reason);
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, String name, Durations sample) throws IOException {
    seconds(json, "avg_" + name, sample.meanNs());
    seconds(json, "p99_" + name, sample.percentileNs(99));
  }

  private void writeGpus(JsonGenerator json, long makespanNs) throws IOException {
    long[] executions = schedule.executionsByGpu();
    long[] busyNs = schedule.busyNsByGpu();
    json.writeArrayFieldStart("gpu_utilization");
    for (int gpu = 0; gpu < busyNs.length; gpu++) {
      json.writeStartObject();
      json.writeNumberField("gpu_id", gpu);
      json.writeNumberField("executions", executions[gpu]);
      seconds(json, "busy_time", busyNs[gpu]);
      json.writeFieldName("utilization");
      json.writeNumber(makespanNs == 0 ? 0.0 : (double) busyNs[gpu] / makespanNs);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void write(JsonGenerator json, NodeExecution execution) throws IOException {
    json.writeStartObject();
    json.writeStringField("request_id", schedule.request(execution).requestId());
    json.writeStringField("workflow_id", schedule.request(execution).workflowId());
    json.writeStringField("node_id", schedule.node(execution).nodeId());
    json.writeStringField("model_name", schedule.node(execution).workload());
    json.writeNumberField("gpu_id", execution.gpu());
    json.writeArrayFieldStart("gpu_ids");
    for (int gpu : GraphSchedule.gpuIds(execution)) {
      json.writeNumber(gpu);
    }
    json.writeEndArray();
    if (schedule.isShared(execution)) {
      json.writeNumberField("batch_id", execution.batch());
    }
    seconds(json, "start_time", execution.startedAtNs());
    seconds(json, "end_time", execution.endedAtNs());
    seconds(json, "execution_time", execution.executionNs());
    seconds(json, "estimated_time", schedule.node(execution).expectedNs());
    seconds(json, "switch_time", execution.switchNs());
    seconds(json, "waiting_time", execution.waitingNs());
    json.writeEndObject();
  }

  /** Writes a time in seconds, with whole nanoseconds exact. */
  private static void seconds(JsonGenerator json, String name, double ns) throws IOException {
    seconds(json, name, BigDecimal.valueOf(ns).movePointLeft(DECIMALS));
  }

  private static void seconds(JsonGenerator json, String name, long ns) throws IOException {
    seconds(json, name, BigDecimal.valueOf(ns, DECIMALS));
  }

  private static void seconds(JsonGenerator json, String name, BigDecimal seconds)
      throws IOException {
    BigDecimal shortest = seconds.setScale(DECIMALS, RoundingMode.HALF_EVEN).stripTrailingZeros();
    json.writeFieldName(name);
    json.writeNumber(shortest.setScale(Math.max(1, shortest.scale())).toPlainString());
  }
}
