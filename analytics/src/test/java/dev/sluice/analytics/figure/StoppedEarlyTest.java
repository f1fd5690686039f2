package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.ResolvedConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that a person stops, whenever that is, leaves all files of its folder. */
final class StoppedEarlyTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 500, 999, 1000, 1001, 1002, 2999})
  void theLastJobMayComeAtAnyTime(long atMs) throws Exception {
    var run = new HandMadeRun();
    run.batch(ON_LANE_0, run.job(atMs), atMs, atMs + 1, atMs + 40);
    run.ended(1, /* interrupted= */ true);
    assertWhole(run);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void beforeAnyJobCame(boolean interrupted) throws Exception {
    var run = new HandMadeRun();
    run.ended(0, interrupted);
    assertWhole(run);
  }

  private void assertWhole(HandMadeRun run) throws Exception {
    var report = run.report();
    report.write(folder);
    Files.writeString(folder.resolve("config.yaml"), ResolvedConfig.write(run.experiment));
    report.writePage(folder);
    assertThat(folder.resolve("summary.json")).isNotEmptyFile();
    assertThat(folder.resolve("report.html")).isNotEmptyFile();
  }
}
