package dev.sluice.harness.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileRow;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Service times that were measured while others used the processors. */
final class DisturbedProfileTest {
  @TempDir private Path folder;

  private static List<ProfileRow> rows(@Nullable Double... foreign) {
    List<@Nullable Double> shares = Arrays.asList(foreign);
    return IntStream.range(0, shares.size())
        .mapToObj(
            i ->
                new ProfileRow(
                    "cpu",
                    new LatencyKey(new ModelKey("resnet18", "onnx", "fp32"), 1, 1, 1),
                    1,
                    i + 1,
                    i,
                    1_000_000,
                    shares.get(i),
                    0,
                    0))
        .toList();
  }

  @Test
  void areNamed_aboveATenth() {
    assertThat(ProfileRow.disturbance(rows(0.6, null, 0.68)))
        .isEqualTo(
            "others took 64 % of the processors while these times were measured, so that they may"
                + " be too long");
    assertThat(ProfileRow.disturbance(rows(0.1, 0.1))).isNull();
    assertThat(ProfileRow.disturbance(rows(null, null))).as("unknown").isNull();
  }

  @Test
  void areNamedByEachRunWithTheirTable() throws Exception {
    Path file = folder.resolve("table.csv");
    LatencyTable.write(
        file,
        "emulated-cpu",
        List.of("Measured by hand. Twice.", LatencyTable.WARNING + " others took 64 %."),
        rows(0.64));
    assertThat(LaneSource.describe(LatencyTable.read(file)))
        .isEqualTo("latency table table.csv: Measured by hand. Warning: others took 64 %.");
  }
}
