package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.ScheduleCheck;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.workflow.ExecutionLog;
import dev.sluice.scheduler.topology.WorkflowCore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workflows whose nodes really run: through a real broker, in real engines, on real lanes. */
final class ExecutedWorkflowsTest {
  private static final String SYSTEM =
      """
      models:
        first: {memory_gb: 1, gpus_required: 1, load_time_seconds: 1, workload: vit_tiny}
        second: {memory_gb: 1, gpus_required: 1, load_time_seconds: 1, workload: vit_tiny, backend: pytorch}
        both: {memory_gb: 2, gpus_required: 2, load_time_seconds: 1}
      workflows:
        fork:
          slo_ms: 600000
          nodes: [{id: a, model: first}, {id: b, model: second}, {id: c, model: first}, {id: d, model: both}]
          edges: [{from: a, to: b}, {from: a, to: c}, {from: b, to: d}, {from: c, to: d}]
        single:
          class: interactive
          slo_ms: 600000
          nodes: [{id: a, model: second}]
      """;
  private static final String REQUESTS =
      """
      requests:
        - {request_id: r2, timestamp: "2024-01-01T10:00:00.4", workflow_id: single, node_execution_times: {a: 3}}
        - {request_id: r1, timestamp: "2024-01-01T10:00:00", workflow_id: fork}
        - {request_id: r3, timestamp: "2024-01-01T10:00:00.4", workflow_id: fork}
      """;

  @TempDir private Path folder;

  private BadInputCommand simulate(String system, String requests, String... options)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "simulate",
                "--system",
                Files.writeString(folder.resolve("system.yaml"), system).toString(),
                "--requests",
                Files.writeString(folder.resolve("requests.yaml"), requests).toString(),
                "--results",
                folder.resolve("results").toString()));
    command.addAll(List.of(options));
    return sluice(command.toArray(String[]::new));
  }

  @Tag("slow")
  @Test
  void eachNodeReallyRuns_andTheCheckerFindsNothing() throws Exception {
    BadInputCommand done =
        simulate(
            SYSTEM,
            REQUESTS,
            "--gpus",
            "2",
            "--mode",
            "online",
            "--simulate",
            "true",
            "--run-id",
            "a");
    assertThat(done.status()).as(done.out() + done.err()).isZero();
    Path run = folder.resolve("results/a");
    JsonNode log = new ObjectMapper().readTree(run.resolve(ExecutionLog.NAME).toFile());
    JsonNode summary = log.get("summary");
    assertThat(summary.get("simulate").asBoolean()).isTrue();
    assertThat(summary.get("completed_requests").asInt()).isEqualTo(3);
    assertThat(summary.get("total_nodes_executed").asInt()).isEqualTo(9);
    assertThat(summary.get("slo_violations").asInt()).isZero();
    assertThat(summary.has("bandwidth_gb_per_s")).as("switches are measured").isFalse();
    assertThat(log.get("executions"))
        .filteredOn(row -> row.get("model_name").asText().equals("both"))
        .hasSize(2)
        .allSatisfy(
            row ->
                assertThat(row.get("gpu_ids")).extracting(JsonNode::asInt).containsExactly(0, 1));
    assertThat(log.get("executions"))
        .allSatisfy(row -> assertThat(row.get("execution_time").asDouble()).isBetween(1e-4, 60.0))
        .filteredOn(row -> row.get("request_id").asText().equals("r2"))
        .allSatisfy(
            row -> {
              assertThat(row.get("estimated_time").asDouble()).isEqualTo(3);
              assertThat(row.get("start_time").asDouble()).isGreaterThan(0.4);
            });
    CheckReport report =
        ScheduleCheck.of(
            run.resolve(ExecutionLog.NAME),
            folder.resolve("system.yaml"),
            folder.resolve("requests.yaml"));
    assertThat(report.faults()).isEmpty();
    assertThat(report.leftOut()).containsOnlyKeys(Rule.DURATION, Rule.COMPATIBLE);
    Path recorded = run.resolve("log.jsonl.gz");
    var topics = RecordedRunTest.read(recorded);
    assertThat(topics.get("dispatches")).hasSizeGreaterThanOrEqualTo(9);
    assertThat(topics.get("outcomes")).hasSizeGreaterThanOrEqualTo(9);
    RecordingHeader header = RecordingReader.headerOf(recorded);
    WorkflowCore core = WorkflowCore.read(String.valueOf(header.experiment()));
    assertThat(core).isNotNull();
    assertThat(core.settings().leases().leaseNs()).isEqualTo(2_000_000_000L);
    assertThat(Files.readAllLines(run.resolve("baseline_scheduler.log")))
        .contains(
            "Mode: online, Simulate: true",
            "[0.40s] Processing request r2 (workflow: single)",
            "  Completed: 3",
            "  Later than promised, or not at all: 0")
        .anyMatch(line -> line.startsWith("Model second is vit_tiny on pytorch: loaded in "))
        .anyMatch(line -> line.contains("Scheduling model switch on GPU(s) [0] from None to first"))
        .anyMatch(line -> line.contains("Completed node d of request r1 on GPU(s) [0, 1]"))
        .anyMatch(line -> line.startsWith("Execution completed at time "));
    assertThat(run.resolve("plots/gpu_timeline.png")).isNotEmptyFile();
    assertThat(run.resolve("temporary")).doesNotExist();
  }

  @Tag("slow")
  @Test
  void aPolicyThatGoesByPromises_takesThoseOfTheFile_liveAndInVirtualTime() throws Exception {
    for (String how : List.of("--execute", "--json")) {
      BadInputCommand done =
          simulate(
              SYSTEM,
              REQUESTS,
              "--gpus",
              "2",
              "--policy",
              "priority_slo",
              how,
              "--run-id",
              how.substring(2));
      assertThat(done.status()).as(done.out() + done.err()).isZero();
    }
    JsonNode simulated =
        new ObjectMapper()
            .readTree(folder.resolve("results/json").resolve(ExecutionLog.NAME).toFile());
    assertThat(simulated.at("/executions/0/request_id").asText())
        .as("the interactive one comes first")
        .isEqualTo("r2");
    simulate(
            SYSTEM.replace("slo_ms: 600000", "remark: none"),
            REQUESTS,
            "--gpus",
            "2",
            "--policy",
            "dynamic")
        .isRefused(1)
        .says(
            "system.yaml:10: error: the scheduler (dynamic) goes by latency promises, and workflow"
                + " (single) makes none");
  }

  @Tag("slow")
  @Test
  void nodesOfOneModel_shareABatch_whereTheirWorkflowsSaySo() throws Exception {
    String system =
        SYSTEM.replace("class: interactive", "microbatch: true")
            + "microbatch: {window_ms: 5, max_batch: 4}\n";
    StringBuilder requests = new StringBuilder("requests:\n");
    for (int i = 0; i < 12; i++) {
      requests.append(
          "  - {request_id: s%d, timestamp: '2024-01-01T10:00:00', workflow_id: single}\n"
              .formatted(i));
    }
    BadInputCommand done =
        simulate(system, requests.toString(), "--gpus", "1", "--execute", "--run-id", "a");
    assertThat(done.status()).as(done.out() + done.err()).isZero();
    Path log = folder.resolve("results/a").resolve(ExecutionLog.NAME);
    CheckReport report =
        ScheduleCheck.of(log, folder.resolve("system.yaml"), folder.resolve("requests.yaml"));
    assertThat(report.faults()).isEmpty();
    assertThat(report.looked().get(Rule.COMPATIBLE)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void mistakes_areFoundBeforeAnythingStarts() throws Exception {
    simulate(
            SYSTEM.replace("backend: pytorch", "backend: torch"),
            REQUESTS,
            "--gpus",
            "2",
            "--execute")
        .isRefused(1)
        .says(
            "system.yaml:3: error: models.second.backend (torch) is unknown.\n  Maybe you meant pytorch.");
    simulate(
            SYSTEM.replace("workload: vit_tiny}", "workload: vit_tni}"),
            REQUESTS,
            "--gpus",
            "2",
            "--execute")
        .isRefused(1)
        .says(
            "system.yaml:2: error: models.first.workload (vit_tni) is unknown.\n  Maybe you meant vit_tiny.");
    simulate(SYSTEM.replace("class: interactive", "class: interactiv"), REQUESTS, "--gpus", "2")
        .isRefused(1)
        .says("workflows.single.class (interactiv) is unknown.\n  Maybe you meant interactive.");
    simulate(SYSTEM.replace("slo_ms: 600000", "slo_ms: -5"), REQUESTS, "--gpus", "2")
        .isRefused(2)
        .says("workflows.fork.slo_ms (-5) must be at least 0.001");
    simulate(SYSTEM, REQUESTS, "--gpus", "1", "--execute")
        .isRefused(1)
        .says("model both needs more GPUs (2) than there are (1)");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--execute", "--gang-switch", "first")
        .isRefused(1)
        .says("the value (first) has no use where nodes really run: switches are measured");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--execute", "--simulate", "false")
        .isRefused(1)
        .says("the value (false) contradicts --execute");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--simulate", "maybe")
        .isRefused(1)
        .says("--simulate: error: the value (maybe) is unknown");
    simulate(
            SYSTEM
                .replace("id: b, model", "id: b/2, model")
                .replace("to: b}", "to: b/2}")
                .replace("from: b,", "from: b/2,"),
            REQUESTS,
            "--gpus",
            "2",
            "--execute")
        .isRefused(1)
        .says("system.yaml:8: error: node (b/2) of workflow (fork) has a slash in its name");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--execute", "--no-trace")
        .isRefused(1)
        .says("the trace of nodes that really run is always kept");
    simulate(SYSTEM, REQUESTS, "--gpus", "900", "--execute")
        .isRefused(1)
        .says("a lane plays each GPU, and (900) are too many");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--bootstrap", "localhost:1")
        .isRefused(1)
        .says("a simulation needs no Kafka");
    assertThat(folder.resolve("results")).doesNotExist();
  }
}
