package dev.sluice.harness.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.GraphSimulation;
import dev.sluice.scheduling.simulation.GraphSimulation.GraphListener;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times at the ends of what the clock holds: right, or a mistake with its line. */
final class WorkflowsTest {
  private static final Gpus ONE = new Gpus(1, 16, 2_000_000_000L, GangSwitch.LONGEST);
  private static final long SECOND_NS = 1_000_000_000;
  private static final String MODEL =
      "{\"memory_gb\": 1, \"gpus_required\": 1, \"load_time_seconds\": 0}";

  @TempDir private Path folder;

  private WorkflowFiles files(String model, double sloMs, String... requests) throws Exception {
    return WorkflowFiles.read(system(model, sloMs), requests(requests), 1, false);
  }

  private static Workflows workflows(WorkflowFiles read, boolean online) throws Exception {
    return Workflows.of(read, ONE, online, model -> GraphSimulation.BACKEND);
  }

  private Path system(String model, double sloMs) throws IOException {
    return Files.writeString(
        folder.resolve("system.json"),
        """
        {"models": {"m": %s},
         "workflows": {"w": {"slo_ms": %s, "nodes": [{"id": "a", "model": "m"}]}}}
        """
            .formatted(model, sloMs));
  }

  private Path requests(String... requests) throws IOException {
    return Files.writeString(
        folder.resolve("requests.json"),
        "{\"requests\": [\n" + String.join(",\n", requests) + "]}\n");
  }

  private static String request(String id, String timestamp, double seconds) {
    return "{\"request_id\": \"%s\", \"timestamp\": \"%s\", \"workflow_id\": \"w\", \"node_execution_times\": {\"a\": %s}}"
        .formatted(id, timestamp, seconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1678-01-01T00:00:00", "1900-06-01T12:00:00", "1970-01-01T00:00:00"})
  void requestsCenturiesApart_areRefusedWithTheLine_whereTheyComeAtTheirTimes(String first)
      throws Exception {
    WorkflowFiles read =
        files(MODEL, 1000, request("r1", first, 1), request("r2", "2261-12-31T23:59:59", 1));
    assertThatThrownBy(() -> workflows(read, true))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("requests.json:3: error: request r2 comes more than (100) years");
    assertThat(workflows(read, false).requests()).allMatch(request -> request.intendedAtNs() == 0);
  }

  @Test
  void indexesRiseWithArrivals_andEqualArrivalsKeepTheirOrder() throws Exception {
    WorkflowFiles read =
        files(
            MODEL,
            1000,
            request("r1", "2024-01-01T00:00:02", 1),
            request("r2", "2024-01-01T00:00:01", 1),
            request("r3", "2024-01-01T00:00:02", 1));
    assertThat(workflows(read, true).requests())
        .extracting(WorkflowRequested::index)
        .containsExactly(1L, 0L, 2L);
    assertThat(workflows(read, false).requests())
        .extracting(WorkflowRequested::index)
        .containsExactly(0L, 1L, 2L);
  }

  @ParameterizedTest
  @CsvSource({
    "interactive, false, interactive",
    "batch, false, batch",
    "interactive, true, interactive_joined",
    "batch, true, batch_joined"
  })
  void classSaysWhoWaits_andWhetherJobsShareBatches(String given, boolean joined, String of)
      throws Exception {
    Path system =
        Files.writeString(
            folder.resolve("system.json"),
            """
            {"models": {"m": %s},
             "workflows": {"w": {"class": "%s", "microbatch": %s, "nodes": [{"id": "a", "model": "m"}]}}}
            """
                .formatted(MODEL, given, joined));
    WorkflowFiles read =
        WorkflowFiles.read(system, requests(request("r1", "2024-01-01T00:00:00", 1)), 1, false);
    assertThat(workflows(read, true).requests())
        .allSatisfy(
            request -> {
              assertThat(request.classType()).isEqualTo(of);
              assertThat(request.sloNs()).isNull();
            });
  }

  @Test
  void aTimeThatNoClockHolds_isNoTime() {
    assertThatThrownBy(() -> files(MODEL, 1000, request("r1", "2263-01-01T00:00:00", 1)))
        .hasMessageContaining("requests.json:2: error:")
        .hasMessageContaining("is not a time");
  }

  @ParameterizedTest
  @CsvSource({"3, false", "4, true", "12, true"})
  void longExecutions_areRefusedWithTheLineThatIsTooMuch(int requests, boolean refused)
      throws Exception {
    List<String> list = new ArrayList<>();
    for (int i = 1; i <= requests; i++) {
      list.add(request("r" + i, "2024-01-01T00:00:00", 1e9)); // 31.7 years each
    }
    WorkflowFiles read = files(MODEL, 1000, list.toArray(String[]::new));
    if (refused) {
      assertThatThrownBy(() -> workflows(read, false))
          .hasMessageContaining("requests.json:5: error: the requests up to r4 may last longer");
    } else {
      assertThat(endsNs(workflows(read, false)))
          .containsExactly(
              1_000_000_000L * SECOND_NS, 2_000_000_000L * SECOND_NS, 3_000_000_000L * SECOND_NS);
    }
  }

  /** Arrival, promise and predicted end add up to the most that may be asked for. */
  @ParameterizedTest
  @ValueSource(strings = {"fifo", "dynamic", "priority_slo", "critical_path"})
  void theLongestSchedule_isRight(String policy) throws Exception {
    String typical =
        "{\"memory_gb\": 1, \"gpus_required\": 1, \"load_time_seconds\": 0,"
            + " \"inference_time_mean\": 1e9}";
    WorkflowFiles read =
        files(
            typical,
            1e12,
            request("r1", "1900-01-01T00:00:00", 5),
            request("r2", "1999-12-01T00:00:00", 7),
            request("r3", "1999-12-01T00:00:00", 7));
    Workflows workflows = workflows(read, true);
    long lateNs = workflows.requests().get(1).intendedAtNs();
    assertThat(endsNs(workflows, policy))
        .containsExactly(5 * SECOND_NS, lateNs + 7 * SECOND_NS, lateNs + 14 * SECOND_NS);
  }

  @Test
  void tokensThatTakeTooLong_areAMistakeOfTheModel() {
    String slow =
        "{\"memory_gb\": 1, \"gpus_required\": 1, \"load_time_seconds\": 0, \"token_mean\": 1e12,"
            + " \"tokens_per_second\": 1e-9}";
    assertThatThrownBy(() -> files(slow, 1000, request("r1", "2024-01-01T00:00:00", 1)))
        .hasMessageContaining("system.json:1: error: models.m.token_mean")
        .hasMessageContaining("take more than 1000000000 s");
  }

  private static List<Long> endsNs(Workflows workflows) {
    return endsNs(workflows, "fifo");
  }

  private static List<Long> endsNs(Workflows workflows, String policy) {
    List<Long> endsNs = new ArrayList<>();
    new GraphSimulation(
            WorkflowCore.settings(1, List.of("m")),
            workflows.models(),
            workflows.requests(),
            ONE,
            Policies.create(policy, Map.of()),
            new GraphListener() {
              @Override
              public void arrived(long nowNs, int request) {}

              @Override
              public void placed(NodeExecution execution) {}

              @Override
              public void ended(NodeExecution execution) {
                endsNs.add(execution.endedAtNs());
              }
            })
        .run();
    return endsNs;
  }
}
