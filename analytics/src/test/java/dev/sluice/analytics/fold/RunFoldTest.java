package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunEnded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The fold on hand-made and made-up logs: no Kafka, no clock. */
final class RunFoldTest {
  private static final RunContext CONTEXT =
      SyntheticRun.context(SyntheticRun.experiment(30, 1, 4, 2, Map.of()));

  @Property(tries = 30)
  void givesTheSameSummary_whateverTheOrderOfTheTopics(@ForAll long seed) {
    var log = SyntheticRun.of(CONTEXT.experiment(), seed).entries();
    assertThat(json(SyntheticRun.interleaved(log, new Random(seed)))).isEqualTo(json(log));
  }

  @Property(tries = 30)
  void ignoresRepeatedFactsAndDispatches(@ForAll long seed) {
    var log = SyntheticRun.of(CONTEXT.experiment(), seed).entries();
    var again = new ArrayList<SyntheticRun.Entry>();
    var random = new Random(seed);
    for (SyntheticRun.Entry entry : log) {
      if (!entry.topic().equals("outcomes") && random.nextInt(3) == 0) {
        again.add(
            new SyntheticRun.Entry(entry.event(), entry.topic(), entry.appendedAtEpochMs() + 50));
      }
    }
    assertThat(again).isNotEmpty();
    assertThat(json(SyntheticRun.merged(log, again))).isEqualTo(json(log));
  }

  @Test
  void callsASecondOutcomeAFault_andKeepsTheFirst() {
    var log = new ArrayList<>(RunReportTest.log());
    log.add(
        new SyntheticRun.Entry(
            new JobEnded("a", JobEnded.Status.FAILED, "again", null, 2, 9),
            "outcomes",
            SyntheticRun.ZERO_EPOCH_MS));
    Summary summary = RunReport.of(SyntheticRun.fold(log), CONTEXT).summary();
    assertThat(summary.notComparableReasons()).containsExactly("1 second outcomes of a job");
    assertThat(summary.figure("all_failed")).isZero();
  }

  @Test
  void failsTheRun_whenAJobHasNoOutcomeOrNoCompletion() {
    for (Class<?> missing : List.of(JobEnded.class, BatchCompleted.class, RunEnded.class)) {
      var log = new ArrayList<>(RunReportTest.log());
      log.removeIf(entry -> missing.isInstance(entry.event()));
      Summary summary = RunReport.of(SyntheticRun.fold(log), CONTEXT).summary();
      assertThat(summary.verdict()).as(missing.getSimpleName()).isEqualTo(Verdict.FAILED);
      assertThat(summary.notComparableReasons()).isNotEmpty();
    }
  }

  @Test
  void keepsDispatchesOfDifferentShardsApart() {
    var fold = new RunFold();
    RunReportTest.log().stream()
        .filter(entry -> entry.event() instanceof BatchDispatched)
        .forEach(
            entry -> {
              SyntheticRun.apply(fold, entry, 0);
              SyntheticRun.apply(fold, entry, 1);
            });
    assertThat(fold.rows(CONTEXT).batches().all()).hasSize(10);
  }

  private static String json(List<SyntheticRun.Entry> log) {
    return RunReport.of(SyntheticRun.fold(log), CONTEXT).summary().toJson();
  }
}
