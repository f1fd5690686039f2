package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static dev.sluice.analytics.figure.HandMadeRun.Batch.onLanes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.analytics.fold.SyntheticRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Figures count in nanoseconds, and the tables round times to microseconds. The check allows for
 * what rounding can do to each figure, and for no more.
 */
final class RoundedTimesTest {
  private static final long MS = 1_000_000;
  private static final String CONFIG =
      """
      seed: 42
      warmup_seconds: 1
      duration_seconds: 3
      scheduler_name: dynamic
      arrival_rate_jobs_per_sec: 2.5
      classes:
        interactive: {slo_ms: 200, interactive: true, microbatch: false}
        batch: {slo_ms: 1000, interactive: false, microbatch: true}
      """;

  private HandMadeRun run = new HandMadeRun();
  @TempDir private Path folder;

  @BeforeEach
  void writeConfig() throws Exception {
    Files.writeString(folder.resolve("config.yaml"), CONFIG);
  }

  @Test
  void aJobJustBeforeASecondBegins_isCountedInEitherSecond() throws Exception {
    for (long ns : new long[] {1100 * MS, 2000 * MS - 400, 2100 * MS, 2200 * MS}) {
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    assertThat(run.figure("realized_dispersion_1s")).isZero();
    assertHolds("realized_dispersion_1s", 0, 1.01);
  }

  @Test
  void aJobAMicrosecondBeforeIt_isCountedInItsOwn() throws Exception {
    for (long ns : new long[] {1100 * MS, 2000 * MS - 1000, 2100 * MS, 2200 * MS}) {
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    assertHolds("realized_dispersion_1s", 0, 0.01);
  }

  @Test
  void gapsThatDifferByNanoseconds_areEqualInTheTable() throws Exception {
    for (int i = 0; i < 200; i++) {
      long ns = 1000 * MS + i * 8 * MS + i % 3 * 200;
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    // at most √(200 / 199) µs / 8 ms
    assertHolds("realized_gap_cv", run.figure("realized_gap_cv"), 1.4e-4);
  }

  /** Rounded, the times are 8 ms apart; by turns 499 ns after them and 500 ns before. */
  @Test
  void fewGapsMayBeOffByAMicrosecondEach() throws Exception {
    for (int i = 0; i < 4; i++) {
      long ns = (1000 + 8 * i) * MS + (i % 2 == 0 ? 499 : -500);
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    assertHolds("realized_gap_cv", run.figure("realized_gap_cv"), 1.2e-5); // √(3 / 2) µs / 8 ms
  }

  /** 400 ns before the last whole second ends; in the table it is one of the rest's. */
  @Test
  void aJobAtTheEndOfTheLastWholeSecond_isCountedInItOrNot() throws Exception {
    Files.writeString(folder.resolve("config.yaml"), CONFIG.replace("seconds: 3", "seconds: 3.5"));
    run = new HandMadeRun(SyntheticRun.experiment(2.5, 1, 3.5, 2, Map.of()));
    long[] times = {1500 * MS, 2500 * MS, 3000 * MS - 400, 3100 * MS, 3200 * MS, 3300 * MS};
    for (long ns : times) {
      run.job("interactive", "resnet18", 1, ns, ns);
    }
    assertHolds("realized_dispersion_1s", 1 / 3.0, 3.7); // at most 4, for squares of 6
  }

  @Test
  void aJobJustAfterTheWindow_mayHaveWaitedWithinIt() throws Exception {
    run.job("interactive", "resnet18", 1, 2000 * MS, 2000 * MS);
    run.batch(ON_LANE_0, "job-0", 2000, 2100, 2200);
    run.job("interactive", "resnet18", 1, 3000 * MS + 400, 3000 * MS + 400);
    run.batch(ON_LANE_0, "job-1", 3000, 3100, 3200);
    assertThat(run.figure("queue_growth")).isZero();
    assertHolds("queue_growth", 0, 1.1);
    assertHolds("queue_max", 1, 1.1);
    assertHolds("queue_mean", 0.05, 1e-5);
  }

  /** The window of an interrupted run ends at its last arrival, here 300 ns after the table's. */
  @Test
  void theArrivalAtWhichAWindowIsCut_waitsAfterIt() throws Exception {
    run.job(1100);
    run.job("interactive", "resnet18", 1, 2000 * MS + 300, 2000 * MS + 300);
    run.batch(ON_LANE_0, "job-0", 2000, 2100, 2200);
    run.batch(ON_LANE_0, "job-1", 2200, 2300, 2400);
    run.ended(2, true);
    assertHolds("queue_max", 1, 1.1);
    assertHolds("queue_growth", 2, 1.1);
    assertHolds("queue_mean", (900 * MS + 300) / (1000.0 * MS + 300), 1e-5);
  }

  @Test
  void anArrivalJustBeforeAWindowIsCut_waitsWithinIt() throws Exception {
    run.job("interactive", "resnet18", 1, 2000 * MS - 400, 2000 * MS - 400);
    run.job("interactive", "resnet18", 1, 2000 * MS - 200, 2000 * MS - 200);
    run.batch(ON_LANE_0, "job-0", 2000, 2100, 2200);
    run.batch(ON_LANE_0, "job-1", 2200, 2300, 2400);
    run.ended(2, true);
    assertHolds("queue_mean", 200 / (1000.0 * MS - 200), 1e-5);
  }

  @Test
  void laneUseRestsOnServiceTimes_whichAreExact() throws Exception {
    for (int i = 0; i < 200; i++) {
      String job = run.job(1000 + 9 * i);
      long startNs = (1001 + 9 * i) * MS;
      run.batch(ON_LANE_0, job, 1000 + 9 * i, startNs, startNs + MS + 300, MS, 0);
    }
    assertHolds("lane_use", 200 * (MS + 300) / 4e9, 1e-7);
  }

  @Test
  void ofABatchThatTheWindowCuts_atMostAMicrosecondIsUncertain() throws Exception {
    run.batch(ON_LANE_0, run.job(1000), 1000, 2900 * MS + 400, 3100 * MS, 100 * MS, 0);
    assertHolds("lane_use", (100 * MS - 400) / 4e9, 1e-6);
  }

  @Test
  void batchesOfOneMicrosecond_mayHaveBegunInEitherOrder() throws Exception {
    for (int i = 0; i < 30; i++) {
      long atMs = 1000 + 50 * i;
      long startNs = (atMs + 1) * MS;
      String early = run.job(atMs);
      String late = run.job(atMs);
      long earlyNs = i % 2 == 0 ? 10 * MS : 11 * MS;
      long lateNs = i % 2 == 0 ? 20 * MS : 5 * MS;
      // dispatched second, begun first: where by 300 ns, the table shows the other order
      long apartNs = i % 10 == 0 ? 300 : 3000;
      run.batch(onLanes(1), late, atMs, startNs + apartNs, startNs + apartNs + lateNs, MS, 0);
      run.batch(onLanes(0), early, atMs, startNs, startNs + earlyNs, MS, 0);
    }
    assertHolds("service_autocorrelation_lag_1", run.figure("service_autocorrelation_lag_1"), 0.5);
  }

  @Test
  void serviceTimesThatNeverVary_haveNoSpells() throws Exception {
    for (int i = 0; i < 30; i++) {
      long startNs = (1000 + 50 * i) * MS;
      run.batch(ON_LANE_0, run.job(1000 + 50 * i), 1000, startNs, startNs + 10 * MS + i % 2, MS, 0);
    }
    assertThat(run.summary().values()).containsEntry("service_autocorrelation_lag_1", null);
    assertHoldsBut("service_autocorrelation_lag_1", 0.1);
  }

  /** Two nanoseconds are more than rounding, and the check counts such a figure again. */
  @Test
  void serviceTimesThatVaryByTwoNanoseconds_mayHaveSpells() throws Exception {
    for (int i = 0; i < 30; i++) {
      long startNs = (1000 + 50 * i) * MS;
      run.batch(ON_LANE_0, run.job(1000 + 50 * i), 1000, startNs, startNs + MS + i % 2 * 2, MS, 0);
    }
    assertHolds("service_autocorrelation_lag_1", run.figure("service_autocorrelation_lag_1"), 0.1);
  }

  @Test
  void aJobThatEndedJustBeforeTheWindow_countsInTheRateOrNot() throws Exception {
    run.batch(ON_LANE_0, run.job(1100), 1100, 1200, 1300);
    run.batch(ON_LANE_0, run.job(2800), 2800, 2900 * MS, 3000 * MS - 300, 100 * MS, 0);
    assertHolds("overall_throughput_jobs_sec", 1, 0.51);
    assertHolds("all_goodput_jobs_sec", 1, 0.51);
  }

  @Test
  void aJobThatCameJustAfterABatchEnded_isNoBubble_orOneInTheTable() throws Exception {
    run.batch(ON_LANE_0, run.job(1100), 1100, 1200, 1300);
    run.job("interactive", "resnet18", 1, 1300 * MS + 300, 1300 * MS + 300);
    run.batch(ON_LANE_0, "job-1", 1301, 1300 * MS + 400, 1400 * MS, 100 * MS, 0);
    assertHolds("bubble_count", 0, 1.1);
    assertThat(faults("bubble_p50_ms")).isNotEmpty(); // of a bubble there must be a median
    run.report().writeSummary(folder);
    assertThat(faults("bubble_p50_ms")).isEmpty();
  }

  /** A part of the window with batches at both its edges does not tell which of them it counts. */
  @Test
  void whateverRoundingDoes_theCheckTakesTheFigures() throws Exception {
    for (int seed = 1; seed <= 100; seed++) {
      run = crowdedRun(new Random(seed), /* interrupted= */ seed % 2 == 0);
      var report = run.report();
      report.writeRows(folder);
      report.writeSummary(folder);
      assertThat(RunCheck.of(folder).faults())
          .as("seed %d", seed)
          .filteredOn(fault -> fault.rule() == Rule.SUMMARY)
          .filteredOn(fault -> !fault.where().contains("prediction_over_time"))
          .isEmpty();
    }
  }

  /** Much happens within a microsecond of the window's edges, of seconds and of other times. */
  private static HandMadeRun crowdedRun(Random random, boolean interrupted) {
    var run = new HandMadeRun();
    long lastNs = 2700 * MS + random.nextInt(1000);
    long[] times = {1000 * MS, 1500 * MS, 2000 * MS, lastNs, 3000 * MS};
    long[] arrivals =
        LongStream.concat(
                LongStream.of(lastNs),
                random
                    .ints(random.nextInt(40), 0, times.length)
                    .mapToLong(i -> times[i] + random.nextInt(1400) - 700))
            .filter(ns -> !interrupted || ns <= lastNs)
            .sorted()
            .toArray();
    long[] freeNs = new long[2];
    for (long atNs : arrivals) {
      String classType = random.nextBoolean() ? "interactive" : "batch";
      String job = run.job(classType, "resnet18", 1, atNs, atNs);
      int lane = random.nextInt(freeNs.length);
      long startNs = Math.max(atNs + away(random), freeNs[lane]);
      freeNs[lane] = startNs + 1 + away(random);
      run.batch(onLanes(lane), job, startNs / MS, startNs, freeNs[lane], MS, 0);
    }
    return run.ended(arrivals.length, interrupted);
  }

  private static long away(Random random) {
    long[] mostNs = {1, 700, 3 * MS, 500 * MS};
    return (long) (random.nextDouble() * mostNs[random.nextInt(mostNs.length)]);
  }

  /** The check takes the figure as it is, and finds it wrong when it is that much larger. */
  private void assertHolds(String name, double figure, double tooMuch) throws Exception {
    assertThat(run.figure(name)).isEqualTo(figure);
    assertHoldsBut(name, figure + tooMuch);
  }

  /** The check takes the figure as it is, and finds another value wrong. */
  private void assertHoldsBut(String name, double wrong) throws Exception {
    var report = run.report();
    report.writeRows(folder);
    report.writeSummary(folder);
    assertThat(faults(name)).isEmpty();
    var json = new ObjectMapper();
    Path file = folder.resolve("summary.json");
    var changed = (ObjectNode) json.readTree(file.toFile());
    json.writeValue(file.toFile(), changed.put(name, wrong));
    assertThat(faults(name)).hasSize(1);
  }

  private List<String> faults(String name) throws Exception {
    return RunCheck.of(folder).faults().stream()
        .filter(fault -> fault.rule() == Rule.SUMMARY && fault.where().endsWith(" " + name))
        .map(Object::toString)
        .toList();
  }
}
