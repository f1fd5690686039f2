package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.ScheduleCheckTest.LOG;
import static dev.sluice.analytics.check.ScheduleCheckTest.REQUESTS;
import static dev.sluice.analytics.check.ScheduleCheckTest.SYSTEM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.check.CheckReport.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is just allowed in a log, and what is just no longer so; each case is the log of {@link
 * ScheduleCheckTest} with one thing changed.
 */
final class ScheduleEdgesTest {
  private static final String R3_TIMES =
      "\"start_time\": 14.0, \"end_time\": 18.0, \"execution_time\": 4.0";

  @TempDir private Path folder;

  private CheckReport check(String log) throws Exception {
    return check(log, SYSTEM, REQUESTS);
  }

  private CheckReport check(String log, String system, String requests) throws Exception {
    return ScheduleCheck.of(
        Files.writeString(folder.resolve("log.json"), log),
        Files.writeString(folder.resolve("system.yaml"), system),
        Files.writeString(folder.resolve("requests.yaml"), requests));
  }

  private CheckReport checkAlone(String log) throws Exception {
    return ScheduleCheck.of(Files.writeString(folder.resolve("log.json"), log), null, null);
  }

  private static List<String> words(CheckReport report, Rule rule) {
    return report.faults().stream().filter(fault -> fault.rule() == rule).map(Fault::what).toList();
  }

  @Test
  void fieldsOfOthersAreAllowed_andOwnOnesMustBeOfTheirKind() throws Exception {
    String more = "\"node_id\": \"n1\", \"note\": {\"by\": [\"hand\"]}, \"cost\": 3,";
    assertThat(check(LOG.replace("\"node_id\": \"n1\",", more)).faults()).isEmpty();

    String text = LOG.replace("\"waiting_time\": 14.0", "\"waiting_time\": \"long\"");
    assertThat(words(check(text), Rule.FORMAT)).containsExactly("waiting_time is (long)");
    String number = LOG.replace("\"node_id\": \"n1\"", "\"node_id\": 5");
    assertThat(words(check(number), Rule.FORMAT)).containsExactly("node_id is (5)");
    String one = LOG.replace("\"gpu_ids\": [0],", "\"gpu_ids\": 0,");
    assertThat(words(check(one), Rule.FORMAT)).containsExactly("gpu_ids is (0)");
  }

  @Test
  void eachNumberOfARowIsFinite() throws Exception {
    for (String field : List.of("start_time", "end_time", "estimated_time", "waiting_time")) {
      String endless = LOG.replaceFirst("\"" + field + "\": [0-9.]+", "\"" + field + "\": 1e999");
      assertThat(words(check(endless), Rule.FORMAT)).containsExactly(field + " is not finite");
    }
  }

  @Test
  void aRequestThatNeedsMoreGpusThanThereAre_isRefused_andNoOther() throws Exception {
    String system =
        SYSTEM.replace(
                "workflows:\n",
                "  d: {memory_gb: 20, gpus_required: 3, load_time_seconds: 9,"
                    + " inference_time_mean: 1}\nworkflows:\n")
            + "  wide:\n    nodes: [{id: w, model: d}]\n";
    String requests =
        REQUESTS + "  - {request_id: r4, timestamp: \"2024-01-01T10:00:07\", workflow_id: wide}\n";
    String log =
        LOG.replace("\"total_requests\": 3", "\"total_requests\": 4")
            .replace("\"refused_requests\": 0", "\"refused_requests\": 1");
    CheckReport report = check(log, system, requests);
    assertThat(report.faults()).isEmpty();
    assertThat(report.looked()).as("w is none of them").containsEntry(Rule.NODE_ONCE, 4L);
    assertThat(check(LOG, system, requests).faultCounts()).containsEntry(Rule.SUMMARY, 2L);
  }

  @Test
  void aNodeThatRunsAgain_isNamedWithItsFirstRow() throws Exception {
    String again =
        """
        , {"request_id": "r3", "workflow_id": "single", "node_id": "n", "model_name": "c",
           "gpu_id": 1, "gpu_ids": [1], "start_time": 18.0, "end_time": 22.0,
           "execution_time": 4.0, "switch_time": 0.0, "waiting_time": 18.0}
          ]}
        """;
    String log = LOG.substring(0, LOG.lastIndexOf(']')) + again;
    CheckReport report = check(log);
    assertThat(words(report, Rule.NODE_ONCE))
        .containsExactly("the node has run before, in executions[2]");
    assertThat(words(checkAlone(log), Rule.NODE_ONCE)).containsExactly("the node has run before");
  }

  @Test
  void aLogWhoseGpusNobodyNames_saysWhatWasNotLookedAt() throws Exception {
    CheckReport report = checkAlone(LOG.replace("\"gpus\": [0, 1], ", ""));
    assertThat(report.faults()).isEmpty();
    assertThat(report.leftOut()).containsEntry(Rule.MODEL_FITS, "the summary names no gpus");
    assertThat(report.subject()).endsWith("on unnamed GPUs");
  }

  @Test
  void aNodeMayTakeNoTime_andThenTakesNoGpu() throws Exception {
    String within = "\"start_time\": 12.0, \"end_time\": 12.0, \"execution_time\": 0.0";
    assertThat(checkAlone(LOG.replace(R3_TIMES, within)).faultCounts())
        .doesNotContainKeys(Rule.TIME, Rule.GPU_OVERLAP);
    String brief = "\"start_time\": 12.0, \"end_time\": 12.5, \"execution_time\": 0.5";
    assertThat(checkAlone(LOG.replace(R3_TIMES, brief)).faultCounts())
        .containsEntry(Rule.GPU_OVERLAP, 1L);
    String negative = "\"start_time\": 14.0, \"end_time\": 13.5, \"execution_time\": -0.5";
    assertThat(words(checkAlone(LOG.replace(R3_TIMES, negative)), Rule.TIME))
        .containsExactly("execution_time (-0.5) is negative");
  }

  /** A GPU that is taken again while the longer of two rows still has it. */
  @Test
  void aRowWithinAnother_doesNotFreeTheGpu() throws Exception {
    String within =
        LOG.replace(R3_TIMES, "\"start_time\": 12.0, \"end_time\": 13.0, \"execution_time\": 1.0");
    String third =
        within.replace(
            "\"start_time\": 44.75, \"end_time\": 49.75, \"execution_time\": 5.0",
            "\"start_time\": 20.25, \"end_time\": 25.25, \"execution_time\": 5.0");
    assertThat(words(checkAlone(third), Rule.GPU_OVERLAP))
        .containsExactly(
            "GPU (0) is taken from (0.0) until (38.0), and again from (13.5)",
            "GPU (1) is taken from (0.0) until (14.0), and again from (12.0)",
            "GPU (1) is taken from (0.0) until (14.0), and again from (13.5)");
  }

  @Test
  void theRowsMayStandInAnyOrder() throws Exception {
    int second = LOG.indexOf("{\"request_id\": \"r2\"");
    int third = LOG.indexOf("{\"request_id\": \"r3\"");
    int fourth = LOG.lastIndexOf("{\"request_id\": \"r1\"");
    String swapped =
        LOG.substring(0, second)
            + LOG.substring(third, fourth)
            + LOG.substring(second, third)
            + LOG.substring(fourth);
    assertThat(check(swapped).faults()).isEmpty();
  }

  /** r2 arrives at 5 s and r3 at 6 s; c is loaded when r2 comes, on a GPU that was free. */
  @Test
  void anOnlineLogCountsFromTheArrivals() throws Exception {
    String online =
        LOG.replace("\"offline\"", "\"online\"")
            .replace(R3_TIMES, R3_TIMES.replace("18.0", "23.0").replace("14.0", "19.0"))
            .replace("\"waiting_time\": 14.0", "\"waiting_time\": 13.0")
            .replace(
                "\"start_time\": 10.0, \"end_time\": 14.0",
                "\"start_time\": 15.0, \"end_time\": 19.0")
            .replace("\"avg_waiting_time\": 3.5", "\"avg_waiting_time\": 3.25")
            .replace("\"p99_waiting_time\": 13.58", "\"p99_waiting_time\": 12.61")
            .replace("\"avg_response_time\": 20.4375", "\"avg_response_time\": 20.1875")
            .replace("\"p99_response_time\": 37.4", "\"p99_response_time\": 37.37")
            .replace("_response_time\": 27.25", "_response_time\": 26.91666666667")
            .replace("_response_time\": 49.115", "_response_time\": 49.095");
    assertThat(check(online).faults()).isEmpty();
    String early =
        online.replace(
            "\"start_time\": 15.0, \"end_time\": 19.0", "\"start_time\": 14.9, \"end_time\": 18.9");
    assertThat(words(check(early), Rule.ORDER))
        .containsExactly("it takes its GPU at (4.9), but its request arrives at (5.0)");
  }

  @Test
  void wherePromisesWereMade_theirViolationsAreCounted_andElseNone() throws Exception {
    String system =
        SYSTEM
            .replace("  single:\n", "  single:\n    slo_ms: 15000\n")
            .replace("  chain:\n", "  chain:\n    slo_ms: 50000\n");
    String told = LOG.replace("\"mode\"", "\"slo_violations\": 1, \"mode\"");
    assertThat(check(told, system, REQUESTS).faults()).as("r3 ends at 18 s").isEmpty();
    String flattered = told.replace("\"slo_violations\": 1", "\"slo_violations\": 0");
    assertThat(check(flattered, system, REQUESTS).faultCounts()).containsKey(Rule.SUMMARY);
    assertThat(check(told).extent().resting()).as("no promise").contains("slo_violations");
  }

  /** A job that ends just when its promise does has kept it. */
  @Test
  void aRequestThatEndsAtItsPromise_keepsIt() throws Exception {
    String told = LOG.replace("\"mode\"", "\"slo_violations\": 0, \"mode\"");
    for (String slo : List.of("18000", "17999")) {
      String system = SYSTEM.replace("  single:\n", "  single:\n    slo_ms: " + slo + "\n");
      assertThat(check(told, system, REQUESTS).passed()).as(slo).isEqualTo(slo.equals("18000"));
    }
  }

  @Test
  void theGpusThatAreListed_areThoseOfTheSummary() throws Exception {
    String third = LOG.replace("\"gpus\": [0, 1]", "\"gpus\": [0, 1, 2]");
    assertThat(words(check(third), Rule.SUMMARY))
        .containsExactly("it lists the GPUs [0, 1], and gpus are [0, 1, 2]");
    String idle = "{\"gpu_id\": 2, \"executions\": 0, \"busy_time\": 0.0, \"utilization\": 0.0}]}";
    String listed = third.replace("0.597989949749}]}", "0.597989949749}, " + idle);
    assertThat(check(listed).faults()).isEmpty();
    assertThat(check(LOG.replaceAll("\"gpu_utilization\": \\[[^]]*]", "\"more\": 1")).faults())
        .as("another program's summary may list none")
        .isEmpty();
    assertThat(checkAlone(LOG.replace("\"gpus\": [0, 1], ", "")).faults()).isEmpty();
  }
}
