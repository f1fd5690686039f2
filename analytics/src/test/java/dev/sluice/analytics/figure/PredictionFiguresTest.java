package dev.sluice.analytics.figure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.analytics.report.SummaryTable;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a run says that its bounds did not keep their promise. */
final class PredictionFiguresTest {
  private final Experiment experiment = SyntheticRun.experiment(100, 0, 3000, 1, Map.of());

  /** A run of a given number of batches, of which the first took longer than both bounds. */
  private Summary run(int batches, int misses) {
    List<SyntheticRun.Entry> log = new ArrayList<>();
    for (int i = 0; i < batches; i++) {
      long atMs = 1000L * i;
      String job = "job-" + i;
      RunReportTest.job(log, job, i, "batch", "resnet18", 1, atMs, atMs, atMs);
      RunReportTest.batch(
          log, 2L * i, job, "resnet18", 1, atMs, atMs, atMs + (i < misses ? 500 : 200), atMs + 600);
    }
    assertThat(log).filteredOn(e -> e.event() instanceof JobEnded).hasSize(batches);
    return RunReport.of(SyntheticRun.fold(log), SyntheticRun.context(experiment)).summary();
  }

  @Test
  void saysInOneLine_thatABoundWasMissedTooOften_orTooSeldom() {
    Summary often = run(1000, 80);
    assertThat(often.values().get("broken_promises"))
        .isEqualTo(
            List.of(
                "the predicted p95 was missed by 8.00 % of 1000 batches, and promised 5 %"
                    + " (binomial test, level 0.001)",
                "the predicted p99 was missed by 8.00 % of 1000 batches, and promised 1 %"
                    + " (binomial test, level 0.001)"));
    assertThat(SummaryTable.render(often, true))
        .contains("\npromise        broken: the predicted p95 was missed by 8.00 % of 1000");

    assertThat(run(1000, 10).values().get("broken_promises"))
        .isEqualTo(
            List.of(
                "the predicted p95 was missed by 1.00 % of 1000 batches, and promised 5 %"
                    + " (binomial test, level 0.001)"));
  }

  @Test
  void saysNothing_beforeAThousandBatches_orWithinChance() {
    assertThat(run(999, 80).values().get("broken_promises")).isEqualTo(List.of());
    assertThat(run(2400, 60).figure("prediction_p95_miss_rate")).isEqualTo(0.025);
    Summary chance = run(1000, 15);
    assertThat(chance.values().get("broken_promises").toString()).doesNotContain("p99");
  }
}
