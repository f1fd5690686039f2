package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a verdict stands on: bounds that are met, missed or undecided, and a whole account. */
final class VerdictsTest {
  /** Beyond the 95th percentile of 130 values two lie, with a confidence of 99 %. */
  @Test
  void aLatencysP95StandsOnFewJobs_belowTheirNumberAlone() {
    var bounded = new HandMadeRun(withThresholds(Map.of("all_p95_e2e_ms", "<")));
    for (int i = 0; i < 129; i++) {
      bounded.batch(ON_LANE_0, bounded.job(1500), 1500, 1500, 1500);
    }
    assertThat(bounded.summary().values()).containsEntry("all_p95_few_jobs", true);
    assertThat(result(bounded)).isEqualTo("undecided");
    bounded.batch(ON_LANE_0, bounded.job(1500), 1500, 1500, 1500);
    assertThat(bounded.summary().values()).containsEntry("all_p95_few_jobs", false);
    assertThat(result(bounded)).isEqualTo("met");
  }

  /** Each figure bounded by one. */
  private static Experiment withThresholds(Map<String, String> comparisons) {
    Map<String, Threshold> thresholds = new TreeMap<>();
    comparisons.forEach((name, comparison) -> thresholds.put(name, new Threshold(comparison, 1)));
    return SyntheticRun.experiment(2.5, 1, 3, 2, thresholds);
  }

  @Test
  void aMissedBoundIsCertain_whateverIsUndecided() {
    HandMadeRun undecided = ended(withThresholds(Map.of("lateness_p99_ms", "<")));
    assertThat(undecided.summary().verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(undecided.summary().verdictReasons())
        .containsExactly("threshold undecided: lateness_p99_ms < 1");
    HandMadeRun missed =
        ended(withThresholds(Map.of("lateness_p99_ms", "<", "lateness_max_ms", ">")));
    assertThat(missed.summary().verdict()).isEqualTo(Verdict.MISSED);
    assertThat(missed.summary().verdictReasons())
        .containsExactly("threshold missed: lateness_max_ms > 1");
    HandMadeRun met = ended(withThresholds(Map.of("lateness_max_ms", "<")));
    assertThat(met.summary().verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void aRunFails_whenAJobHasNoEnd() {
    assertThat(ended(withThresholds(Map.of())).summary().verdictReasons()).isEmpty();
    HandMadeRun lacking = busy(withThresholds(Map.of()));
    lacking.job(2700);
    lacking.put("facts", ArrivalsEnded.punctual(0, 5), 3300).ended(5, false);
    assertThat(lacking.summary().verdict()).isEqualTo(Verdict.FAILED);
    assertThat(lacking.summary().verdictReasons())
        .contains("the log holds no whole account of the end of 1 jobs");
  }

  /** A whole run of four jobs. */
  private static HandMadeRun ended(Experiment experiment) {
    return busy(experiment).put("facts", ArrivalsEnded.punctual(0, 4), 3300).ended(4, false);
  }

  /** A run whose log never stands still for a second. */
  private static HandMadeRun busy(Experiment experiment) {
    var run = new HandMadeRun(experiment);
    for (long ms = 500; ms < 3000; ms += 700) {
      run.batch(ON_LANE_0, run.job(ms), ms, ms, ms + 100);
    }
    return run;
  }

  private static String result(HandMadeRun bounded) {
    Map<?, ?> thresholds = (Map<?, ?>) bounded.summary().values().get("thresholds");
    return String.valueOf(((Map<?, ?>) thresholds.values().iterator().next()).get("result"));
  }
}
