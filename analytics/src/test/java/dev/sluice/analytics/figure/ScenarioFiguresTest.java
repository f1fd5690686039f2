package dev.sluice.analytics.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The figures of MLPerf's scenarios, and those that a scenario leaves out. */
final class ScenarioFiguresTest {

  /** Five samples by 400 ms; the second job was sent 300 ms late, which nobody judges. */
  @Test
  void offline_countsSamplesToTheLastEnd() {
    List<SyntheticRun.Entry> log = begun();
    RunReportTest.job(log, "a", 0, "interactive", "resnet18", 2, 0, 1, 2);
    RunReportTest.job(log, "b", 1, "batch", "resnet50", 3, 0, 300, 301);
    RunReportTest.batch(log, 2, "a", "resnet18", 2, 2, 4, 104, 105);
    RunReportTest.batch(log, 3, "b", "resnet50", 3, 301, 304, 400, 401);
    Summary summary = summary(ended(log, 2), Scenario.OFFLINE);
    assertThat(summary.figure("offline_throughput_sps")).isCloseTo(12.5, within(1e-9));
    assertThat(summary.figure("all_p99_e2e_ms")).isCloseTo(400, within(1e-9));
    assertThat(summary.values())
        .containsEntry("scenario", "offline")
        .containsEntry("asked_arrivals", "offline")
        .containsEntry("asked_rate_jobs_sec", null)
        .containsEntry("realized_rate_jobs_sec", null)
        .containsEntry("realized_gap_cv", null)
        .containsEntry("realized_dispersion_1s", null)
        .containsEntry("lateness_limit_ms", null)
        .containsEntry("lateness_verdict", "not judged: all jobs are meant for time zero")
        .containsEntry("single_stream_p90_e2e_ms", null)
        .containsEntry("unstable", null)
        .containsEntry("not_comparable", List.of())
        .containsEntry("verdict", "met");
    assertThat(summary.figure("lateness_max_ms")).isCloseTo(300, within(1e-9));
  }

  @Test
  void offline_hasNoThroughput_whereAJobIsNotDone() {
    List<SyntheticRun.Entry> log = begun();
    RunReportTest.job(log, "a", 0, "interactive", "resnet18", 2, 0, 1, 2);
    RunReportTest.job(log, "b", 1, "batch", "resnet50", 3, 0, 1, 2);
    RunReportTest.batch(log, 2, "a", "resnet18", 2, 2, 4, 104, 105);
    RunReportTest.ended(log, "b", JobEnded.Status.DROPPED, "run_ended", null, 0, 600);
    assertThat(summary(ended(log, 2), Scenario.OFFLINE).values())
        .containsEntry("offline_throughput_sps", null);
  }

  /** Ten jobs of 10, 20, … 100 ms, each sent at the end of the one before: the ninth is the p90. */
  @Test
  void singleStream_hasTheNinetiethPercentile() {
    List<SyntheticRun.Entry> log = begun();
    int atMs = 0;
    for (int i = 0; i < 10; i++) {
      int tookMs = 10 * (i + 1);
      RunReportTest.job(log, "j" + i, i, "batch", "resnet18", 1, atMs, atMs, atMs);
      RunReportTest.batch(
          log, 2 + 2 * i, "j" + i, "resnet18", 1, atMs, atMs, atMs + tookMs, atMs + tookMs);
      atMs += tookMs;
    }
    Summary summary = summary(ended(log, 10), Scenario.SINGLE_STREAM);
    assertThat(summary.figure("single_stream_p90_e2e_ms")).isCloseTo(90, within(1e-9));
    assertThat(summary.figure("realized_rate_jobs_sec")).isCloseTo(10 / 3.0, within(1e-9));
    assertThat(summary.values())
        .containsEntry("asked_rate_jobs_sec", null)
        .containsEntry("asked_arrivals", "single_stream")
        .containsEntry("offline_throughput_sps", null)
        .containsEntry("lateness_verdict", "ok");
  }

  @Test
  void server_hasNeither() {
    Summary summary = summary(RunReportTest.log(), Scenario.SERVER);
    assertThat(summary.values())
        .containsEntry("scenario", "server")
        .containsEntry("offline_throughput_sps", null)
        .containsEntry("single_stream_p90_e2e_ms", null);
    assertThat(summary.figure("asked_rate_jobs_sec")).isEqualTo(10);
  }

  private static List<SyntheticRun.Entry> begun() {
    var log = new ArrayList<SyntheticRun.Entry>();
    var started =
        new RunStarted("run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null);
    RunReportTest.add(log, "runs", started, -100);
    RunReportTest.add(log, "facts", started, -90);
    return log;
  }

  private static List<SyntheticRun.Entry> ended(List<SyntheticRun.Entry> log, int jobs) {
    RunReportTest.add(log, "facts", ArrivalsEnded.punctual(0, jobs), 3100);
    RunReportTest.add(
        log, "runs", new RunEnded("run-1", jobs, false, false, 3_100_000_000L, null, null), 3150);
    return log;
  }

  private static Summary summary(List<SyntheticRun.Entry> log, Scenario scenario) {
    Experiment like = SyntheticRun.experiment(10, 0, 3, 1, Map.of());
    var experiment =
        new Experiment(
            like.runName(),
            like.seed(),
            new Experiment.Load(
                3, 0, 30, 10, Arrivals.POISSON, LoadShape.even(), scenario, 1, null),
            like.jobs(),
            like.scheduling(),
            like.resources(),
            like.lanes(),
            like.predictor(),
            like.kafka(),
            like.thresholds(),
            new Experiment.Simulation(null, null, null));
    return RunReport.of(SyntheticRun.fold(log), SyntheticRun.context(experiment)).summary();
  }
}
