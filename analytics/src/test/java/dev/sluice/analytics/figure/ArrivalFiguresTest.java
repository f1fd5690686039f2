package dev.sluice.analytics.figure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.statistic.Bounds;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How evenly the jobs of small runs arrive, and which figures a threshold may name. */
final class ArrivalFiguresTest {
  private static HandMadeRun run(double untilSeconds, long... intendedMs) {
    var run = new HandMadeRun(SyntheticRun.experiment(2.5, 1, untilSeconds, 2, Map.of()));
    for (long ms : intendedMs) {
      run.job(ms);
    }
    return run;
  }

  /** Five in one second and one in the other: mean 3, variance 2² + 2² over one. */
  @Test
  void dispersionIsTheVarianceOfTheCounts_byTheirMean() {
    HandMadeRun run = run(3, 1000, 1100, 1200, 1300, 1999, 2000);
    assertThat(run.figure("realized_dispersion_1s")).isCloseTo(8 / 3.0, within(1e-12));
  }

  @Test
  void dispersionIsOfWholeSeconds() {
    HandMadeRun run = run(3.5, 1000, 1100, 1200, 1300, 1999, 2000, 3000, 3400);
    assertThat(run.figure("realized_dispersion_1s")).isCloseTo(8 / 3.0, within(1e-12));
    assertThat(run(2.9, 1000, 1100).figure("realized_dispersion_1s")).isNaN();
    assertThat(run(3).figure("realized_dispersion_1s")).isNaN();
    assertThat(run(3.5, 3400).figure("realized_dispersion_1s")).isNaN();
  }

  /** Gaps of 100 and 300 ms: mean 200, deviation √(100² + 100²) by n − 1. */
  @Test
  void variationIsTheDeviationOfTheGaps_byTheirMean() {
    assertThat(run(3, 1000, 1100, 1400).figure("realized_gap_cv"))
        .isCloseTo(Math.sqrt(2) / 2, within(1e-12));
    assertThat(run(3, 1000, 1400).figure("realized_gap_cv")).isNaN();
    assertThat(run(3, 1000, 1000, 1000).figure("realized_gap_cv")).isNaN();
  }

  @Test
  void aThresholdMayNameAFigureOfEachFamily() {
    assertThat(Figures.figureNames())
        .contains(
            "all_p99_e2e_ms",
            "overall_throughput_sps",
            "lane_use",
            "blocked_ms_tokens",
            "attempts_lost",
            "fairness_ratio",
            "queue_growth",
            "realized_gap_cv",
            "offline_throughput_sps",
            "lateness_p99_ms",
            "hop_p99_ms",
            "service_autocorrelation_lag_10",
            "prediction_p95_miss_rate",
            "emulation_late_p99_ms",
            "start_to_first_dispatch_ms")
        .doesNotHaveDuplicates();
  }

  @Test
  void aFigureCannotLeaveWhatIsPossible() {
    assertThat(List.of("all_slo_violation_rate", "lane_use", "slo_attainment_min"))
        .allMatch(name -> Figures.bounds(name) == Bounds.SHARE);
    assertThat(Figures.bounds("prediction_p95_miss_rate")).isEqualTo(Bounds.SHARE);
    assertThat(Figures.bounds("service_autocorrelation_lag_10")).isEqualTo(Bounds.CORRELATION);
    assertThat(List.of("queue_growth", "prediction_bias_median", "append_delay_p50_ms"))
        .allMatch(name -> Figures.bounds(name) == Bounds.NONE);
    assertThat(List.of("all_p99_e2e_ms", "lateness_p50_ms", "queue_mean"))
        .allMatch(name -> Figures.bounds(name) == Bounds.FROM_ZERO);
  }

  private static String countBehind(String name) {
    return Figures.countBehind(name, requireNonNull(Figures.definition(name)));
  }

  @Test
  void aP99StandsOnTheValuesOfItsOwnFamily() {
    assertThat(countBehind("interactive_p99_e2e_ms")).isEqualTo("interactive_count");
    assertThat(countBehind("all_completed_p99_e2e_ms")).isEqualTo("all_done");
    assertThat(countBehind("lateness_p99_ms")).isEqualTo("all_count");
    assertThat(countBehind("hop_p99_ms")).isEqualTo("hop_count");
    assertThat(countBehind("bubble_p99_ms")).isEqualTo("bubble_count");
    assertThat(countBehind("prediction_p99_miss_rate")).isEqualTo("prediction_p99_count");
    assertThat(countBehind("emulation_late_p99_ms")).isEqualTo("emulation_count");
  }

  @Test
  void aBlockOfAClassAndAWorkload_holdsItsJobsAlone() {
    HandMadeRun run = run(3, 1000, 1100);
    run.job("interactive", "vit_tiny", 1, 1_200_000_000, 1_200_000_000);
    run.job("batch", "vit_tiny", 4, 1_300_000_000, 1_300_000_000);
    assertThat(block(run, "interactive", "resnet18")).containsEntry("count", 2L);
    assertThat(block(run, "interactive", "vit_tiny")).containsEntry("total_samples", 1L);
    assertThat(block(run, "batch", "vit_tiny")).containsEntry("total_samples", 4L);
    assertThat(block(run, "batch", "resnet18")).containsEntry("count", 0L);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> block(HandMadeRun run, String classType, String workload) {
    var byClass =
        (Map<String, Map<String, Map<String, Object>>>)
            run.summary().values().get("by_class_workload");
    return byClass.get(classType).get(workload);
  }
}
