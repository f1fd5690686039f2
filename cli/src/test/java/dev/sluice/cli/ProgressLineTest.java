package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.terminal.ProgressLine;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text of the live line. */
final class ProgressLineTest {
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
    var now =
        new LiveSnapshot(
            12_000_000_000L,
            2,
            Map.of(
                "batch",
                new LiveSnapshot.OfClass(60, 3, 51, 3, 1, 2, times(51, 123_000_000)),
                "interactive",
                new LiveSnapshot.OfClass(30, 1, 29, 0, 0, 1, times(349, 123_000_000))),
            Map.of(),
            null,
            null);
    assertThat(ProgressLine.text(now, experiment))
        .isEqualTo(
            "   12 s of 40  sent 90  waiting 4  running 2  done 80  dropped 3  failed 1"
                + "  late batch 2, interactive 1  p99 123 ms");
  }

  @Test
  void saysNone_whereThereIsNoPercentile() {
    var start = new LiveSnapshot(0, 0, 0, 0, 0, 0, 0, Map.of(), null);
    assertThat(ProgressLine.text(start, experiment))
        .isEqualTo("    0 s of 40  sent 0  waiting 0  running 0  done 0  late 0  p99 none");
    var lost = new LiveSnapshot(0, 1, 0, 0, 0, 1, 0, Map.of(), Double.POSITIVE_INFINITY);
    assertThat(ProgressLine.text(lost, experiment)).endsWith("p99 none");
  }
}
