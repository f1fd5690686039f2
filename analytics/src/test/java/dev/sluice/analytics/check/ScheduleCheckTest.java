package dev.sluice.analytics.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.analytics.check.CheckReport.Fault;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A legal log, worked out by hand; and what is said when something in it is changed. */
final class ScheduleCheckTest {
  static final String SYSTEM =
      """
      models:
        a: {memory_gb: 14, gpus_required: 1, load_time_seconds: 30}
        b: {memory_gb: 60, gpus_required: 2, load_time_seconds: 120}
        c: {memory_gb: 16, gpus_required: 1, load_time_seconds: 10, inference_time_mean: 4}
      workflows:
        chain:
          nodes: [{id: n1, model: a}, {id: n2, model: b}]
          edges: [{from: n1, to: n2}]
        single:
          nodes: [{id: n, model: c}]
      """;
  static final String REQUESTS =
      """
      requests:
        - request_id: r1
          timestamp: "2024-01-01T10:00:00"
          workflow_id: chain
          node_execution_times: {n1: 8, n2: 5}
        - {request_id: r2, timestamp: "2024-01-01T10:00:05", workflow_id: single}
        - {request_id: r3, timestamp: "2024-01-01T10:00:06", workflow_id: single}
      """;

  /** Model c stays on GPU 1 for r3; then b takes both GPUs, and (16 + 60) / 16 + 2 s to switch. */
  static final String LOG =
      """
      {"summary": {"total_requests": 3, "completed_requests": 3, "total_nodes_executed": 4,
        "mode": "offline", "simulate": false, "gpus": [0, 1], "makespan": 49.75,
        "total_model_switches": 3, "total_switch_time": 46.75,
        "total_first_loads": 2, "total_first_load_time": 40.0,
        "avg_waiting_time": 3.5, "p99_waiting_time": 13.58,
        "avg_response_time": 20.4375, "p99_response_time": 37.4,
        "avg_request_response_time": 27.25, "p99_request_response_time": 49.115,
        "failed_requests": 0, "dropped_requests": 0, "refused_requests": 0,
        "gpu_utilization": [
         {"gpu_id": 0, "executions": 2, "busy_time": 49.75, "utilization": 1.0},
         {"gpu_id": 1, "executions": 3, "busy_time": 29.75, "utilization": 0.597989949749}]},
       "executions": [
        {"request_id": "r1", "workflow_id": "chain", "node_id": "n1", "model_name": "a", "gpu_id": 0,
         "gpu_ids": [0], "start_time": 30.0, "end_time": 38.0, "execution_time": 8.0,
         "estimated_time": 8.0, "switch_time": 30.0, "waiting_time": 0.0},
        {"request_id": "r2", "workflow_id": "single", "node_id": "n", "model_name": "c", "gpu_id": 1,
         "gpu_ids": [1], "start_time": 10.0, "end_time": 14.0, "execution_time": 4.0,
         "estimated_time": 4.0, "switch_time": 10.0, "waiting_time": 0.0},
        {"request_id": "r3", "workflow_id": "single", "node_id": "n", "model_name": "c", "gpu_id": 1,
         "gpu_ids": [1], "start_time": 14.0, "end_time": 18.0, "execution_time": 4.0,
         "estimated_time": 4.0, "switch_time": 0.0, "waiting_time": 14.0},
        {"request_id": "r1", "workflow_id": "chain", "node_id": "n2", "model_name": "b", "gpu_id": 0,
         "gpu_ids": [0, 1], "start_time": 44.75, "end_time": 49.75, "execution_time": 5.0,
         "estimated_time": 5.0, "switch_time": 6.75, "waiting_time": 0.0}
       ]}
      """;

  @TempDir private Path folder;
  private Path system;
  private Path requests;

  @BeforeEach
  void writeFiles() throws IOException {
    system = Files.writeString(folder.resolve("system.yaml"), SYSTEM);
    requests = Files.writeString(folder.resolve("requests.yaml"), REQUESTS);
  }

  private CheckReport check(String log) throws Exception {
    return ScheduleCheck.of(Files.writeString(folder.resolve("log.json"), log), system, requests);
  }

  @Test
  void passes_aLegalLog_andAsksEachRule() throws Exception {
    CheckReport report = check(LOG);
    assertThat(report.faults()).isEmpty();
    assertThat(report.passed()).isTrue();
    assertThat(report.leftOut()).as("no nodes share a batch").containsOnlyKeys(Rule.COMPATIBLE);
    assertThat(report.extent().resting())
        .as("no list says which requests they are")
        .containsExactly("failed_requests", "dropped_requests");
    assertThat(report.looked())
        .containsEntry(Rule.NODE_ONCE, 4L)
        .containsEntry(Rule.GPU_OVERLAP, 4L)
        .containsEntry(Rule.GANG, 1L)
        .containsEntry(Rule.SWITCH, 4L)
        .containsEntry(Rule.DURATION, 4L)
        .containsEntry(Rule.ORDER, 4L)
        .containsEntry(Rule.SUMMARY, 22L);
    assertThat(report.subject()).isEqualTo("execution log: 4 executions of 3 requests on 2 GPUs");
  }

  @Test
  void leavesOut_whatOnlyTheFilesCanTell() throws Exception {
    CheckReport report =
        ScheduleCheck.of(Files.writeString(folder.resolve("log.json"), LOG), null, null);
    assertThat(report.passed()).isTrue();
    assertThat(report.leftOut())
        .containsOnlyKeys(Rule.ORDER, Rule.SWITCH, Rule.DURATION, Rule.COMPATIBLE);
    assertThat(report.extent().resting())
        .containsExactly(
            "completed_requests", "failed_requests", "dropped_requests", "refused_requests");
  }

  /** Each rule at least three times: what is changed once, and the rule that must say so. */
  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          FORMAT | "node_id": "n1", |
          FORMAT | "gpu_ids": [0, 1] | "gpu_ids": [1, 0]
          FORMAT | "execution_time": 8.0 | "execution_time": "eight"
          FORMAT | "start_time": 30.0, |
          FORMAT | "gpu_ids": [0] | "gpu_ids": ["zero"]
          TIME | "execution_time": 8.0 | "execution_time": 7.5
          TIME | "end_time": 14.0 | "end_time": 13.0
          TIME | "waiting_time": 14.0 | "waiting_time": 13.0
          TIME | "waiting_time": 14.0 | "waiting_time": -1.0
          TIME | "switch_time": 30.0 | "switch_time": -30.0
          NODE_ONCE | "node_id": "n2" | "node_id": "n1"
          NODE_ONCE | "node_id": "n2" | "node_id": "n3"
          NODE_ONCE | "request_id": "r3" | "request_id": "r2"
          NODE_ONCE | "request_id": "r3" | "request_id": "r9"
          NODE_ONCE | "workflow_id": "chain", "node_id": "n2" | "workflow_id": "single", "node_id": "n2"
          ORDER | "start_time": 44.75, "end_time": 49.75 | "start_time": 44.65, "end_time": 49.65
          ORDER | "start_time": 44.75, "end_time": 49.75 | "start_time": 20.0, "end_time": 25.0
          ORDER | "switch_time": 6.75 | "switch_time": 6.85
          GPU_OVERLAP | "start_time": 14.0, "end_time": 18.0 | "start_time": 13.9, "end_time": 17.9
          GPU_OVERLAP | "gpu_id": 1, "gpu_ids": [1], "start_time": 10.0 | "gpu_id": 0, "gpu_ids": [0], "start_time": 10.0
          GPU_OVERLAP | "switch_time": 0.0 | "switch_time": 3.0
          GPU_OVERLAP | "start_time": 14.0, "end_time": 18.0 | "start_time": 36.0, "end_time": 40.0
          GANG | "gpu_ids": [0, 1] | "gpu_ids": [0, 2]
          GANG | "gpu_ids": [0, 1] | "gpu_ids": [0, 0]
          GANG | "gpu_ids": [0, 1] | "gpu_ids": [0, -1]
          MODEL_FITS | "gpu_ids": [0, 1] | "gpu_ids": [0]
          MODEL_FITS | "gpus": [0, 1] | "gpus": [0, 2]
          MODEL_FITS | "model_name": "a" | "model_name": "c"
          MODEL_FITS | "gpu_ids": [0, 1] | "gpu_ids": [0, 1, 2]
          SWITCH | "switch_time": 6.75 | "switch_time": 6.625
          SWITCH | "switch_time": 30.0 | "switch_time": 29.0
          SWITCH | "switch_time": 0.0 | "switch_time": 4.0
          SWITCH | "switch_time": 6.75 | "switch_time": 120.0
          DURATION | "start_time": 30.0, "end_time": 38.0, "execution_time": 8.0 | "start_time": 30.0, "end_time": 37.0, "execution_time": 7.0
          DURATION | "start_time": 10.0, "end_time": 14.0, "execution_time": 4.0 | "start_time": 10.0, "end_time": 13.0, "execution_time": 3.0
          DURATION | "end_time": 49.75, "execution_time": 5.0 | "end_time": 50.75, "execution_time": 6.0
          SUMMARY | "makespan": 49.75 | "makespan": 49.7
          SUMMARY | "total_requests": 3 | "total_requests": 4
          SUMMARY | "completed_requests": 3 | "completed_requests": 2
          SUMMARY | "total_nodes_executed": 4 | "total_nodes_executed": 5
          SUMMARY | "total_model_switches": 3 | "total_model_switches": 2
          SUMMARY | "total_switch_time": 46.75 | "total_switch_time": 46.0
          SUMMARY | "avg_waiting_time": 3.5 | "avg_waiting_time": 3.6
          SUMMARY | "p99_waiting_time": 13.58 | "p99_waiting_time": 14.0
          SUMMARY | "p99_response_time": 37.4 | "p99_response_time": 38.0
          SUMMARY | "refused_requests": 0 | "refused_requests": 1
          SUMMARY | "total_first_loads": 2 | "total_first_loads": 3
          SUMMARY | "total_first_load_time": 40.0 | "total_first_load_time": 46.75
          SUMMARY | "avg_response_time": 20.4375 | "avg_response_time": 20.4
          SUMMARY | "p99_request_response_time": 49.115 | "p99_request_response_time": 49.75
          SUMMARY | "failed_requests": 0 | "failed_requests": 1
          SUMMARY | "makespan": 49.75, | "policy": "ray_like",
          SUMMARY | "gpu_id": 1, "executions" | "gpu_id": 0, "executions"
          SUMMARY | "utilization": 0.597989949749 | "utilization": 0.6
          SUMMARY | "busy_time": 29.75 | "busy_time": 18.0
          SUMMARY | "executions": 3 | "executions": 2
          SUMMARY | "utilization": 1.0 | "utilization": 0.9
          SUMMARY | "avg_request_response_time": 27.25 | "avg_request_response_time": "long"
          """)
  void findsEachPlantedFault(Rule rule, String sound, String planted) throws Exception {
    String flat = LOG.replaceAll("\n +", " ");
    assertThat(flat).contains(sound);
    int at = flat.indexOf(sound);
    String changed =
        flat.substring(0, at)
            + (planted == null ? "" : planted)
            + flat.substring(at + sound.length());
    CheckReport report = check(changed);
    assertThat(report.faultCounts()).containsKey(rule);
    assertThat(report.faults()).allMatch(fault -> !fault.where().isEmpty());
  }

  @Test
  void namesTheRowsAndTheValues() throws Exception {
    CheckReport report =
        check(
            LOG.replace(
                "\"start_time\": 14.0, \"end_time\": 18.0",
                "\"start_time\": 13.5, \"end_time\": 17.5"));
    assertThat(report.faults())
        .contains(
            new Fault(
                Rule.GPU_OVERLAP,
                "executions[1] r2/n, executions[2] r3/n",
                "GPU (1) is taken from (0.0) until (14.0), and again from (13.5)"));
  }

  @Test
  void aGangInRowsOfItsOwn_isOneGang() throws Exception {
    String gang =
        LOG.substring(
            LOG.indexOf(
                "{\"request_id\": \"r1\", \"workflow_id\": \"chain\", \"node_id\": \"n2\""));
    String row =
        gang.substring(0, gang.indexOf('}') + 1)
            .replace("\"gpu_ids\": [0, 1], ", "")
            .replace("\"gpu_ids\": [0, 1],", "");
    String second = row.replace("\"gpu_id\": 0", "\"gpu_id\": 1");
    String whole = LOG.substring(0, LOG.indexOf(gang)) + row + "," + second + "]}";
    assertThat(check(whole).faults()).isEmpty();
    String late = second.replace("44.75", "45.75").replace("49.75", "50.75");
    assertThat(check(whole.replace(second, late)).faultCounts()).containsKey(Rule.GANG);
    assertThat(check(whole.replace("," + second, "")).faults()).isEmpty();
  }

  @Test
  void aLogWithoutSwitches_mustLeaveThemRoom() throws Exception {
    String silent = LOG.replaceAll(", \"switch_time\": [0-9.]+, \"waiting_time\": [0-9.]+", "");
    silent =
        silent.replaceAll(
            "\"(total|avg|p99)_(model_switches|first_loads|[a-z_]*_time)\": [0-9.]+,", "");
    silent = silent.replaceAll("\"(busy_time|utilization)\": [0-9.]+", "\"left_out\": 0");
    assertThat(check(silent).faults()).isEmpty();
    String rushed =
        silent.replace(
            "\"start_time\": 44.75, \"end_time\": 49.75",
            "\"start_time\": 44.5, \"end_time\": 49.5");
    assertThat(check(rushed).faultCounts()).containsKey(Rule.SWITCH);
  }

  @Test
  void onlineRequests_arriveAtTheirTimestamps() throws Exception {
    String online = LOG.replace("\"offline\"", "\"online\"");
    assertThat(check(online).faultCounts()).containsKey(Rule.ORDER);
  }

  @Test
  void aGangMayWaitForItsFirstGpuAlone_ifTheSummarySaysSo() throws Exception {
    String first =
        LOG.replace("\"mode\"", "\"gang_switch\": \"first\", \"mode\"")
            .replace("\"switch_time\": 6.75", "\"switch_time\": 6.625");
    assertThat(check(first).faultCounts()).doesNotContainKey(Rule.SWITCH);
  }

  /** The nodes of the valid log as measured: neither loads nor times are those of the files. */
  private static final String REAL =
      LOG.replace("\"simulate\": false", "\"simulate\": true")
          .replaceAll("\"(total|avg|p99)_[a-z_]*(time|switches|loads)\": [0-9.]+,", "")
          .replace("\"switch_time\": 30.0", "\"switch_time\": 0.5")
          .replace("\"switch_time\": 6.75", "\"switch_time\": 1.5")
          .replaceAll(", \"waiting_time\": [0-9.]+", "")
          .replaceAll("\"(busy_time|utilization)\": [0-9.]+", "\"left_out\": 0");

  @Test
  void whereNodesReallyRan_aSwitchTakesSomeTimeIfItIsNeeded_andElseNone() throws Exception {
    CheckReport sound = check(REAL);
    assertThat(sound.faults()).isEmpty();
    assertThat(sound.leftOut()).containsOnlyKeys(Rule.DURATION, Rule.COMPATIBLE);
    for (String planted : List.of("0.5=0.0", "1.5=0.0", "0.0=0.25")) {
      String[] change = planted.split("=", -1);
      String changed =
          REAL.replace("\"switch_time\": " + change[0], "\"switch_time\": " + change[1]);
      assertThat(check(changed).faultCounts()).as(planted).containsKey(Rule.SWITCH);
    }
  }

  @Test
  void aRequestThatIsSaidToBeUnfinished_mayLackNodes_butNotInputs() throws Exception {
    String failed =
        REAL.replace("\"completed_requests\": 3", "\"completed_requests\": 2")
            .replace("\"failed_requests\": 0", "\"failed_requests\": 1")
            .replace("\"total_nodes_executed\": 4", "\"total_nodes_executed\": 3");
    String said =
        failed.replace(
            "\"mode\"",
            "\"unfinished\": [{\"request_id\": \"r1\", \"reason\": \"r1/n2: no memory\"}],"
                + " \"mode\"");
    String withoutLast = without("n2", said).replace("\"makespan\": 49.75", "\"makespan\": 38.0");
    CheckReport report =
        check(
            withoutLast
                .replace("\"executions\": 2", "\"executions\": 1")
                .replace("\"executions\": 3", "\"executions\": 2"));
    assertThat(report.faults()).isEmpty();
    assertThat(report.leftOut()).containsOnlyKeys(Rule.DURATION, Rule.COMPATIBLE, Rule.GANG);
    String repeated = REAL.replace("\"mode\"", "\"attempts_not_done\": 1, \"mode\"");
    assertThat(check(repeated).leftOut())
        .containsOnlyKeys(Rule.DURATION, Rule.COMPATIBLE, Rule.SWITCH);
    String ghost =
        REAL.replace("\"mode\"", "\"unfinished\": [{\"request_id\": \"ghost\"}], \"mode\"");
    assertThat(check(ghost).faultCounts()).containsKeys(Rule.NODE_ONCE, Rule.SUMMARY);
    assertThat(check(without("n2", failed)).faultCounts()).containsKey(Rule.NODE_ONCE);
    assertThat(check(said).faultCounts()).containsKey(Rule.NODE_ONCE);
    assertThat(check(without("n1", said)).faultCounts()).containsKey(Rule.ORDER);
    String two =
        withoutLast
            .replace("\"reason\"", "\"workflow_id\": \"chain\", \"reason\"")
            .replace("\"failed_requests\": 1", "\"failed_requests\": 0");
    assertThat(check(two).faultCounts()).as("none may vanish").containsKey(Rule.SUMMARY);
  }

  private static String without(String node, String log) {
    int at = log.indexOf("\"node_id\": \"" + node + "\"");
    int from = log.lastIndexOf('{', at);
    int to = log.indexOf('}', at) + 1;
    String rest = log.substring(0, from) + log.substring(to);
    return rest.replaceFirst("\\[\\s*,", "[")
        .replaceFirst(",\\s*,", ",")
        .replaceFirst(",\\s*]}", "]}");
  }

  /** r3 in the batch of r2, on the GPU that is free from 14 on. */
  private static final String SHARED =
      REAL.replace(
              "\"start_time\": 14.0, \"end_time\": 18.0",
              "\"start_time\": 10.0, \"end_time\": 14.0")
          .replace("\"node_id\": \"n\",", "\"node_id\": \"n\", \"batch_id\": 7,");

  @Test
  void nodesThatShareABatch_takeTheirGpuOnce_ifTheyMay() throws Exception {
    Files.writeString(
        system,
        SYSTEM.replace("  single:\n", "  single:\n    microbatch: true\n")
            + "microbatch: {max_batch: 2}\n");
    CheckReport report = check(SHARED);
    assertThat(report.faults()).isEmpty();
    assertThat(report.looked()).containsEntry(Rule.COMPATIBLE, 1L);
    String apart = SHARED.replaceFirst("\"batch_id\": 7", "\"batch_id\": 8");
    assertThat(check(apart).faultCounts()).containsKey(Rule.GPU_OVERLAP);
    String longer =
        SHARED.replaceFirst(
            "\"end_time\": 14.0, \"execution_time\": 4.0",
            "\"end_time\": 15.0, \"execution_time\": 5.0");
    assertThat(check(longer).faultCounts()).containsKey(Rule.COMPATIBLE);
    String busy =
        SHARED.replaceFirst(
            "\"gpu_id\": 1, \"executions\": 3, \"left_out\": 0",
            "\"gpu_id\": 1, \"executions\": 3, \"busy_time\": 20.5");
    assertThat(check(busy).faults()).as("10 + 4 and 1.5 + 5").isEmpty();
    Files.writeString(system, SYSTEM + "microbatch: {max_batch: 1}\n");
    assertThat(check(SHARED).faultCounts()).containsEntry(Rule.COMPATIBLE, 3L);
  }

  @Test
  void aPromise_isCountedAnew() throws Exception {
    Files.writeString(system, SYSTEM.replace("  single:\n", "  single:\n    slo_ms: 15000\n"));
    String told = LOG.replace("\"mode\"", "\"slo_violations\": 1, \"mode\"");
    assertThat(check(told).faults()).as("r3 ends at 18").isEmpty();
    assertThat(check(told.replace("\"slo_violations\": 1", "\"slo_violations\": 0")).faultCounts())
        .containsKey(Rule.SUMMARY);
  }

  @Test
  void whatIsNoLog_isAMistake() throws Exception {
    assertThat(mistake("{\"executions\": ["))
        .startsWith(folder + "/log.json:1: error: this is no JSON");
    assertThat(mistake("{\"runs\": []}")).contains("there is no list (executions)");
    assertThat(mistake("{\"executions\": [{\"start_time\": NaN}]}")).contains("this is no JSON");
    UserMistakeException missing =
        catchThrowableOfType(
            UserMistakeException.class,
            () -> ScheduleCheck.of(folder.resolve("none.json"), null, null));
    assertThat(missing).hasMessageContaining("none.json").hasMessageContaining("Maybe ");
  }

  private String mistake(String log) {
    return catchThrowableOfType(UserMistakeException.class, () -> check(log)).getMessage();
  }
}
