package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.value.DispatchId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Figures of runs of a few jobs, each worked out by hand. */
final class HandWorkedFiguresTest {
  private static final long MS = 1_000_000;

  private final HandMadeRun run = new HandMadeRun();

  @Test
  void blockedTime_isThatInsideTheWindow_byItsCause() {
    blocked(500, 1500, "tokens"); // 500 ms of it
    blocked(2900, 3500, "tokens"); // 100 ms of it
    blocked(100, 200, "tokens");
    blocked(3100, 3200, "tokens");
    blocked(2000, 2007, "policy");
    assertThat(run.figure("blocked_ms_tokens")).isEqualTo(600);
    assertThat(run.figure("blocked_ms_policy")).isEqualTo(7);
    assertThat(run.figure("blocked_ms_window")).isZero();
    assertThat(run.figure("blocked_ms_capability")).isZero();
  }

  private void blocked(long fromMs, long toMs, String cause) {
    run.put("outcomes", new Blocked(fromMs * MS, toMs * MS, cause), toMs);
  }

  @Test
  void anEmulatedLaneIsLate_whenItIsOffByMoreThanAMillisecondOrTwoPercent() {
    emulated(11 * MS, 10 * MS);
    assertThat(run.figure("emulation_late_p99_ms")).isEqualTo(1);
    assertThat(run.summary().values()).containsEntry("emulation_late", false);
    emulated(9 * MS - 1, 10 * MS); // too short counts as too long does
    assertThat(run.figure("emulation_late_p99_ms")).isCloseTo(1.000001, within(1e-12));
    assertThat(run.summary().values()).containsEntry("emulation_late", true);
    assertThat(run.figure("emulation_count")).isEqualTo(2);
  }

  @Test
  void anEmulatedLaneMayBeOffByTwoPercent() {
    emulated(102 * MS, 100 * MS);
    assertThat(run.summary().values()).containsEntry("emulation_late", false);
    emulated(102 * MS + 1, 100 * MS);
    assertThat(run.summary().values()).containsEntry("emulation_late", true);
  }

  @Test
  void lanesThatCompute_meantNothing() {
    run.batch(ON_LANE_0, run.job(1500), 1500, 1600, 1700);
    assertThat(run.figure("emulation_count")).isZero();
    assertThat(run.summary().values())
        .containsEntry("emulation_late", null)
        .containsEntry("emulation_late_p99_ms", null);
  }

  @Test
  void aFailedBatch_doesNotCountAsEmulated() {
    DispatchId id = run.dispatched(ON_LANE_0, run.job(1500), 1500, 10 * MS);
    run.answered(ON_LANE_0, id, Result.FAILED, 1600 * MS, 1900 * MS, 10 * MS);
    assertThat(run.figure("emulation_count")).isZero();
  }

  private void emulated(long tookNs, long meantNs) {
    run.batch(ON_LANE_0, run.job(1500), 1500, 1600 * MS, 1600 * MS + tookNs, 10 * MS, meantNs);
  }

  @Test
  void aFailedBatch_keptItsLaneBusy() {
    DispatchId id = run.dispatched(ON_LANE_0, run.job(1500), 1500, 10 * MS);
    run.answered(ON_LANE_0, id, Result.FAILED, 1600 * MS, 1900 * MS, 0);
    assertThat(run.figure("lane_use")).isCloseTo(300 / 4000.0, within(1e-12));
  }

  /** A job that is tried again after its lane was lost; the first attempt answers late. */
  @Test
  void anAttemptThatEndedNothing_isLost() {
    String job = run.job(1500);
    DispatchId first = run.dispatched(ON_LANE_0, job, 1500, 10 * MS);
    run.batch(HandMadeRun.Batch.onLanes(1), job, 1800, 1810, 1900);
    assertThat(run.figure("attempts_lost")).isEqualTo(1);
    assertThat(run.figure("attempts_unanswered")).isEqualTo(1);
    assertThat(run.figure("superseded_completions")).isZero();
    run.answered(ON_LANE_0, first, Result.DONE, 1600 * MS, 1950 * MS, 0);
    assertThat(run.figure("attempts_lost")).isEqualTo(1);
    assertThat(run.figure("attempts_unanswered")).isZero();
    assertThat(run.figure("superseded_completions")).isEqualTo(1);
  }

  @Test
  void dropsAreOfMeasuredJobs_byTheirReason() {
    run.dropped(run.job(500), "hopeless", 500);
    run.dropped(run.job(1500), "hopeless", 1500);
    run.dropped(run.job(1600), "expired", 1700);
    assertThat(run.summary().values())
        .containsEntry("drops_by_reason", Map.of("hopeless", 1L, "expired", 1L))
        .containsEntry("failures_by_reason", Map.of());
  }

  @Test
  void aRunFails_whenAJobThatWasSentIsNotInTheLog() {
    run.batch(ON_LANE_0, run.job(1500), 1500, 1600, 1700);
    run.put("facts", ArrivalsEnded.punctual(0, 2), 3300).ended(2, false);
    assertThat(run.summary().verdict()).isEqualTo(Verdict.FAILED);
  }

  @Test
  void anInterruptedRun_isNotComparable_andItsWindowEndsWithTheLoad() {
    run.batch(ON_LANE_0, run.job(1500), 1500, 1600, 1700);
    run.dropped(run.job(2500), "run_ended", 2500);
    run.ended(2, true);
    assertThat(run.summary().notComparableReasons()).contains("interrupted");
    assertThat(run.figure("window_seconds")).isEqualTo(1.5);
  }

  @Test
  void theWindowOfARunThatWasInterruptedInItsWarmUp_isEmpty() {
    run.dropped(run.job(500), "run_ended", 500);
    run.ended(1, true);
    assertThat(run.figure("window_seconds")).isZero();
  }

  @Test
  void fairnessIsTheRatioOfTheWaits_ofMeasuredJobs() {
    wait("interactive", 500, 900); // warm-up
    wait("interactive", 1500, 1510);
    assertThat(run.figure("fairness_ratio")).isNaN(); // no other class
    wait("batch", 1500, 1530);
    assertThat(run.figure("fairness_ratio")).isEqualTo(3);
  }

  @Test
  void fairnessHasNoValue_whereAWaitIsBelowAMillisecond() {
    wait("interactive", 1500, 1501);
    wait("batch", 1500, 1502);
    assertThat(run.figure("fairness_ratio")).isEqualTo(2);
    wait("interactive", 1500, 1500);
    assertThat(run.figure("fairness_ratio")).isNaN();
  }

  private void wait(String classType, long intendedMs, long startMs) {
    String job = run.job(classType, "resnet18", 1, intendedMs * MS, intendedMs * MS);
    run.batch(ON_LANE_0, job, startMs, startMs, startMs + 20);
  }

  @Test
  void theLowestAttainment_ofEqualOnesIsTheFirstByName() {
    run.dropped(run.job("batch", "vit_tiny", 1, 1500 * MS, 1500 * MS), "expired", 1600);
    run.dropped(run.job("batch", "resnet18", 1, 1500 * MS, 1500 * MS), "expired", 1600);
    assertThat(run.figure("slo_attainment_min")).isZero();
    assertThat(run.summary().values()).containsEntry("slo_attainment_min_of", "batch × resnet18");
  }

  /** Beyond the 99th percentile of 662 values two lie, with a confidence of 99 %. */
  @Test
  void aP99StandsOnFewJobs_belowTheirNumberAlone() {
    var bounded =
        new HandMadeRun(
            SyntheticRun.experiment(
                2.5, 1, 3, 2, Map.of("lateness_p99_ms", new Threshold("<", 1))));
    for (int i = 0; i < 661; i++) {
      bounded.job(1500);
    }
    assertThat(bounded.summary().values()).containsEntry("all_p99_few_jobs", true);
    assertThat(result(bounded)).isEqualTo("undecided");
    bounded.job(1500);
    assertThat(bounded.summary().values()).containsEntry("all_p99_few_jobs", false);
    assertThat(result(bounded)).isEqualTo("met");
  }

  @Test
  void aBoundIsMet_byAFigureOnItOnlyIfItSaysSo() {
    assertThat(atTheBound("<")).isEqualTo("missed");
    assertThat(atTheBound("<=")).isEqualTo("met");
    assertThat(atTheBound(">")).isEqualTo("missed");
    assertThat(atTheBound(">=")).isEqualTo("met");
  }

  private static String atTheBound(String comparison) {
    var bounded =
        new HandMadeRun(
            SyntheticRun.experiment(
                2.5, 1, 3, 2, Map.of("lateness_max_ms", new Threshold(comparison, 3))));
    bounded.job("batch", "resnet18", 1, 1500 * MS, 1503 * MS);
    return result(bounded);
  }

  private static String result(HandMadeRun bounded) {
    Map<?, ?> thresholds = (Map<?, ?>) bounded.summary().values().get("thresholds");
    return String.valueOf(((Map<?, ?>) thresholds.values().iterator().next()).get("result"));
  }

  /** 5 % of the smallest promise, 200 ms. */
  @Test
  void aGeneratorIsSaturated_aboveItsLimit() {
    assertThat(run.figure("lateness_limit_ms")).isEqualTo(10);
    late(10 * MS);
    assertThat(run.summary().values()).containsEntry("lateness_verdict", "ok");
    late(10 * MS + 1);
    assertThat(run.summary().values())
        .containsEntry("lateness_verdict", "generator saturated, not comparable");
  }

  @Test
  void aRunFails_whenItsGeneratorIsTenTimesAsLateAsItMayBe() {
    late(100 * MS);
    run.dropped("job-0", "expired", 1700).ended(1, false);
    assertThat(run.summary().verdict()).isNotEqualTo(Verdict.FAILED);
    late(100 * MS + 1);
    run.dropped("job-1", "expired", 1700);
    assertThat(run.summary().verdict()).isEqualTo(Verdict.FAILED);
  }

  private void late(long lateNs) {
    run.job("interactive", "resnet18", 1, 1500 * MS, 1500 * MS + lateNs);
  }

  /** A multiple of the isolated time promises each job what its request says: 200 and 1000 ms. */
  @Test
  void theLimitFollowsTheSmallestPromise_ofAClassOfMultiplesToo() {
    var scaled =
        new HandMadeRun(
            SyntheticRun.experiment(
                2.5,
                1,
                3,
                2,
                Map.of(),
                List.of(
                    new JobClass("interactive", null, 4.0, 1, true, false),
                    new JobClass("batch", 1000.0, null, 5, false, true))));
    assertThat(scaled.figure("lateness_limit_ms")).isEqualTo(50);
    scaled.job(500); // warm-up: no promise that was measured
    assertThat(scaled.figure("lateness_limit_ms")).isEqualTo(50);
    scaled.job(1500);
    assertThat(scaled.figure("lateness_limit_ms")).isEqualTo(10);
  }

  /** 5 % of a promise of 30 ms are 1.5 ms, and 5 % of 50 ms are 2.5 ms. */
  @Test
  void theLimitIsTwoMillisecondsAtLeast() {
    assertThat(withPromise(30).figure("lateness_limit_ms")).isEqualTo(2);
    assertThat(withPromise(50).figure("lateness_limit_ms")).isEqualTo(2.5);
  }

  private static HandMadeRun withPromise(double sloMs) {
    var classes = List.of(new JobClass("interactive", sloMs, null, 1, true, false));
    return new HandMadeRun(SyntheticRun.experiment(2.5, 1, 3, 2, Map.of(), classes));
  }

  /** The experiment's window gathers jobs of the class batch for 10 ms. */
  @Test
  void noBubbleIsBesideAJobWhoseWindowIsStillOpen() {
    assertThat(bubblesBesideAJobOf(1091)).isZero();
    assertThat(bubblesBesideAJobOf(1090)).isEqualTo(1);
  }

  /** A batch ends at 1,100 ms, and the next is of a job that came later; another job waited. */
  private static double bubblesBesideAJobOf(long intendedMs) {
    var beside = new HandMadeRun();
    String first = beside.job(1000);
    String waited = beside.job("batch", "resnet18", 1, intendedMs * MS, intendedMs * MS);
    String next = beside.job(1101);
    beside.batch(ON_LANE_0, first, 1000, 1001, 1100).batch(ON_LANE_0, next, 1101, 1105, 1200);
    beside.batch(ON_LANE_0, waited, 1201, 1205, 1300);
    return beside.figure("bubble_count") - 1; // that between the last two
  }

  @Test
  void aFailedBatch_isNoGapInItsLane() {
    String first = run.job(1000);
    String failed = run.job(1000);
    String next = run.job(1000);
    run.batch(ON_LANE_0, first, 1000, 1001, 1100);
    DispatchId id = run.dispatched(ON_LANE_0, failed, 1101, 10 * MS);
    run.answered(ON_LANE_0, id, Result.FAILED, 1105 * MS, 1190 * MS, 0);
    run.ended(failed, JobEnded.Status.FAILED, "it broke", id, 1191);
    run.batch(ON_LANE_0, next, 1191, 1195, 1200);
    assertThat(run.figure("bubble_count")).isEqualTo(2);
    assertThat(run.figure("bubble_p99_ms")).isEqualTo(5);
  }

  @Test
  void theQueueIsOfJobsThatHaveNeitherStartedNorEnded() {
    run.batch(ON_LANE_0, run.job(500), 500, 1500, 1600); // waits for the first 500 ms
    run.dropped(run.job(1200), "expired", 1400); // waits for 200 ms beside it
    run.batch(ON_LANE_0, run.job(2900), 2900, 3100, 3200);
    assertThat(run.figure("queue_mean")).isCloseTo((500 + 200 + 100) / 2000.0, within(1e-12));
    assertThat(run.figure("queue_max")).isEqualTo(2);
    assertThat(run.figure("queue_growth")).isZero();
    run.batch(ON_LANE_0, run.job(3000), 3000, 3300, 3400);
    run.batch(ON_LANE_0, run.job(3000), 3000, 3300, 3400);
    assertThat(run.figure("queue_growth")).isEqualTo(2);
    assertThat(run.figure("queue_max")).isEqualTo(2);
  }

  /** Of 32 arrivals a growth of 16 is two standard deviations. */
  @Test
  void aQueueRises_whenItGrowsByMoreThanTwoStandardDeviations() {
    assertThat(unstable(32, 16)).isEqualTo(false);
    assertThat(unstable(32, 17)).isEqualTo(true);
    assertThat(unstable(19, 19)).isNull();
    assertThat(unstable(20, 20)).isEqualTo(true);
  }

  /** Arrivals evenly over the window, of which the last ones wait beyond it. */
  private static Object unstable(int arrivals, int waiting) {
    var rising = new HandMadeRun();
    for (int i = 0; i < arrivals; i++) {
      long ms = 1001 + 1990L * i / arrivals;
      String job = rising.job(ms);
      int index = i;
      boolean waits = IntStream.range(0, waiting).anyMatch(w -> w * arrivals / waiting == index);
      rising.batch(ON_LANE_0, job, waits ? 3500 : ms, waits ? 3500 : ms, waits ? 3510 : ms + 1);
    }
    return rising.summary().values().get("unstable");
  }

  /** All wait in the second half of the window: the first two quarters are equally empty. */
  @Test
  void aBurst_isNoRisingQueue() {
    for (int i = 0; i < 20; i++) {
      run.batch(ON_LANE_0, run.job(i < 10 ? 2100 : 2600), 3500, 3500, 3510);
    }
    assertThat(run.figure("queue_growth")).isEqualTo(20);
    assertThat(run.summary().values()).containsEntry("unstable", false);
  }

  /** Slow and fast batches in turn; one of another model has no mean to be off. */
  @Test
  void spellsAreOfTwentyBatchesThatHaveTheirLike() {
    for (int i = 0; i < 19; i++) {
      spell("resnet18", i);
    }
    spell("vit_tiny", 19);
    assertThat(run.summary().values()).containsEntry("service_autocorrelation_lag_1", null);
    spell("resnet18", 20);
    assertThat(run.figure("service_autocorrelation_lag_1")).isLessThan(-0.5);
  }

  private void spell(String workload, int index) {
    spell(workload, index, (index % 2 == 0 ? 10 : 40) * MS);
  }

  private void spell(String workload, int index, long serviceNs) {
    long ms = 1500 + 50 * index;
    String job = run.job("batch", workload, 1, ms * MS, ms * MS);
    run.batch(ON_LANE_0, job, ms, ms * MS, ms * MS + serviceNs, MS, 0);
  }

  /** Fast and slow models in turn, each as fast as ever, to the nanosecond. */
  @Test
  void whereServiceTimesNeverVary_itIsUnknownWhetherThereAreSpells() {
    for (int i = 0; i < 28; i++) {
      boolean slow = i % 2 == 0;
      spell(slow ? "resnet18" : "vit_tiny", i, (slow ? 40 : 10) * MS + i / 2 % 2);
    }
    assertThat(run.summary().values())
        .containsEntry("service_autocorrelation_lag_1", null)
        .containsEntry("service_autocorrelation_lag_10", null);
    spell("vit_tiny", 28, 10 * MS + 2);
    assertThat(run.figure("service_autocorrelation_lag_1")).isBetween(-1.0, 1.0);
  }

  @Test
  void lanesAreThoseOfAllExecutors_eachAtItsMost() {
    report("a", 2, 3_000_000);
    report("b", 3, 1_000_000);
    report("a", 1, 2_000_000);
    assertThat(run.figure("lanes")).isEqualTo(5);
    assertThat(run.figure("clock_offset_ms_max")).isEqualTo(3);
  }

  @Test
  void clocksThatDifferByMoreThanAMillisecond_areNoted() {
    report("a", 1, MS);
    assertThat(run.summary().values().get("notes").toString()).doesNotContain("clocks differ");
    report("b", 1, MS + 1);
    assertThat(run.summary().values().get("notes").toString()).contains("clocks differ by up to");
  }

  private void report(String executor, int lanes, long offsetNs) {
    run.put(
        "facts",
        new ExecutorReported(
            executor,
            1,
            false,
            "cpu",
            null,
            IntStream.range(0, lanes)
                .mapToObj(i -> new ExecutorReported.Lane(i, List.of()))
                .toList(),
            List.of(),
            offsetNs,
            null,
            null),
        0);
  }
}
