package dev.sluice.analytics.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A legal run, worked out by hand; and what is said when something in its folder is changed. */
final class RunCheckTest {
  private static final String CONFIG =
      """
      scheduler_name: dynamic
      classes:
        interactive: {slo_ms: 100, priority: 1, interactive: true, microbatch: false}
        batch: {slo_ms: 1000, priority: 5, interactive: false, microbatch: true}
      microbatch: {enabled: true, window_ms: 10, max_batch: 4, policies: [batch_aware, dynamic]}
      resources: {enabled: true, total_tokens: 200, cpu_fallback: false}
      """;

  /**
   * Jobs 1 and 2 start together once job 1 has waited 10 ms; 3 and 4 as soon as they are 4 samples;
   * job 5 is dropped.
   */
  private static final String TRACE =
      """
      job_id,class_type,workload_name,backend,precision,batch_size,enqueue_time,start_time,end_time,wait_ms,service_ms,e2e_ms,slo_ms,slo_violation,phase,status,reason,dispatch_id,sent_time,appended_time,observed_time,shard
      job-0,interactive,resnet18,onnx,fp32,1,0.000500,0.002000,0.022000,1.5,20,21.5,100,0,measured,done,,1-0,0.000600,0.001000,0.023000,0
      job-1,batch,resnet18,onnx,fp32,1,0.002500,0.014000,0.044000,11.5,30,41.5,1000,0,measured,done,,5-0,0.002600,0.003000,0.045000,0
      job-2,batch,resnet18,onnx,fp32,2,0.007500,0.014000,0.044000,6.5,30,36.5,1000,0,measured,done,,5-0,0.007600,0.008000,0.045000,0
      job-3,batch,resnet18,onnx,fp32,2,0.019500,0.025000,0.055000,5.5,30,35.5,1000,0,measured,done,,9-0,0.019600,0.020000,0.056000,0
      job-4,batch,resnet18,onnx,fp32,2,0.023500,0.025000,0.055000,1.5,30,31.5,1000,0,measured,done,,9-0,0.023600,0.024000,0.056000,0
      job-5,interactive,resnet18,onnx,fp32,1,0.049500,,,,,,100,1,measured,dropped,hopeless,,0.049600,0.050000,0.060000,0
      """;

  private static final String DISPATCHES =
      """
      dispatch_id,lane_id,job_ids,samples,tokens,attempt,result,decided_time,start_time,end_time,completed_time,shard
      1-0,executor-0/0,job-0,1,84,1,done,0.001000,0.002000,0.022000,0.023000,0
      5-0,executor-0/1,job-1 job-2,3,92,1,done,0.013000,0.014000,0.044000,0.045000,0
      9-0,executor-0/0,job-3 job-4,4,96,1,done,0.024000,0.025000,0.055000,0.056000,0
      """;
  private static final String SUMMARY =
      """
      {"run_id": "run-1", "scheduler_name": "dynamic", "window_seconds": 1.0,
       "all_count": 6, "all_done": 5, "all_total_samples": 9, "all_avg_e2e_ms": 33.3,
       "all_avg_wait_ms": 5.3, "all_avg_service_ms": 28.0, "all_p50_e2e_ms": 35.5,
       "all_p95_e2e_ms": null, "all_p99_e2e_ms": null, "all_completed_p50_e2e_ms": 35.5,
       "all_completed_p95_e2e_ms": 41.5, "all_completed_p99_e2e_ms": 41.5, "all_slo_violations": 1,
       "all_slo_violation_rate": 0.16666667, "all_goodput_jobs_sec": 5.0,
       "interactive_count": 2, "interactive_done": 1, "interactive_total_samples": 2,
       "interactive_avg_e2e_ms": 21.5, "interactive_avg_wait_ms": 1.5,
       "interactive_avg_service_ms": 20, "interactive_p50_e2e_ms": 21.5,
       "interactive_p95_e2e_ms": null, "interactive_p99_e2e_ms": null,
       "interactive_completed_p50_e2e_ms": 21.5, "interactive_completed_p95_e2e_ms": 21.5,
       "interactive_completed_p99_e2e_ms": 21.5, "interactive_slo_violations": 1,
       "interactive_slo_violation_rate": 0.5, "interactive_goodput_jobs_sec": 1.0,
       "batch_count": 4, "batch_done": 4, "batch_total_samples": 7, "batch_avg_e2e_ms": 36.25,
       "batch_avg_wait_ms": 6.25, "batch_avg_service_ms": 30, "batch_p50_e2e_ms": 35.5,
       "batch_p95_e2e_ms": 41.5, "batch_p99_e2e_ms": 41.5, "batch_completed_p50_e2e_ms": 35.5,
       "batch_completed_p95_e2e_ms": 41.5, "batch_completed_p99_e2e_ms": 41.5,
       "batch_slo_violations": 0, "batch_slo_violation_rate": 0, "batch_goodput_jobs_sec": 4.0}
      """;

  @TempDir private Path folder;

  @BeforeEach
  void writeFolder() throws IOException {
    Files.writeString(folder.resolve("config.yaml"), CONFIG);
    Files.writeString(folder.resolve("trace.csv"), TRACE);
    Files.writeString(folder.resolve("dispatches.csv"), DISPATCHES);
    Files.writeString(folder.resolve("summary.json"), SUMMARY);
  }

  @Test
  void passes_aLegalRun_andAsksEachRule() throws Exception {
    CheckReport report = RunCheck.of(folder);
    assertThat(report.faults()).isEmpty();
    assertThat(report.leftOut()).isEmpty();
    assertThat(report.looked())
        .containsEntry(Rule.JOB_ONCE, 6L)
        .containsEntry(Rule.TIME, 6L)
        .containsEntry(Rule.ORDER, 5L)
        .containsEntry(Rule.BATCH_ONCE, 3L)
        .containsEntry(Rule.LANE_OVERLAP, 3L)
        .containsEntry(Rule.TOKENS, 3L)
        .containsEntry(Rule.COMPATIBLE, 3L)
        .containsEntry(Rule.WINDOW, 2L)
        .containsEntry(Rule.SUMMARY, 45L);
    assertThat(report.subject()).isEqualTo("run run-1: 6 jobs, 3 dispatches");
  }

  /** Each rule at least three times: what is changed once, and the rule that must say so. */
  @ParameterizedTest(name = "{0}: {2} -> {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          JOB_ONCE | trace.csv | job-4, | job-3,
          JOB_ONCE | trace.csv | job-3, | job-7,
          JOB_ONCE | trace.csv | measured,dropped | measured,open
          JOB_ONCE | trace.csv | dropped,hopeless | dropped,
          TIME | trace.csv | 1.5,20,21.5 | 1.6,20,21.5
          TIME | trace.csv | 11.5,30,41.5 | 11.5,30,40.5
          TIME | trace.csv | 41.5,1000,0 | 41.5,1000,1
          TIME | trace.csv | 100,1,measured | 100,0,measured
          TIME | trace.csv | 31.5,1000,0 | 31.5,20,0
          ORDER | trace.csv | 0.000600, | 0.002500,
          ORDER | trace.csv | 0.007600, | 0.017600,
          ORDER | trace.csv | 0.023600, | 0.123600,
          BATCH_ONCE | trace.csv | ,5-0,0.002600 | ,9-0,0.002600
          BATCH_ONCE | trace.csv | ,1-0, | ,1-7,
          BATCH_ONCE | dispatches.csv | job-1 job-2,3 | job-1 job-2,4
          BATCH_ONCE | dispatches.csv | 9-0, | 5-0,
          BATCH_ONCE | dispatches.csv | 0.024000,0.025000,0.055000 | 0.024000,0.025000,0.056000
          LANE_OVERLAP | dispatches.csv | executor-0/1 | executor-0/0
          LANE_OVERLAP | dispatches.csv | 0.022000,0.023000 | 0.026000,0.027000
          LANE_OVERLAP | dispatches.csv | 9-0,executor-0/0 | 9-0,executor-0/1
          TOKENS | config.yaml | total_tokens: 200 | total_tokens: 180
          TOKENS | dispatches.csv | ,92, | ,120,
          TOKENS | dispatches.csv | 0.022000,0.023000 | 0.022000,0.033000
          COMPATIBLE | config.yaml | max_batch: 4 | max_batch: 3
          COMPATIBLE | config.yaml | dynamic] | random]
          COMPATIBLE | trace.csv | job-4,batch,resnet18 | job-4,batch,resnet50
          COMPATIBLE | trace.csv | job-2,batch | job-2,interactive
          WINDOW | config.yaml | window_ms: 10 | window_ms: 11
          WINDOW | dispatches.csv | ,0.013000, | ,0.012000,
          WINDOW | trace.csv | 0.002600,0.003000 | 0.002600,0.005000
          WINDOW | trace.csv | job-4,batch,resnet18,onnx,fp32,2 | job-4,batch,resnet18,onnx,fp32,1
          SUMMARY | summary.json | "all_count": 6 | "all_count": 7
          SUMMARY | summary.json | "all_p95_e2e_ms": null | "all_p95_e2e_ms": 41.5
          SUMMARY | summary.json | "batch_avg_e2e_ms": 36.25 | "batch_avg_e2e_ms": 36.3
          SUMMARY | summary.json | "all_slo_violations": 1 | "all_slo_violations": 0
          SUMMARY | summary.json | "all_goodput_jobs_sec": 5.0 | "all_goodput_jobs_sec": 6.0
          """)
  void findsEachPlantedFault(Rule rule, String file, String sound, String planted)
      throws Exception {
    Path changed = folder.resolve(file);
    String text = Files.readString(changed);
    assertThat(text).contains(sound);
    int at = text.indexOf(sound);
    Files.writeString(
        changed, text.substring(0, at) + planted + text.substring(at + sound.length()));
    CheckReport report = RunCheck.of(folder);
    assertThat(report.faultCounts()).containsKey(rule);
    assertThat(report.faults()).allMatch(fault -> !fault.where().isEmpty());
  }

  @Test
  void namesTheRowsAndTheValues() throws Exception {
    Files.writeString(
        folder.resolve("dispatches.csv"),
        DISPATCHES.replace("0.022000,0.023000", "0.026000,0.027000"));
    assertThat(RunCheck.of(folder).faults())
        .contains(
            new Fault(
                Rule.LANE_OVERLAP,
                "dispatches.csv:2, dispatches.csv:4",
                "lane (executor-0/0) runs (1-0) until (0.026000), and (9-0) from (0.025000)"));
  }

  @Test
  void whatIsNoFinishedRun_isAMistake() throws Exception {
    Files.delete(folder.resolve("summary.json"));
    assertThat(catchThrowableOfType(UserMistakeException.class, () -> RunCheck.of(folder)))
        .hasMessageContaining("this is no folder of a finished run: it has no (summary.json)");
    Files.writeString(folder.resolve("summary.json"), SUMMARY);
    Files.writeString(folder.resolve("trace.csv"), "job_id\njob-0\n");
    assertThat(catchThrowableOfType(UserMistakeException.class, () -> RunCheck.of(folder)))
        .hasMessageContaining("trace.csv:1: error: column (class_type) is missing");
  }
}
