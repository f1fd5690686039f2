package dev.sluice.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.BatchCompleted;
import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.DispatchId;
import dev.sluice.contract.JobEnded;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.RunEnded;
import java.util.ArrayList;
import java.util.Collections;
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
  void givesTheSameSummary_whateverTheOrderOfTheRecords(@ForAll long seed) {
    var log = SyntheticRun.of(CONTEXT.experiment(), seed).entries();
    var shuffled = new ArrayList<>(log);
    Collections.shuffle(shuffled, new Random(seed));
    assertThat(json(shuffled)).isEqualTo(json(log));
    assertThat(SyntheticRun.fold(shuffled).snapshot(0).sent())
        .isEqualTo(SyntheticRun.fold(log).snapshot(0).sent());
  }

  @Property(tries = 30)
  void ignoresRepeatedFactsAndDispatches(@ForAll long seed) {
    var log = SyntheticRun.of(CONTEXT.experiment(), seed).entries();
    var repeated = new ArrayList<>(log);
    var random = new Random(seed);
    for (SyntheticRun.Entry entry : log) {
      if (!entry.topic().equals("outcomes") && random.nextInt(3) == 0) {
        repeated.add(
            new SyntheticRun.Entry(entry.event(), entry.topic(), entry.appendedAtEpochMs() + 50));
      }
    }
    assertThat(repeated).hasSizeGreaterThan(log.size());
    assertThat(json(repeated)).isEqualTo(json(log));
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
  void isCompleteOnlyWithTheEnd_andEveryOutcome() {
    var fold = new RunFold();
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      assertThat(fold.isComplete()).isFalse();
      fold.apply(entry.event(), 0, entry.appendedAtEpochMs());
    }
    assertThat(fold.isComplete()).isTrue();
  }

  @Test
  void isNotComplete_whenJobsSentHaveNotArrived() {
    var fold = new RunFold();
    RunReportTest.log().stream()
        .filter(entry -> !(entry.event() instanceof JobRequested job && job.jobId().equals("t")))
        .forEach(entry -> fold.apply(entry.event(), 0, entry.appendedAtEpochMs()));
    assertThat(fold.isComplete()).isFalse();
  }

  @Test
  void snapshotsTheRunSoFar() {
    var fold = new RunFold();
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      if (entry.event() instanceof JobEnded end && end.jobId().equals("d")) {
        break;
      }
      fold.apply(entry.event(), 0, entry.appendedAtEpochMs());
    }
    LiveSnapshot live = fold.snapshot(SyntheticRun.ZERO_EPOCH_MS + 3208);
    assertThat(live.elapsedNs()).isEqualTo(3_208_000_000L);
    assertThat(live.sent()).isEqualTo(5);
    assertThat(live.running()).isEqualTo(1);
    assertThat(live.waiting()).isZero();
    assertThat(live.done()).isEqualTo(3);
    assertThat(live.dropped()).isEqualTo(1);
    assertThat(live.violations()).isEqualTo(Map.of("interactive", 0L, "batch", 1L));
    assertThat(live.endToEndMsP99()).isInfinite();
  }

  @Test
  void putsAJobBackToWaiting_whenItsBatchWasRefused() {
    var fold = new RunFold();
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      if (entry.event() instanceof BatchCompleted) {
        break;
      }
      fold.apply(entry.event(), 0, entry.appendedAtEpochMs());
    }
    assertThat(fold.snapshot(0).running()).isEqualTo(1);
    fold.apply(
        new BatchCompleted(
            new DispatchId(2, 0),
            "local",
            1,
            0,
            null,
            null,
            0,
            0,
            BatchCompleted.Result.REFUSED,
            "busy",
            List.of(),
            null),
        0,
        SyntheticRun.ZERO_EPOCH_MS);
    assertThat(fold.snapshot(0).running()).isZero();
    assertThat(fold.snapshot(0).waiting()).isEqualTo(1);
  }

  @Test
  void keepsDispatchesOfDifferentShardsApart() {
    var fold = new RunFold();
    RunReportTest.log().stream()
        .filter(entry -> entry.event() instanceof BatchDispatched)
        .forEach(
            entry -> {
              fold.apply(entry.event(), 0, entry.appendedAtEpochMs());
              fold.apply(entry.event(), 1, entry.appendedAtEpochMs());
            });
    assertThat(fold.rows(CONTEXT).dispatches()).hasSize(10);
  }

  private static String json(List<SyntheticRun.Entry> log) {
    return RunReport.of(SyntheticRun.fold(log), CONTEXT).summary().toJson();
  }
}
