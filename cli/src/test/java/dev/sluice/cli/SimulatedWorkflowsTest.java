package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.held;
import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.ScheduleCheck;
import dev.sluice.harness.workflow.ExecutionLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workflows over GPUs as a person asks for them. */
final class SimulatedWorkflowsTest {
  private static final Path EXAMPLE = Path.of("..", "configs", "workflows");

  private static final String SYSTEM =
      """
      models:
        small: {memory_gb: 14, gpus_required: 1, load_time_seconds: 30}
        large: {memory_gb: 60, gpus_required: 2, load_time_seconds: 20, inference_time_mean: 5}
      workflows:
        one: {nodes: [{id: a, model: small}]}
        two: {nodes: [{id: a, model: small}, {id: b, model: large}], edges: [{from: a, to: b}]}
      """;
  private static final String REQUESTS =
      """
      requests:
        - {request_id: r1, timestamp: "2024-01-01T10:00:01", workflow_id: two}
        - {request_id: r2, timestamp: "2024-01-01T10:00:00", workflow_id: one}
      """;

  @TempDir private Path folder;

  private BadInputCommand simulate(String system, String requests, String... options)
      throws IOException {
    return simulate(
        Files.writeString(folder.resolve("system.yaml"), system),
        Files.writeString(folder.resolve("requests.yaml"), requests),
        options);
  }

  private BadInputCommand simulate(Path system, Path requests, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "simulate",
                "--config",
                system.toString(),
                "--requests",
                requests.toString(),
                "--simulate",
                "false",
                "--results",
                folder.resolve("results").toString()));
    command.addAll(List.of(options));
    return sluice(command.toArray(String[]::new));
  }

  private JsonNode log(String runId) throws IOException {
    return new ObjectMapper()
        .readTree(folder.resolve("results").resolve(runId).resolve(ExecutionLog.NAME).toFile());
  }

  @Test
  void theShippedExample_runsInTheSeedsWords() throws Exception {
    BadInputCommand done =
        simulate(
            EXAMPLE.resolve("system_config.yaml"),
            EXAMPLE.resolve("workflow_requests.yaml"),
            "--gpus",
            "4",
            "--mode",
            "online",
            "--run-id",
            "a");
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(Files.readAllLines(folder.resolve("results/a/baseline_scheduler.log")))
        .startsWith(
            "Starting baseline scheduler with 2 requests",
            "Mode: online, Simulate: false",
            "Available GPUs: [0, 1, 2, 3]",
            "Starting discrete event simulation...",
            "[0.00s] Processing request req_001 (workflow: text_generation)",
            "[0.00s] Scheduling model switch on GPU(s) [0] from None to llm7b (switch time: 30.00s)",
            "[0.00s] Scheduled node generate of request req_001 on GPU(s) [0]"
                + " (start: 30.00s, end: 38.50s)",
            "[38.50s] Completed node generate of request req_001 on GPU(s) [0]",
            "[38.50s] Request req_001 completed",
            "[60.00s] Processing request req_002 (workflow: multimodal_workflow)")
        .contains(
            "Simulation completed at time 87.00s",
            "EXECUTION METRICS",
            "Total execution time (makespan): 87.00 seconds",
            "  Average: 32.75s",
            "  P99: 38.39s",
            "  GPU 0: 2 executions, 43.70s busy time (50.2% utilization)",
            "  stable_diffusion: 1 executions",
            "Detailed execution log written to baseline_execution_log.json");
    JsonNode log = log("a");
    assertThat(log.at("/summary/makespan").decimalValue()).isEqualTo("87.0");
    assertThat(log.at("/summary/p99_request_response_time").decimalValue()).isEqualTo("38.385");
    assertThat(log.at("/executions/2/start_time").asText()).isEqualTo("71.2");
    assertThat(log.at("/executions/2/switch_time").asText()).isEqualTo("6.0");
    assertThat(folder.resolve("results/a/plots/gpu_timeline.png")).isNotEmptyFile();
  }

  @Test
  void equalFiles_leaveEqualBytes() throws Exception {
    for (String run : List.of("a", "b")) {
      assertThat(
              simulate(SYSTEM, REQUESTS, "--gpus", "2", "--policy", "random", "--run-id", run)
                  .status())
          .isZero();
    }
    for (String file : List.of(ExecutionLog.NAME, "baseline_scheduler.log")) {
      assertThat(folder.resolve("results/a").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("results/b").resolve(file));
    }
  }

  @Test
  void aGang_standsInTheLogWithAllItsGpus_andIsChargedOnEach() throws Exception {
    BadInputCommand done =
        simulate(SYSTEM, REQUESTS, "--gpus", "2", "--mode", "online", "--run-id", "a");
    assertThat(done.out())
        .contains(
            "Warning: model small says nothing of how long it takes: 2 executions are assumed");
    JsonNode log = log("a");
    JsonNode gang = log.at("/executions/2");
    assertThat(gang.get("gpu_id").asInt()).isZero();
    assertThat(gang.get("gpu_ids")).extracting(JsonNode::asInt).containsExactly(0, 1);
    // placed at 41, when both have ended; (14 + 60) / 16 + 2
    assertThat(gang.get("switch_time").asDouble()).isEqualTo(6.625);
    assertThat(gang.get("start_time").asDouble()).isEqualTo(47.625);
    assertThat(gang.get("execution_time").asDouble()).isEqualTo(5);
    assertThat(log.at("/summary/total_model_switches").asInt()).isEqualTo(3);
    assertThat(log.at("/summary/total_switch_time").asDouble()).isEqualTo(66.625);
    assertThat(log.at("/summary/total_first_loads").asInt()).isEqualTo(2);
    assertThat(
            StreamSupport.stream(log.at("/summary/gpu_utilization").spliterator(), false)
                .map(gpu -> gpu.get("busy_time").asDouble()))
        .containsExactly(40 + 11.625, 40 + 11.625);
  }

  @Test
  void theChecker_readsFromTheLogWhatASwitchCosts() throws Exception {
    BadInputCommand done =
        simulate(
            SYSTEM,
            REQUESTS,
            "--gpus",
            "2",
            "--switch-overhead-s",
            "5",
            "--bandwidth-gb-per-s",
            "8",
            "--run-id",
            "a");
    assertThat(done.status()).as(done.err()).isZero();
    CheckReport report =
        ScheduleCheck.of(
            folder.resolve("results/a").resolve(ExecutionLog.NAME),
            folder.resolve("system.yaml"),
            folder.resolve("requests.yaml"));
    assertThat(report.faults()).isEmpty();
    assertThat(report.looked()).containsEntry(Rule.SWITCH, 3L);
  }

  @Test
  void whatIsInfeasible_isRefusedWithItsLine_orLeftOutAndListed() throws Exception {
    simulate(SYSTEM, REQUESTS, "--gpus", "1")
        .isRefused(1)
        .says("system.yaml:3: error: model large needs more GPUs (2) than there are (1)");
    assertThat(held(folder.resolve("results"))).isEmpty();
    BadInputCommand done =
        simulate(SYSTEM, REQUESTS, "--gpus", "1", "--skip-infeasible", "--run-id", "a", "--json");
    assertThat(done.err()).contains("Skipped request r1: ").contains("refused: 1");
    JsonNode summary = new ObjectMapper().readTree(done.out());
    assertThat(summary.get("total_requests").asInt()).isEqualTo(2);
    assertThat(summary.get("completed_requests").asInt()).isEqualTo(1);
    assertThat(summary.get("refused_requests").asInt()).isEqualTo(1);
    assertThat(summary.at("/refused/0/request_id").asText()).isEqualTo("r1");
  }

  @Test
  void noRequests_areASchedule() throws Exception {
    assertThat(simulate(SYSTEM, "requests: []\n", "--gpus", "1", "--run-id", "a").status())
        .isZero();
    assertThat(log("a").at("/summary/makespan").asDouble()).isZero();
    assertThat(log("a").at("/executions")).isEmpty();
  }

  @Test
  void mistakesOfTheCommandLine_areAnsweredWithAWayOut() throws Exception {
    simulate(SYSTEM, REQUESTS).isRefused(1).says("--gpus: error: the number of GPUs is missing");
    simulate(SYSTEM, REQUESTS, "--gpus", "0")
        .isRefused(1)
        .says("the number of GPUs (0) must be between 1 and 100000");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--mode", "ofline")
        .isRefused(1)
        .says("--mode: error: the value (ofline) is unknown.\n  Maybe you meant offline.");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--policy", "dynamic")
        .isRefused(1)
        .says("system.yaml:6: error: the scheduler (dynamic) goes by latency promises");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--bandwidth-gb-per-s", "0")
        .isRefused(1)
        .says("--bandwidth-gb-per-s: error: the value (0.0) must be between 0.000001 and 1e9");
    simulate(SYSTEM, REQUESTS, "--gpus", "2", "--repeat", "2")
        .isRefused(1)
        .says("schedules of workflows do not take repeats");
    sluice("simulate").isRefused(1).says("neither an experiment nor workflows are named");
  }
}
