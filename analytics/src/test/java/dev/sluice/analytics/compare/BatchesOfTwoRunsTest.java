package dev.sluice.analytics.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.analytics.compare.Comparison.Sample;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One pair of runs, whose rows are made by hand: 2,000 jobs in 20 s. */
final class BatchesOfTwoRunsTest {
  private static final int JOBS = 2_000;

  @TempDir private Path folder;

  /** A run whose jobs take 10 ms on average, with a memory of some jobs, times a factor. */
  private FinishedRun run(String name, double factor, double memory, long seed) throws IOException {
    var random = new Random(seed);
    double keep = Math.exp(-1 / memory);
    double slow = 0;
    double sum = 0;
    int violations = 0;
    var rows = new StringBuilder("job_id,class_type,workload_name,phase,status,end_time,");
    rows.append("wait_ms,e2e_ms,slo_violation\n");
    for (int i = 0; i < JOBS; i++) {
      slow = keep * slow + Math.sqrt(1 - keep * keep) * random.nextGaussian();
      double ms = Math.round(factor * (10 + slow) * 1e6) / 1e6; // as trace.csv has it
      sum += ms;
      int violation = ms > 12 ? 1 : 0;
      violations += violation;
      rows.append(
          "job-%d,interactive,vit,measured,done,%s,1,%s,%d\n"
              .formatted(i, 0.01 * i + ms / 1e3, ms, violation));
    }
    Path run = Files.createDirectories(folder.resolve(name));
    Files.writeString(run.resolve("trace.csv"), rows);
    Files.writeString(
        run.resolve("summary.json"),
        """
        {"warmup_seconds": 0, "window_seconds": 20, "all_count": 2000, "all_done": 2000,
         "by_class_workload": {"interactive": {"vit": {}}},
         "all_goodput_jobs_sec": %s, "all_throughput_jobs_sec": 100.0, "all_p99_e2e_ms": 13,
         "all_avg_e2e_ms": %s, "all_slo_violation_rate": %s}
        """
            .formatted((JOBS - violations) / 20.0, sum / JOBS, (double) violations / JOBS));
    return FinishedRun.of(run);
  }

  private static Sample sample(FinishedRun a, FinishedRun b, String figure)
      throws UserMistakeException {
    return new BatchesOfTwoRuns(a, b, null, null)
        .of(HeadlineFigure.named(figure, List.of("interactive"), List.of("vit")));
  }

  @Test
  void findsALatencyThatIsFivePerCentLonger() throws Exception {
    Sample sample = sample(run("a", 1, 1, 1), run("b", 1.05, 1, 3), "all_avg_e2e_ms");
    assertThat(sample.why()).isNull();
    assertThat(sample.difference()).isNotNull();
    assertThat(sample.difference().interval().mean())
        .isCloseTo(Math.log(sample.b() / sample.a()), within(1e-9));
    assertThat(sample.difference().interval().low()).isLessThan(Math.log(1.05));
    assertThat(sample.difference().interval().high()).isGreaterThan(Math.log(1.05));
    assertThat(sample.difference().p()).isLessThan(1e-6);
  }

  @Test
  void shareAndRateAreThoseOfTheSummary() throws Exception {
    FinishedRun a = run("a", 1, 1, 1);
    FinishedRun b = run("b", 1.05, 1, 2);
    Sample share = sample(a, b, "all_slo_violation_rate");
    assertThat(share.difference()).isNotNull();
    assertThat(share.difference().interval().mean())
        .isCloseTo(share.b() - share.a(), within(1e-12));
    Sample rate = sample(a, b, "all_goodput_jobs_sec");
    assertThat(rate.difference()).isNotNull();
    assertThat(rate.difference().interval().mean())
        .isCloseTo(rate.b() - rate.a(), within(0.06)); // the last job ends after the window
  }

  @Test
  void cannotTell_whereNeighbouringBatchesCorrelate() throws Exception {
    Sample sample = sample(run("a", 1, 400, 1), run("b", 1.05, 400, 2), "all_avg_e2e_ms");
    assertThat(sample.difference()).isNull();
    assertThat(sample.why()).isEqualTo("neighbouring batches correlate: the runs are too short");
  }

  @Test
  void cannotTellOfAPercentile() throws Exception {
    Sample sample = sample(run("a", 1, 1, 1), run("b", 1, 1, 2), "all_p99_e2e_ms");
    assertThat(sample.why()).isEqualTo("of one pair, means and rates alone have an interval");
  }

  @Test
  void differencesWithoutACause_areFoundOneTimeInTwenty() throws Exception {
    int found = 0;
    int judged = 0;
    for (int i = 0; i < 200; i++) {
      FinishedRun a = run("a", 1, 3, 2 * i);
      Sample sample = sample(a, run("b", 1, 3, 2 * i + 1), "all_avg_e2e_ms");
      if (sample.difference() != null) {
        judged++;
        found += sample.difference().p() <= 0.05 ? 1 : 0;
      }
    }
    assertThat(judged).isGreaterThan(160);
    assertThat(found).isBetween(2, 20); // 200 trials of 0.05: 10 ± 9 with probability 0.996
  }

  @Test
  void namesTheFileThatIsGone() throws Exception {
    FinishedRun a = run("a", 1, 1, 1);
    FinishedRun b = run("b", 1, 1, 2);
    Files.delete(b.folder().resolve("trace.csv"));
    assertThatThrownBy(() -> new BatchesOfTwoRuns(a, b, null, null))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("error: the folder has no (trace.csv)");
  }

  @Test
  void namesTheRowThatCannotBeRead() throws Exception {
    FinishedRun a = run("a", 1, 1, 1);
    Path trace = a.folder().resolve("trace.csv");
    Files.writeString(trace, Files.readString(trace).replace("\njob-2,", "\njob-2\njob-x,"));
    assertThatThrownBy(() -> new BatchesOfTwoRuns(a, a, null, null))
        .hasMessageContaining("trace.csv:4: error");
  }
}
