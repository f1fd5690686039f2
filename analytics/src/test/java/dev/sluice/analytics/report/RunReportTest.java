package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.row.Origin;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hand-made log of five jobs on one lane, every figure worked out by hand. Measured window [1 s,
 * 3 s), so 2 s long; times in the log below in milliseconds.
 *
 * <pre>
 * job class       workload samples intended sent   appended decided start end  service
 * w   interactive resnet18 1        500      500    501      501     503   603  100    warm-up
 * a   interactive resnet18 1       1000     1001   1002     1002    1004  1104  100    done, in time
 * b   batch       resnet50 2       1050     1050   1051     1105    1107  1407  300    done, after a
 * c   batch       resnet50 1       1100     1100   1101                                dropped, hopeless
 * d   interactive resnet18 2       2900     2904   2905     2905    2907  3207  300    done, too late
 * t   batch       vit_tiny 1       3100     3100   3101     3208    3210  3310  100    tail
 * </pre>
 */
public final class RunReportTest {
  @TempDir Path folder;

  private final Experiment experiment =
      SyntheticRun.experiment(
          2.5, 1, 3, 1, Map.of("interactive_p99_e2e_ms", new Threshold("<", 1000)));

  public static List<SyntheticRun.Entry> log() {
    var log = new ArrayList<SyntheticRun.Entry>();
    var started =
        new RunStarted("run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null);
    add(log, "runs", started, -100);
    add(log, "facts", started, -90);
    add(
        log,
        "facts",
        new ExecutorReported(
            "local",
            1,
            false,
            "cpu",
            null,
            List.of(new ExecutorReported.Lane(0, List.of())),
            List.of(),
            1_500_000,
            null,
            null),
        -120);
    job(log, "w", 0, "interactive", "resnet18", 1, 500, 500, 501);
    batch(log, 2, "w", "resnet18", 1, 501, 503, 603, 604);
    job(log, "a", 1, "interactive", "resnet18", 1, 1000, 1001, 1002);
    batch(log, 4, "a", "resnet18", 1, 1002, 1004, 1104, 1105);
    job(log, "b", 2, "batch", "resnet50", 2, 1050, 1050, 1051);
    job(log, "c", 3, "batch", "resnet50", 1, 1100, 1100, 1101);
    ended(log, "c", JobEnded.Status.DROPPED, "hopeless", null, 0, 1101);
    batch(log, 7, "b", "resnet50", 2, 1105, 1107, 1407, 1408);
    job(log, "d", 4, "interactive", "resnet18", 2, 2900, 2904, 2905);
    batch(log, 9, "d", "resnet18", 2, 2905, 2907, 3207, 3208);
    job(log, "t", 5, "batch", "vit_tiny", 1, 3100, 3100, 3101);
    batch(log, 11, "t", "vit_tiny", 1, 3208, 3210, 3310, 3311);
    add(log, "facts", ArrivalsEnded.punctual(0, 6), 3320);
    add(log, "runs", new RunEnded("run-1", 6, false, false, 3_400_000_000L, null, null), 3400);
    return SyntheticRun.merged(log, SyntheticRun.heartbeats("local", 1, 0, 3300));
  }

  public static void add(
      List<SyntheticRun.Entry> log,
      String topic,
      dev.sluice.contract.event.Event event,
      long atMs) {
    log.add(new SyntheticRun.Entry(event, topic, SyntheticRun.ZERO_EPOCH_MS + atMs));
  }

  public static void job(
      List<SyntheticRun.Entry> log,
      String id,
      int index,
      String classType,
      String workload,
      int samples,
      long intendedMs,
      long sentMs,
      long appendedMs) {
    add(
        log,
        "facts",
        new JobRequested(
            id,
            0,
            index,
            classType,
            workload,
            "onnx",
            "fp32",
            samples,
            (classType.equals("interactive") ? 200 : 1000) * 1_000_000L,
            intendedMs * 1_000_000,
            sentMs * 1_000_000),
        appendedMs);
  }

  public static void batch(
      List<SyntheticRun.Entry> log,
      long offset,
      String job,
      String workload,
      int samples,
      long decidedMs,
      long startMs,
      long endMs,
      long completedMs) {
    var id = new DispatchId(offset, 0);
    add(
        log,
        "dispatches",
        new BatchDispatched(
            id,
            new Place("local", 1, List.of(0)),
            Work.firstAttempt(
                new ModelKey(workload, "onnx", "fp32"),
                List.of(new BatchDispatched.DispatchedJob(job, samples)),
                80 + 4 * samples),
            new Decision(
                decidedMs * 1_000_000,
                null,
                Map.of("interactive", 3.0, "tokens", -1.0),
                null,
                null),
            new Prediction(
                200_000_000,
                "running_mean",
                1,
                workload.equals("resnet50") ? null : "3f9a1c02-1",
                240_000_000L,
                250_000_000L,
                workload.equals("resnet50") ? null : Long.valueOf(400_000_000))),
        decidedMs);
    add(
        log,
        "facts",
        BatchCompleted.done(
            id, "local", 1, 0, startMs * 1_000_000, (endMs - startMs) * 1_000_000, 1),
        completedMs);
    ended(log, job, JobEnded.Status.DONE, null, id, 1, completedMs);
  }

  public static void ended(
      List<SyntheticRun.Entry> log,
      String job,
      JobEnded.Status status,
      @Nullable String reason,
      @Nullable DispatchId dispatch,
      int attempt,
      long atMs) {
    add(
        log,
        "outcomes",
        new JobEnded(job, status, reason, dispatch, attempt, atMs * 1_000_000),
        atMs + 2);
  }

  private Summary summary() {
    return RunReport.of(SyntheticRun.fold(log()), SyntheticRun.context(experiment)).summary();
  }

  private void assertFigure(String name, double value) {
    assertThat(summary().figure(name)).as(name).isCloseTo(value, within(1e-9));
  }

  @Test
  void countsOnlyMeasuredJobs() {
    assertFigure("all_count", 4);
    assertFigure("all_total_samples", 6);
    assertFigure("all_done", 3);
    assertFigure("all_dropped", 1);
    assertFigure("interactive_count", 2);
    assertFigure("batch_count", 2);
    assertThat(summary().values()).containsEntry("drops_by_reason", Map.of("hopeless", 1L));
  }

  @Test
  void takesPercentilesOverAllMeasuredJobs_oneNotDoneIsInfinite() {
    assertFigure("all_p50_e2e_ms", 307);
    assertThat(summary().figure("all_p95_e2e_ms")).isInfinite();
    assertThat(summary().figure("all_p99_e2e_ms")).isInfinite();
    assertFigure("all_completed_p50_e2e_ms", 307);
    assertFigure("all_completed_p99_e2e_ms", 357);
    assertFigure("interactive_p50_e2e_ms", 104);
    assertFigure("interactive_p99_e2e_ms", 307);
    assertFigure("batch_p50_e2e_ms", 357);
    assertThat(summary().toJson()).contains("\"all_p99_e2e_ms\" : null");
  }

  @Test
  void averagesDoneJobs() {
    assertFigure("all_avg_e2e_ms", (104 + 357 + 307) / 3.0);
    assertFigure("all_avg_wait_ms", (4 + 57 + 7) / 3.0);
    assertFigure("all_avg_service_ms", 700 / 3.0);
    assertFigure("fairness_ratio", 57 / 5.5);
  }

  @Test
  void countsViolationsAndGoodput() {
    assertFigure("all_slo_violations", 2);
    assertFigure("all_slo_violation_rate", 0.5);
    assertFigure("interactive_slo_violation_rate", 0.5);
    assertFigure("goodput_jobs_sec", 1);
    assertFigure("slo_attainment_min", 0.5);
    assertThat(summary().values()).containsEntry("slo_attainment_min_of", "batch × resnet50");
  }

  @Test
  void countsThroughputOfWhatFinishedInsideTheWindow() {
    assertFigure("overall_throughput_jobs_sec", 1);
    assertFigure("overall_throughput_sps", 1.5);
    assertFigure("batch_throughput_sps", 1);
    assertFigure("lane_use", (100 + 300 + 93) / 2000.0);
  }

  @Test
  void measuresTheLoadAndTheLateness() {
    assertFigure("realized_rate_jobs_sec", 2);
    double mean = 1900 / 3.0;
    double deviation =
        Math.sqrt((2 * (50 - mean) * (50 - mean) + (1800 - mean) * (1800 - mean)) / 2);
    assertFigure("realized_gap_cv", deviation / mean);
    assertFigure("realized_dispersion_1s", 1); // three jobs in one second, one in the other: 2 / 2
    assertFigure("lateness_p50_ms", 0);
    assertFigure("lateness_p99_ms", 4);
    assertFigure("append_delay_max_ms", 1);
    assertThat(summary().values()).containsEntry("lateness_verdict", "ok");
  }

  @Test
  void measuresHopsWhereTheArrivalItselfDecided_andBubblesWhereTheCompletionDid() {
    assertFigure("hop_count", 2);
    assertFigure("hop_p50_ms", 4);
    assertFigure("hop_p99_ms", 7);
    assertFigure("bubble_count", 1);
    assertFigure("bubble_p50_ms", 3);
  }

  @Test
  void countsABubble_whenAnotherJobWaitedThanTheOneThatStarted() {
    var log = new ArrayList<>(log());
    job(log, "x", 6, "interactive", "resnet18", 1, 1408, 1408, 1408); // after the end at 1407
    batch(log, 21, "x", "resnet18", 1, 1408, 1410, 1450, 1451);
    assertThat(bubbles(log)).isEqualTo(1);

    job(log, "y", 7, "batch", "vit_tiny", 1, 1200, 1200, 1201); // had waited all the time
    batch(log, 23, "y", "vit_tiny", 1, 1600, 1602, 1650, 1651);
    assertThat(bubbles(log)).isEqualTo(2);
  }

  @Test
  void countsNoBubble_whenOnlyAJobOfAnotherShardWaited() {
    var log = new ArrayList<>(log());
    job(log, "x", 6, "interactive", "resnet18", 1, 1408, 1408, 1408); // after the end at 1407
    batch(log, 21, "x", "resnet18", 1, 1408, 1410, 1450, 1451);
    var other = new ArrayList<SyntheticRun.Entry>();
    job(other, "y", 7, "batch", "vit_tiny", 1, 1200, 1200, 1201); // had waited all the time
    batch(other, 23, "y", "vit_tiny", 1, 1600, 1602, 1650, 1651);
    RunFold fold = SyntheticRun.fold(log);
    other.forEach(entry -> SyntheticRun.apply(fold, entry, 1));
    Summary summary = RunReport.of(fold, SyntheticRun.context(experiment)).summary();
    assertThat(summary.figure("bubble_count")).isEqualTo(1);
    assertThat(summary.figure("all_done")).isEqualTo(5);
  }

  private double bubbles(List<SyntheticRun.Entry> log) {
    return RunReport.of(SyntheticRun.fold(log), SyntheticRun.context(experiment))
        .summary()
        .figure("bubble_count");
  }

  @Test
  void measuresTheStart_whereOneProcessRanAll() {
    assertThat(summary().values()).containsEntry("start_to_first_dispatch_ms", null);
    RunContext context = SyntheticRun.context(experiment);
    RunFold fold = SyntheticRun.fold(log());
    RunRows rows = fold.rows(context);
    long begunAtEpochMs = rows.log().started().timeZeroEpochMs() - 5000;
    var begun =
        new RunContext(
            experiment,
            context.runId(),
            context.notes(),
            context.versions(),
            begunAtEpochMs,
            false,
            Origin.UNKNOWN);
    assertThat(RunReport.of(fold, begun).summary().figure("start_to_first_dispatch_ms"))
        .isEqualTo(5000 + rows.batches().all().get(0).decidedAtNs() / 1e6);
  }

  @Test
  void measuresPredictionsAndScoreTerms() {
    assertFigure("prediction_error_median", Math.log(1.5));
    assertFigure("prediction_bias", (Math.log(0.5) + 2 * Math.log(1.5)) / 3);
    assertFigure("prediction_bias_median", Math.log(1.5));
    assertFigure("prediction_count", 3);
    assertFigure("prediction_p95_count", 3);
    assertFigure("prediction_p95_miss_rate", 2 / 3.0);
    assertFigure("prediction_p95_pinball", (0.05 * Math.log(2.5) + 2 * 0.95 * Math.log(1.2)) / 3);
    assertFigure("prediction_p95_over_median", 1.25);
    assertFigure("prediction_p99_count", 2);
    assertFigure("prediction_p99_miss_rate", 0);
    assertFigure("prediction_p99_over_median", 2);
    assertThat(summary().values())
        .containsEntry("model_versions", Map.of("3f9a1c02-1", 2L))
        .containsEntry("broken_promises", List.of());
    assertThat(summary().values().get("prediction_by_workload"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .extractingByKey("resnet50", InstanceOfAssertFactories.MAP)
        .containsEntry("count", 1L)
        .containsEntry("error_median", Math.log(1.5))
        .containsEntry("p99_count", 0L)
        .containsEntry("p99_miss_rate", null);
    assertThat(summary().values().get("prediction_over_time"))
        .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
        .hasSize(10)
        .first(InstanceOfAssertFactories.MAP)
        .containsEntry("from_s", 1.0)
        .containsEntry("to_s", 1.2)
        .containsEntry("count", 1L)
        .containsEntry("bias", Math.log(0.5));
    assertThat(summary().values())
        .containsEntry("score_term_shares", Map.of("interactive", 0.75, "tokens", 0.25));
  }

  @Test
  void leavesAThresholdOnFewJobsUndecided() {
    assertThat(summary().verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(summary().toJson()).contains("\"result\" : \"undecided\"");
    assertThat(summary().notComparableReasons()).isEmpty();
  }

  @Test
  void judgesAThreshold_whenItsFigureNeedsNoThousands() {
    assertThat(verdict("goodput_jobs_sec", new Threshold(">=", 1))).isEqualTo(Verdict.MET);
    assertThat(verdict("goodput_jobs_sec", new Threshold(">", 1))).isEqualTo(Verdict.MISSED);
    assertThat(verdict("all_p95_e2e_ms", new Threshold("<", 1e9)))
        .as("of 4 jobs")
        .isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(verdict("batch_p50_e2e_ms", new Threshold("<=", 357))).isEqualTo(Verdict.MET);
  }

  @Test
  void leavesAThresholdOnAnyOtherP99OfFewUndecided() {
    for (String figure :
        List.of("lateness_p99_ms", "append_delay_p99_ms", "hop_p99_ms", "bubble_p99_ms")) {
      assertThat(verdict(figure, new Threshold("<", 1e9)))
          .as(figure)
          .isEqualTo(Verdict.INCONCLUSIVE);
    }
  }

  @Test
  void leavesTheRows_whateverFailsAfterThem() {
    var broken = SyntheticRun.experiment(2.5, 1, 3, 1, Map.of("all_count", new Threshold(null, 1)));
    Path to = folder.resolve("broken");
    assertThatThrownBy(
            () -> RunReport.of(SyntheticRun.fold(log()), SyntheticRun.context(broken)).write(to))
        .isInstanceOf(NullPointerException.class);
    assertThat(to.resolve("trace.csv")).isNotEmptyFile();
    assertThat(to.resolve("dispatches.csv")).isNotEmptyFile();
    assertThat(to.resolve("summary.json")).doesNotExist();
  }

  private static Verdict verdict(String figure, Threshold threshold) {
    var experiment = SyntheticRun.experiment(2.5, 1, 3, 1, Map.of(figure, threshold));
    return RunReport.of(SyntheticRun.fold(log()), SyntheticRun.context(experiment))
        .summary()
        .verdict();
  }

  @Test
  void namesWhatTheExecutorsComputedOn() {
    assertThat(summary().values()).containsEntry("device_kinds", List.of("cpu"));
  }

  @Test
  void writesTheTraceAndTheDispatches() throws IOException {
    RunReport.of(SyntheticRun.fold(log()), SyntheticRun.context(experiment)).write(folder);
    for (String name : List.of("trace.csv", "dispatches.csv")) {
      assertThat(Files.readString(folder.resolve(name))).as(name).isEqualTo(golden(name));
    }
  }

  @Test
  void rendersTheClosingTable() throws IOException {
    assertThat(SummaryTable.render(summary(), true)).isEqualTo(golden("table.txt"));
    assertThat(golden("table.txt").lines()).allMatch(line -> line.length() <= ScreenText.COLUMNS);
    assertThat(golden("table.txt").lines().toList())
        .containsAll(SummaryTable.render(summary(), false).lines().toList());
    assertThat(SummaryTable.render(summary(), false))
        .contains("all             4")
        .doesNotContain("hop ")
        .doesNotContain("bubble ")
        .doesNotContain("lateness ");
  }

  private static String golden(String name) throws IOException {
    try (var stream = RunReportTest.class.getResourceAsStream(name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
