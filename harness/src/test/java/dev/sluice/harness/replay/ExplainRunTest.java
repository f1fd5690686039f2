package dev.sluice.harness.replay;

import static dev.sluice.harness.replay.HandmadeLog.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduling.core.SchedulingCore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explanations of handmade logs, to the letter, and what cannot be explained. */
final class ExplainRunTest {
  @TempDir private Path folder;

  private HandmadeLog log(int lanes, long tokens, String... overrides) throws Exception {
    return new HandmadeLog(folder, overrides).executor(0, "e", 1, lanes, tokens).started();
  }

  /** Two lanes and 300 tokens: j3 waits for both, and j6 comes later and goes first. */
  private HandmadeLog crowded() throws Exception {
    return log(2, 300)
        .job(10, "j1", "batch", "resnet18", 2)
        .tick(20) // on e/0, for 88 tokens
        .job(21, "j2", "interactive", "resnet18", 1) // on e/1, for 84
        .job(30, "j3", "batch", "resnet50", 2) // needs 168, and 128 are free
        .job(31, "j4", "batch", "resnet50", 1)
        .job(32, "j5", "batch", "resnet50", 1) // 4 samples: the set is full
        .job(35, "j6", "interactive", "vit_tiny", 1)
        .done(0, 44, 20.5, 21.25, 0) // j6 starts, and 172 tokens are free
        .done(1, 60, 21.5, 38.25, 0)
        .done(2, 66, 44.5, 21, 0)
        .done(3, 142, 60.7, 80.8, 0);
  }

  @Test
  void tellsWaits_overtaking_companions_andPredictions() throws Exception {
    assertThat(crowded().explained("j3"))
        .containsExactly(
            "j3  batch, resnet50 onnx fp32, 2 samples; 112 ms, 888 ms before its promise",
            "    0.030  meant; sent 0.1 ms late, in the log at 0.030",
            "    0.030  waits 30 ms: no lane idle 30 (also too few tokens 14, also window 2)",
            "            overtaken by j6 (short_service 400.0); 2 of 2 that could share its batch"
                + " came along",
            "    0.060  10-0 on e/1 with j4 and j5: predicted 80 ms (nearest_samples); it took 81,"
                + " 1.01 x",
            "    0.061  starts 0.7 ms after the decision; model held; ends 0.142, known at 0.142");
  }

  @Test
  void theSpansOfJsonSumUpToTheLatency() throws Exception {
    Map<String, Object> json = json(crowded(), "j3");
    assertThat(json.get("latency_ns")).isEqualTo(111_900_000L);
    assertThat(spans(json))
        .containsExactly(
            "late 29600000 29700000",
            "to_log 29700000 30000000",
            "waits 30000000 32000000 lane [tokens, window]",
            "waits 32000000 44000000 lane [tokens]",
            "waits 44000000 60000000 lane []",
            "to_start 60000000 60700000",
            "runs 60700000 141500000");
  }

  private Map<String, Object> json(HandmadeLog log, String jobId) throws Exception {
    return new ExplainRun(log.write(), jobId, false, true).tree();
  }

  @SuppressWarnings("unchecked")
  private static List<String> spans(Map<String, Object> json) {
    return ((List<Map<String, Object>>) json.get("spans"))
        .stream()
            .map(
                span ->
                    span.get("kind")
                        + " "
                        + span.get("from_ns")
                        + " "
                        + span.get("to_ns")
                        + (span.containsKey("cause")
                            ? " " + span.get("cause") + " " + span.get("also")
                            : ""))
            .toList();
  }

  @Test
  void tooFewTokens_whereALaneIsIdle_andOthersFirst_whereFifoWaitsForThem() throws Exception {
    HandmadeLog log =
        log(3, 240, "scheduler_name=fifo")
            .job(10, "j1", "batch", "resnet50", 1) // 164 tokens
            .job(11, "j2", "batch", "resnet50", 1)
            .job(12, "j3", "batch", "vit_tiny", 1) // 44 of 76 free
            .done(0, 40, 10.5, 25, 3);
    assertThat(log.explained("j2"))
        .contains("    0.011  waits 29 ms: too few tokens 29 (164 needed, at most 76 free)");
    assertThat(log.explained("j3")).contains("    0.012  waits 28 ms: others first 28");
    assertThat(log.explained("j1"))
        .endsWith(
            "    0.011  starts 0.5 ms after the decision; model loaded in 3 ms; ends 0.036, known"
                + " at 0.040");
  }

  @Test
  void noExecutorCanRunIt() throws Exception {
    HandmadeLog log = log(1, 240).job(10, "j1", "interactive", "resnet18", 1, "bf16").tick(15);
    assertThat(log.explained("j1"))
        .containsExactly(
            "j1  interactive, resnet18 onnx bf16, 1 sample; not ended after 5.4 ms, where the log"
                + " ends",
            "    0.010  meant; sent 0.1 ms late, in the log at 0.010",
            "    0.010  waits 5 ms: no executor can run it 5",
            "    0.015  the log ends, and the job has not");
  }

  @Test
  void aRetriedJobHasSeveralAttempts_andARefusedOneTakesNone() throws Exception {
    HandmadeLog log = log(1, 300, "scheduler_name=fifo").executor(0, "f", 1, 1, 300);
    log.job(10, "j1", "batch", "resnet18", 1); // on e, which is silent
    for (int i = 1; i < 6; i++) {
      log.executor(10 + i * 90, "f", 1, 1, 300);
    }
    log.executor(500, "e", 2, 1, 300).refused(1, 520).failed(2, 600, 530, 60, "out of memory");
    assertThat(log.explained("j1"))
        .containsExactly(
            "j1  batch, resnet18 onnx fp32, 1 sample; failed as out of memory after 590 ms",
            "    0.010  meant; sent 0.1 ms late, in the log at 0.010",
            "    0.010  3-0 on e/0: predicted 10 ms (warm_up)",
            "    0.370  given up: its lane or executor was lost",
            "    0.370  7-0 on f/0: predicted 10 ms (warm_up)",
            "    0.520  refused as too_late",
            "    0.520  10-0 on e/0: predicted 10 ms (warm_up)",
            "    0.530  starts 10 ms after the decision; model held; fails 0.590: out of memory,"
                + " known at 0.600",
            "    0.600  failed as out of memory after 2 attempts");
  }

  @Test
  void aBatchThatWasGivenUp_andRanOn_countsUpToItsEnd() throws Exception {
    HandmadeLog log = log(1, 300, "scheduler_name=fifo");
    log.job(10, "j1", "batch", "resnet18", 1);
    for (int i = 1; i < 6; i++) {
      log.tick(10 + i * 90);
    }
    log.done(0, 480, 11, 460, 0);
    assertThat(log.explained("j1"))
        .containsExactly(
            "j1  batch, resnet18 onnx fp32, 1 sample; 461 ms, 539 ms before its promise",
            "    0.010  meant; sent 0.1 ms late, in the log at 0.010",
            "    0.010  2-0 on e/0: predicted 10 ms (warm_up); it took 460, 46.00 x",
            "    0.011  starts 1 ms after the decision; model held; ends 0.471, known at 0.480",
            "    0.370  given up: its lane or executor was lost; but its batch ran on");
    assertThat(spans(json(log, "j1")))
        .endsWith("to_start 10000000 11000000", "runs 11000000 471000000");
  }

  @Test
  void aDroppedJobWaitsToItsEnd() throws Exception {
    HandmadeLog log =
        log(1, 240, "admission=expired")
            .job(10, "j1", "interactive", "resnet18", 1)
            .job(11, "j2", "interactive", "resnet18", 1)
            .tick(113);
    assertThat(log.explained("j2"))
        .containsExactly(
            "j2  interactive, resnet18 onnx fp32, 1 sample; dropped as expired after 102 ms",
            "    0.011  meant; sent 0.1 ms late, in the log at 0.011",
            "    0.011  waits 102 ms: no lane idle 102",
            "    0.113  dropped as expired");
  }

  @Test
  void aJobOfAWorkflowNamesTheInputThatHeldIt() throws Exception {
    HandmadeLog log =
        log(2, 300, "scheduler_name=fifo")
            .workflow(10, "flow", node("a", 1), node("b", 1), node("c", 2, 0, 1), node("d", 1, 2))
            .done(1, 30, 11, 15, 0)
            .done(0, 40, 11, 25, 0)
            .failed(2, 60, 41, 15, "it broke");
    assertThat(log.explained("flow/c"))
        .containsExactly(
            "flow/c  batch, vit_tiny onnx fp32, 1 sample on 2 lanes; failed as it broke after 50"
                + " ms",
            "    0.010  its workflow was meant; sent 0 ms late, in the log at 0.010",
            "    0.010  waits 30 ms for 2 inputs; the last to end, flow/a, was done at 0.040",
            "    0.040  4-0 on e/0 to 1: predicted 20 ms (running_mean)",
            "    0.041  starts 1 ms after the decision; model held; fails 0.056: it broke, known at"
                + " 0.060",
            "    0.060  failed as it broke after 1 attempt");
    assertThat(log.explained("flow/d"))
        .containsExactly(
            "flow/d  batch, vit_tiny onnx fp32, 1 sample; dropped as input_not_done after 50 ms",
            "    0.010  its workflow was meant; sent 0 ms late, in the log at 0.010",
            "    0.010  waits 50 ms for 1 input; the last to end, flow/c, failed as it broke at"
                + " 0.060",
            "    0.060  dropped as input_not_done");
  }

  @Test
  void anUnknownJobGetsTheNearestId_andAWorkflowItsJobs() throws Exception {
    HandmadeLog log =
        log(2, 300)
            .workflow(10, "flow", node("a", 1), node("b", 1))
            .job(11, "j1", "batch", "resnet18", 1);
    assertMistake(
        log.write(),
        "j2",
        "log.jsonl.gz: error: job (j2) is none of its 3 jobs.",
        "Maybe you meant j1.");
    assertMistake(
        log.write(), "flow", "job (flow) is none", "a job of this workflow: flow/a and flow/b.");
  }

  @Test
  void aLogWithoutItsExperiment_orWithoutItsFirstFacts_isRefused() throws Exception {
    HandmadeLog log = log(2, 300).job(10, "j1", "batch", "resnet18", 1);
    assertMistake(
        log.write("1", null), "j1", "error: the recording does not hold the experiment", "");
    HandmadeLog late = new HandmadeLog(folder).beginningAt(7).executor(0, "e", 1, 1, 300).started();
    assertMistake(
        late.write(),
        "j1",
        "log.jsonl.gz: error: facts (0 to 6) of shard 0 are missing.",
        "retention");
  }

  @Test
  void aLogOfAnotherCore_andDecisionsThatDiffer_areSaidFirst() throws Exception {
    HandmadeLog log = log(2, 300).job(10, "j1", "interactive", "resnet18", 1);
    assertThat(explained(log.write("0", log.experimentText())))
        .startsWith(
            "note: core (0) decided in this log, and this Sluice has core "
                + SchedulingCore.DECISIONS_VERSION
                + ": its decisions may differ");
    HandmadeLog other = log(2, 300).job(10, "j1", "interactive", "resnet18", 1);
    assertThat(explained(other.write())).noneMatch(line -> line.startsWith("note:"));
    other.dropDecisions();
    assertThat(explained(other.write()))
        .first()
        .asString()
        .startsWith(
            "note: the decisions made again differ from the recorded ones (recorded dispatches [],"
                + " made again [2-0]);");
  }

  @Test
  void aLogThatWasCutShortIsTakenAsFarAsItGoes_ifAsked() throws Exception {
    Path file = crowded().write();
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 60));
    assertThatThrownBy(() -> explained(file)).isInstanceOf(UserMistakeException.class);
    assertThat(new ExplainRun(file, "j1", true, false).lines())
        .first()
        .asString()
        .startsWith("note: ");
  }

  @Test
  void withoutALogTheTablesAreTold_andWhatTheyLack() throws Exception {
    Files.writeString(folder.resolve("summary.json"), "{}");
    Files.write(
        folder.resolve("trace.csv"),
        List.of(
            "job_id,class_type,workload_name,backend,precision,batch_size,enqueue_time,sent_time,"
                + "appended_time,decided_time,start_time,end_time,e2e_ms,slo_ms,status,reason,shard",
            "j1,batch,resnet18,onnx,fp32,2,1.0,1.0001,1.000,1.010,1.0112,1.0312,31.2,1000,done,,0",
            "j2,batch,resnet18,onnx,fp32,2,1.0,1.0001,1.000,,,,,1000,dropped,expired,0"));
    Files.write(
        folder.resolve("dispatches.csv"),
        List.of(
            "dispatch_id,lane_id,job_ids,result,cause,decided_time,start_time,end_time,"
                + "predicted_service_ms,prediction_source,predicted_p95_ms,service_ms,shard",
            "7-0,e/1,j9 j1,done,,1.010,1.0112,1.0312,18,published,22,20,0",
            "7-0,e/1,j1,done,,1.010,1.0112,1.0312,18,published,22,20,1"));
    List<String> lacks =
        List.of(
            "This run left no log, so that its tables alone are told. They lack:",
            "  why it waited, by reason",
            "  who overtook it",
            "  how many jobs could have shared its batch",
            "  times below a microsecond");
    assertThat(explained(folder))
        .startsWith(
            "j1  batch, resnet18 onnx fp32, 2 samples; 31 ms, promised 1,000",
            "    1.000  meant; sent 0.1 ms late, in the log at 1.000",
            "    1.010  7-0 on e/1, jobs j9, j1: predicted 18 ms (published), p95 22; done",
            "    1.011  starts 1.2 ms after the decision; ends 1.031; it took 20")
        .endsWith(lacks.toArray(String[]::new));
    assertThat(new ExplainRun(folder, "j2", false, false).lines())
        .startsWith("j2  batch, resnet18 onnx fp32, 2 samples; dropped as expired");
    Map<String, Object> json = new ExplainRun(folder, "j1", false, true).tree();
    assertThat(json).containsEntry("source", "tables");
    assertThat(spans(json))
        .containsExactly(
            "late 1000000000 1000100000",
            "waits_and_earlier_attempts 1000100000 1010000000",
            "to_start 1010000000 1011200000",
            "runs 1011200000 1031200000");
    assertMistake(folder, "j3", "job (j3) is none of its 2 jobs.", "you meant j1.");
  }

  @Test
  void whatIsNoRunIsRefused() {
    assertMistake(folder.resolve("none"), "j1", "there is no such file or folder", "results");
    assertMistake(folder, "j1", "this is no folder of a finished run", "");
  }

  private static List<String> explained(Path subject) throws Exception {
    return new ExplainRun(subject, "j1", false, false).lines();
  }

  private static void assertMistake(Path subject, String jobId, String what, String maybe) {
    assertThatThrownBy(() -> new ExplainRun(subject, jobId, false, false).lines())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(what)
        .hasMessageContaining(maybe);
  }
}
