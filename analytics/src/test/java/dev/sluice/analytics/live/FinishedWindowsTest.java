package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Blocked.Cause;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Seconds of made-up runs, from memory and from their folders. */
final class FinishedWindowsTest {
  @Property(tries = 3)
  void areEqual_fromMemoryAndFromTheFolder_andAddUpToTheSummary(
      @ForAll @IntRange(min = 5, max = 120) int rate, @ForAll long seed) throws Exception {
    // no warm-up and all arrivals measured: then the summary counts every job of the run
    var experiment = SyntheticRun.experiment(rate, 0, 60, 2, Map.of());
    RunFold fold = SyntheticRun.fold(SyntheticRun.of(experiment, seed).entries());
    fold.onOutcome(new Blocked(1_250_000_000L, 3_500_000_000L, Cause.WINDOW), 0, 0);
    fold.onOutcome(new Blocked(2_000_000_000L, 2_900_000_000L, Cause.WINDOW), 1, 0);
    var context = SyntheticRun.context(experiment);
    RunRows rows = fold.rows(context);
    List<MetricsWindow> windows = FinishedWindows.of(RunSource.of(rows));
    Path folder = Files.createTempDirectory("windows");
    RunReport report = RunReport.of(fold, context);
    report.write(folder);
    Files.writeString(folder.resolve("config.yaml"), ResolvedConfig.write(experiment));

    assertThat(FinishedWindows.of(FinishedRun.read(folder))).isEqualTo(windows);
    assertThat(windows.get(2).blockedNs()).containsEntry("window", 1_900_000_000L);

    JsonNode summary = FinishedRun.read(folder).summary();
    long jobs = rows.jobs().all().size();
    assertThat(windows.stream().mapToLong(w -> w.total().requested()).sum()).isEqualTo(jobs);
    assertThat(windows.stream().mapToLong(w -> w.total().ended()).sum()).isEqualTo(jobs);
    for (String name : List.of("interactive", "batch")) {
      long measured =
          rows.jobs().all().stream()
              .filter(job -> job.isMeasured() && job.kind().classType().equals(name))
              .count();
      assertThat(measured).isEqualTo(summary.path(name + "_count").asLong());
    }
    MetricsWindow last = windows.get(windows.size() - 1);
    assertThat(last.waiting()).isZero();
    assertThat(last.running()).isZero();
    assertThat(last.tokensInUse()).isZero();
    assertThat(windows).allMatch(w -> w.laneUse() != null && w.laneUse() <= 1);
    double busyNs = windows.stream().mapToDouble(w -> w.laneUse() * w.lanes() * 1e9).sum();
    assertThat(busyNs)
        .isCloseTo(
            rows.batches().all().stream()
                .mapToDouble(batch -> batch.finishedAtNs() - batch.startedAtNs())
                .sum(),
            org.assertj.core.data.Percentage.withPercentage(0.01));
    long[] fromNs = {0};
    windows.forEach(w -> assertThat(w.fromNs()).isEqualTo(fromNs[0]++ * 1_000_000_000L));
    deleteTree(folder);
  }

  @Property(tries = 20)
  void endJobsInTheSecondsOfTheTopic_howeverLateOutcomesAreAppended(@ForAll long seed)
      throws Exception {
    var experiment = SyntheticRun.experiment(60, 0, 8, 2, Map.of());
    var random = new Random(seed);
    var live = new LiveFold();
    var fold = new RunFold();
    for (SyntheticRun.Entry entry : SyntheticRun.of(experiment, seed).entries()) {
      boolean isDrop = entry.event() instanceof JobEnded end && end.dispatchId() == null;
      long lateMs = isDrop ? random.nextInt(3000) : 0;
      var late =
          new SyntheticRun.Entry(entry.event(), entry.topic(), entry.appendedAtEpochMs() + lateMs);
      SyntheticRun.apply(live, late, 0);
      SyntheticRun.apply(fold, late, 0);
    }

    assertThat(ended(FinishedWindows.of(RunSource.of(fold.rows(SyntheticRun.context(experiment))))))
        .isEqualTo(ended(live.closeWindows(Long.MAX_VALUE)))
        .anyMatch(second -> !second.contains("dropped 0"));
  }

  private static List<String> ended(List<MetricsWindow> windows) {
    return windows.stream()
        .map(MetricsWindow::total)
        .map(
            all -> "done " + all.done() + ", dropped " + all.dropped() + ", failed " + all.failed())
        .toList();
  }

  private static void deleteTree(Path root) throws java.io.IOException {
    try (var tree = Files.walk(root)) {
      for (Path path : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
