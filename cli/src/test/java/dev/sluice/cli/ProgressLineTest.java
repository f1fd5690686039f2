package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.ProgressLine;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text of the live line. */
final class ProgressLineTest {
  private static final LiveSnapshot NOW =
      snapshot(
          12,
          Map.of(
              "batch", jobs(60, 3, 51, 3, 1, 2, times(51)),
              "interactive", jobs(30, 1, 29, 0, 0, 1, times(29))));

  @TempDir private Path folder;
  private Experiment experiment;

  @BeforeEach
  void read() throws Exception {
    Path file = new Loop(folder, null).write(Loop.EMULATED);
    experiment =
        ExperimentFile.read(file, List.of("duration_seconds=40"), Registries.vocabulary())
            .experiment();
  }

  @Test
  void showsHowTheRunGoes_byClass() {
    assertThat(ProgressLine.text(NOW, experiment, Integer.MAX_VALUE, false))
        .isEqualTo(
            "12 s of 40  sent 90  waiting 4  running 2  done 80  dropped 3  failed 1"
                + "  over SLO batch 2, interactive 1  p99 none");
  }

  @Test
  void fitsTheTerminal_andLeavesOutWhatIsLessImportant() {
    assertThat(ProgressLine.text(NOW, experiment, 140, true))
        .isEqualTo(
            "[======              ]  12 s of 40  sent 90  waiting 4  running 2  done 80  dropped 3"
                + "  failed 1  over SLO batch 2, interactive 1  p99 none");
    assertThat(ProgressLine.text(NOW, experiment, 79, true))
        .isEqualTo(
            "[====        ]  12 s of 40  waiting 4  done 80  dropped 3  failed 1  over SLO 3");
    assertThat(ProgressLine.text(NOW, experiment, 41, true))
        .isEqualTo("12 s of 40  waiting 4  done 80  dropped 3");
    for (int width = 1; width < 200; width++) {
      assertThat(ProgressLine.text(NOW, experiment, width, true)).hasSizeLessThanOrEqualTo(width);
    }
  }

  @Test
  void saysTail_afterTheLoad() {
    var now = snapshot(43, Map.of("batch", jobs(60, 0, 60, 0, 0, 0, times(60))));
    assertThat(ProgressLine.text(now, experiment, 79, true))
        .isEqualTo(
            "[============]  tail 3 s  waiting 0  done 60  dropped 0  over SLO 0  p99 123 ms");
  }

  @Test
  void saysNone_whereThereIsNoPercentile() {
    assertThat(ProgressLine.text(LiveSnapshot.NOTHING, experiment, Integer.MAX_VALUE, false))
        .isEqualTo(
            "0 s of 40  sent 0  waiting 0  running 0  done 0  dropped 0  over SLO 0  p99 none");
  }

  private static LiveSnapshot snapshot(long seconds, Map<String, JobSum> classes) {
    return new LiveSnapshot(seconds * 1_000_000_000L, 2, classes, Map.of(), null, null);
  }

  private static JobSum jobs(
      long requested,
      long waiting,
      long done,
      long dropped,
      long failed,
      long violations,
      LatencyHistogram endToEnd) {
    return new JobSum(requested, waiting, done, dropped, failed, violations, endToEnd, true);
  }

  private static LatencyHistogram times(int count) {
    long[] timesNs = new long[count];
    Arrays.fill(timesNs, 123_000_000);
    return LatencyHistogram.of(timesNs);
  }
}
