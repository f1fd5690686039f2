package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What marks a run, and its verdict. */
final class MarksTest {
  private static final RunContext CONTEXT =
      SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 1, Map.of()));

  @Test
  void isNotComparable_whenItWasInterrupted() {
    var log = new ArrayList<>(RunReportTest.log());
    log.removeIf(entry -> entry.event() instanceof RunEnded);
    log.add(new SyntheticRun.Entry(new RunEnded("run-1", 6, true, true, 1, null, null), "runs", 0));
    Summary summary = summary(log);
    assertThat(summary.notComparableReasons()).containsExactly("interrupted");
    assertThat(summary.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(summary.values())
        .containsEntry("verdict", "inconclusive")
        .containsEntry("verdict_reasons", List.of("not comparable: interrupted"));
    assertThat(SummaryTable.render(summary, true))
        .contains("not comparable interrupted")
        .contains("verdict        inconclusive")
        .contains("tail limit");
  }

  @Test
  void namesSomeReasonsInTheTable_andCountsTheRest() {
    var summary = new Summary();
    for (int reason = 1; reason <= 4; reason++) {
      summary.notComparable("reason " + reason);
    }
    String four = "not comparable reason 1; reason 2; reason 3; reason 4";
    assertThat(SummaryTable.render(summary, true)).contains(four + "\n");
    summary.notComparable("reason 5");
    summary.notComparable("reason 6");
    assertThat(SummaryTable.render(summary, true)).contains(four + "; and 2 more (summary.json)\n");
  }

  @Test
  void hasFailed_whenItWasGivenUp_andSaysWhy() {
    var log = new ArrayList<>(RunReportTest.log());
    log.removeIf(entry -> entry.event() instanceof RunEnded);
    log.add(
        new SyntheticRun.Entry(
            new RunEnded("run-1", 6, false, false, 1, "no lane came back", null), "runs", 0));
    Summary summary = summary(log);
    assertThat(summary.verdict()).isEqualTo(Verdict.FAILED);
    assertThat(summary.values()).containsEntry("failure", "no lane came back");
    assertThat(summary.notComparableReasons()).containsExactly("given up: no lane came back");
    assertThat(SummaryTable.render(summary, true)).contains("failed         no lane came back");
  }

  @Test
  void hasFailed_whenItMeasuredNothing_andSaysWhy() {
    var log = new ArrayList<>(RunReportTest.log());
    log.removeIf(
        entry ->
            entry.event() instanceof RunEnded
                || (entry.event() instanceof JobRequested job
                    && job.intendedAtNs() >= 1_000_000_000));
    int early = (int) log.stream().filter(e -> e.event() instanceof JobRequested).count();
    assertThat(early).isPositive();
    log.add(
        new SyntheticRun.Entry(
            new RunEnded("run-1", early, false, false, 1, null, null), "runs", 0));
    Summary summary = summary(log);
    assertThat(summary.verdict()).isEqualTo(Verdict.FAILED);
    assertThat(summary.verdictReasons())
        .contains(
            "no job was measured: %d arrived, none of them in the measured window, from 1 s to 3 s"
                .formatted(early));
    assertThat(SummaryTable.render(summary, true))
        .contains("verdict        failed; no job was measured");
  }

  @Test
  void aSummaryHoldsEachNameOnce() {
    var summary = new Summary();
    summary.put("batch_completed_p50_e2e_ms", 1);
    assertThatThrownBy(() -> summary.put("batch_completed_p50_e2e_ms", 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batch_completed_p50_e2e_ms");
  }

  @Test
  void goodputIsNeverAboveThroughput_becauseItCountsTheSameJobs() {
    Summary summary = summary(RunReportTest.log());
    for (String of : List.of("all", "interactive", "batch")) {
      assertThat(summary.figure(of + "_goodput_jobs_sec"))
          .isLessThanOrEqualTo(summary.figure(of + "_throughput_jobs_sec"));
    }
  }

  @Test
  void dividesByTheTimeUnderLoad_whenItWasInterrupted() {
    var log = new ArrayList<>(RunReportTest.log());
    log.removeIf(
        entry ->
            entry.event() instanceof RunEnded
                || (entry.event() instanceof JobRequested job
                    && job.intendedAtNs() > 1_100_000_000));
    log.add(
        new SyntheticRun.Entry(new RunEnded("run-1", 4, false, true, 1, null, null), "runs", 0));
    Summary summary = summary(log);
    assertThat(summary.figure("window_seconds")).isEqualTo(0.1); // from 1 s to the last arrival
    assertThat(summary.figure("lane_use")).isEqualTo(0.96); // 1004 to 1104 ms, cut at 1100
    assertThat(summary.figure("realized_rate_jobs_sec")).isEqualTo(30.0);
  }

  @Test
  void isNotComparable_whenTheGeneratorWasLate_andFailsAboveTenTimesThat() {
    assertThat(summary(sentLate(10)).verdict()).isEqualTo(Verdict.MET);
    assertThat(summary(sentLate(11)).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(summary(sentLate(11)).notComparableReasons())
        .containsExactly("generator saturated (p99 lateness 11.0 ms, limit 10.0 ms)");
    assertThat(summary(sentLate(100)).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(summary(sentLate(101)).verdict()).isEqualTo(Verdict.FAILED);
  }

  /** The hand-made run's jobs have promises of 200 ms. */
  @Test
  void theLimitOfLateness_countsInThePromisesOfTheJobs_whereAClassHasAScale() {
    var batch = new JobClass("batch", 1000, 5, false, true);
    var scaled = new JobClass("interactive", null, 5.0, 1, true, false);

    assertThat(latenessLimitMs(RunReportTest.log(), scaled, batch)).isEqualTo(10);
    assertThat(latenessLimitMs(List.of(), scaled, batch)).isEqualTo(50);
    assertThat(latenessLimitMs(List.of(), scaled)).isEqualTo(2);
  }

  private static double latenessLimitMs(List<SyntheticRun.Entry> log, JobClass... classes) {
    var context =
        SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 1, Map.of(), List.of(classes)));
    Double limit =
        RunReport.of(SyntheticRun.fold(log), context).summary().figure("lateness_limit_ms");
    return limit == null ? Double.NaN : limit;
  }

  @Test
  void marksEmulationLate_aboveTwoPercentOrOneMillisecond() {
    assertThat(emulationLate(0)).isEqualTo(false);
    assertThat(emulationLate(1_900_000)).isEqualTo(false);
    assertThat(emulationLate(2_000_000)).isEqualTo(true);
  }

  @Test
  void namesEveryFigureOnce() {
    List<String> names = Figures.figureNames();
    assertThat(names).doesNotHaveDuplicates().contains("p99_e2e_ms", "all_count", "hop_p99_ms");
    Summary summary = summary(RunReportTest.log());
    assertThat(names)
        .allSatisfy(
            name ->
                assertThat(
                        summary.values().containsKey(name)
                            || summary.values().containsKey("all_" + name))
                    .as(name)
                    .isTrue());
  }

  /** The hand-made run's shortest batch takes 100 ms: 1.9 ms are within 2 % of 98.1 ms. */
  private static Object emulationLate(long offNs) {
    List<SyntheticRun.Entry> log =
        RunReportTest.log().stream()
            .map(
                entry ->
                    entry.event() instanceof BatchCompleted done
                        ? new SyntheticRun.Entry(
                            new BatchCompleted(
                                done.dispatchId(),
                                done.executorId(),
                                done.incarnation(),
                                done.lane(),
                                done.startedAtNs(),
                                done.finishedAtNs(),
                                done.serviceNs(),
                                done.switchNs(),
                                done.result(),
                                done.cause(),
                                done.results(),
                                done.serviceNs() - offNs,
                                done.busyLanes()),
                            entry.topic(),
                            entry.appendedAtEpochMs())
                        : entry)
            .toList();
    return summary(log).values().get("emulation_late");
  }

  private static List<SyntheticRun.Entry> sentLate(long ms) {
    return RunReportTest.log().stream()
        .map(
            entry ->
                entry.event() instanceof JobRequested job
                    ? new SyntheticRun.Entry(
                        new JobRequested(
                            job.jobId(),
                            job.generator(),
                            job.index(),
                            job.classType(),
                            job.workload(),
                            job.backend(),
                            job.precision(),
                            job.samples(),
                            job.sloNs(),
                            job.intendedAtNs(),
                            job.intendedAtNs() + ms * 1_000_000),
                        entry.topic(),
                        entry.appendedAtEpochMs())
                    : entry)
        .toList();
  }

  private static Summary summary(List<SyntheticRun.Entry> log) {
    return RunReport.of(SyntheticRun.fold(log), CONTEXT).summary();
  }
}
