package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static dev.sluice.analytics.figure.HandMadeRun.Batch.onLanes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What figures say of a job that lies exactly on an edge: of a promise, of the window, of a lane.
 */
final class EdgesTest {
  private static final long MS = 1_000_000;

  private final HandMadeRun run = new HandMadeRun();

  @Test
  void aJobThatTakesExactlyAsLongAsPromised_keepsThePromise() {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100, 1200);
    assertThat(run.figure("all_slo_violations")).isZero();
    assertThat(run.figure("goodput_jobs_sec")).isEqualTo(0.5);
  }

  @Test
  void aJobThatTakesANanosecondLonger_breaksIt() {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100 * MS, 1200 * MS + 1, 100 * MS, 0);
    assertThat(run.figure("all_slo_violations")).isEqualTo(1);
    assertThat(run.figure("goodput_jobs_sec")).isZero();
  }

  @Test
  void theWindowHoldsItsBeginning_andNotItsEnd() {
    for (long ns : new long[] {1000 * MS - 1, 1000 * MS, 3000 * MS - 1, 3000 * MS}) {
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    assertThat(run.figure("all_count")).isEqualTo(2);
  }

  @Test
  void workThatEndsWithTheWindow_isOutsideIt() {
    run.batch(ON_LANE_0, run.job(500), 500, 600, 1000);
    assertThat(run.figure("overall_throughput_jobs_sec")).isEqualTo(0.5);
    assertThat(run.figure("all_throughput_jobs_sec")).isEqualTo(0.5);
    run.batch(ON_LANE_0, run.job(2000), 2000, 2900 * MS, 3000 * MS - 1, 100 * MS, 0);
    assertThat(run.figure("overall_throughput_sps")).isEqualTo(1);
    assertThat(run.figure("all_throughput_sps")).isEqualTo(1);
    run.batch(ON_LANE_0, run.job(2000), 2000, 2900, 3000);
    assertThat(run.figure("overall_throughput_jobs_sec")).isEqualTo(1);
    assertThat(run.figure("overall_throughput_sps")).isEqualTo(1);
    assertThat(run.figure("all_throughput_jobs_sec")).isEqualTo(1);
    assertThat(run.figure("all_throughput_sps")).isEqualTo(1);
  }

  @Test
  void aPartOfTheWindowHoldsItsBeginning_andNotItsEnd() {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100, 1200); // parts are 200 ms long
    List<?> parts = (List<?>) run.summary().values().get("prediction_over_time");
    assertThat(parts).hasSize(10);
    assertThat(((Map<?, ?>) parts.get(0)).get("count")).isEqualTo(0L);
    assertThat(((Map<?, ?>) parts.get(1)).get("count")).isEqualTo(1L);
  }

  @Test
  void theLatenessIsOfMeasuredJobsAlone() {
    job(500, 590, 620); // warm-up
    job(1500, 1501, 1503);
    job(3100, 3190, 3220); // tail
    assertThat(run.figure("lateness_max_ms")).isEqualTo(1);
    assertThat(run.figure("lateness_p99_ms")).isEqualTo(1);
    assertThat(run.figure("append_delay_max_ms")).isEqualTo(2);
    assertThat(run.summary().values()).containsEntry("lateness_verdict", "ok");
  }

  private void job(long intendedMs, long sentMs, long appendedMs) {
    run.job("interactive", "resnet18", 1, intendedMs * MS, sentMs * MS, appendedMs);
  }

  @Test
  void aBatchOverSeveralLanes_keepsEachOfThemBusy() {
    run.batch(onLanes(0, 1), run.job(1000), 1000, 1100, 1300);
    assertThat(run.figure("lane_use")).isCloseTo(2 * 200 / 4000.0, within(1e-12));
    run.batch(onLanes(0), run.job(1000), 1300, 1400, 1500);
    assertThat(run.figure("lane_use")).isCloseTo((2 * 200 + 100) / 4000.0, within(1e-12));
  }

  @Test
  void onlyThePartOfABatchInsideTheWindow_isBusyTime() {
    run.batch(ON_LANE_0, run.job(500), 500, 900, 1100);
    run.batch(ON_LANE_0, run.job(2500), 2500, 2950, 3100);
    run.batch(ON_LANE_0, run.job(500), 500, 600, 700);
    run.batch(ON_LANE_0, run.job(3100), 3100, 3200, 3300);
    assertThat(run.figure("lane_use")).isCloseTo((100 + 50) / 4000.0, within(1e-12));
  }

  @Test
  void aBubbleIsBetweenTwoBatchesOfOneProcess() {
    String first = run.job(1000);
    String next = run.job(1000);
    run.batch(ON_LANE_0, first, 1000, 1001, 1100).batch(ON_LANE_0, next, 1101, 1105, 1200);
    assertThat(run.figure("bubble_count")).isEqualTo(1);
    assertThat(run.figure("bubble_p50_ms")).isEqualTo(5);
  }

  /** The process that starts instead of a dead one was not idle: it was not there. */
  @Test
  void noBubbleIsBetweenTwoProcesses() {
    String first = run.job(1000);
    String next = run.job(1000);
    run.batch(ON_LANE_0, first, 1000, 1001, 1100)
        .batch(ON_LANE_0.incarnation(2), next, 1101, 1105, 1200);
    assertThat(run.figure("bubble_count")).isZero();
  }

  @Test
  void aBubbleBeginsInsideTheWindow() {
    bubble(900, 1000);
    assertThat(run.figure("bubble_count")).isEqualTo(1);
    bubble(2900, 3000);
    assertThat(run.figure("bubble_count")).isEqualTo(1);
  }

  /** Two batches with work that waits between them, the first from and to these milliseconds. */
  private void bubble(long fromMs, long toMs) {
    String first = run.job(fromMs);
    String next = run.job(fromMs);
    run.batch(ON_LANE_0, first, fromMs, fromMs + 1, toMs)
        .batch(ON_LANE_0, next, toMs + 1, toMs + 5, toMs + 6);
  }
}
