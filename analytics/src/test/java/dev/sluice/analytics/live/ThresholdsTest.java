package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Thresholds of a run of 1 + 9 seconds at 10 jobs/s, on hand-made seconds. */
final class ThresholdsTest {
  private static final String CONFIG =
      """
      run_name: r
      duration_seconds: 10.0
      warmup_seconds: 1.0
      arrival_rate_jobs_per_sec: 10.0
      arrivals: poisson
      classes:
        batch: {slo_ms: 100.0, priority: 5}
      thresholds:
      """;

  private static MetricsWindow window(int second, int done, int dropped, long endToEndMs) {
    long[] times = new long[done];
    java.util.Arrays.fill(times, endToEndMs * 1_000_000);
    var counts =
        new Counts(
            done + dropped,
            done,
            dropped,
            0,
            dropped,
            done,
            null,
            null,
            null,
            2L,
            LatencyHistogram.of(times));
    return new MetricsWindow(
        second * Windows.SECOND_NS,
        (second + 1) * Windows.SECOND_NS,
        counts,
        Map.of("batch", counts),
        2,
        1,
        4,
        0.5,
        Map.of(),
        null,
        null,
        null,
        null,
        null);
  }

  private static JsonNode state(String threshold, MetricsWindow... windows) {
    RunConfig config = RunConfig.of(CONFIG + "  " + threshold + "\n");
    JsonNode all = Thresholds.soFar(config, List.of(windows));
    assertThat(all).hasSize(1);
    return all.path(0);
  }

  private static String stateOf(String threshold, MetricsWindow... windows) {
    return state(threshold, windows).path("state").asText();
  }

  @Test
  void areOpen_beforeTheWarmUpIsOver() {
    assertThat(stateOf("failed: \"<= 0\"")).isEqualTo("open");
    assertThat(stateOf("batch_p99_e2e_ms: \"< 100\"", window(0, 10, 9, 300))).isEqualTo("open");
  }

  @Test
  void areOpen_whereSecondsDoNotTellTheFigure() {
    assertThat(stateOf("hop_p99_ms: \"< 1\"", window(1, 10, 0, 50))).isEqualTo("open");
  }

  @Test
  void areMetOrMissedSoFar() {
    assertThat(stateOf("batch_p99_e2e_ms: \"< 100\"", window(1, 10, 0, 50))).isEqualTo("met");
    assertThat(stateOf("batch_p99_e2e_ms: \"< 40\"", window(1, 1, 0, 50))).isEqualTo("missed");
    assertThat(stateOf("goodput_jobs_sec: \">= 9\"", window(1, 10, 0, 50))).isEqualTo("met");
    assertThat(stateOf("all_goodput_jobs_sec: \">= 11\"", window(1, 10, 0, 50)))
        .isEqualTo("missed");
    JsonNode infinite = state("p50_e2e_ms: \"< 100\"", window(1, 1, 3, 50));
    assertThat(infinite.path("state").asText()).isEqualTo("missed");
    assertThat(infinite.path("value").asText()).isEqualTo("inf");
    assertThat(infinite.path("bound").asText()).isEqualTo("< 100");
  }

  @Test
  void cannotBeMet_whenMoreJobsAreLostThanTheWarmUpCanHaveLeft() {
    // 3 jobs were under way when the warm-up ended, and may not count
    assertThat(stateOf("dropped: \"<= 0\"", window(0, 5, 0, 50), window(1, 5, 3, 50)))
        .isEqualTo("missed");
    assertThat(stateOf("dropped: \"<= 0\"", window(0, 5, 0, 50), window(1, 5, 4, 50)))
        .isEqualTo("cannot_be_met");
  }

  @Test
  void cannotBeMet_whenMoreJobsAreLateThanAnyLoadAllows() {
    // at most 2 × 90 + 100 jobs: three beyond the bound are over 1 %
    assertThat(stateOf("p99_e2e_ms: \"< 40\"", window(1, 2, 0, 50))).isEqualTo("missed");
    assertThat(stateOf("p99_e2e_ms: \"< 40\"", window(1, 3, 0, 50))).isEqualTo("cannot_be_met");
    assertThat(stateOf("slo_violation_rate: \"<= 0.01\"", window(1, 99, 3, 50)))
        .isEqualTo("cannot_be_met");
  }
}
