package dev.sluice.harness.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens from measured memory. */
final class MemoryTableTest {
  private static final ModelKey SMALL = new ModelKey("small", "onnx", "fp32");
  private static final ModelKey LARGE = new ModelKey("large", "onnx", "fp32");
  private static final MemoryMeasurement.Table TABLE =
      new MemoryMeasurement.Table(
          List.of(
              new MemoryMeasurement.Row(SMALL, 1, 100, 40),
              new MemoryMeasurement.Row(SMALL, 8, 151, 68),
              new MemoryMeasurement.Row(LARGE, 1, 300, 160),
              new MemoryMeasurement.Row(LARGE, 8, 500, 188)));

  @Test
  void aTokenIsSoMuchMemoryThatTheSmallestBatchesCostTheSameInAll() {
    assertThat(TABLE.mibPerToken()).isEqualTo(400.0 / 200);
    assertThat(TABLE.measuredTokens(new MemoryMeasurement.Row(SMALL, 8, 151, 68))).isEqualTo(76);
    assertThat(TABLE.measuredTokens(new MemoryMeasurement.Row(SMALL, 1, 100, 40))).isEqualTo(50);
  }

  @Test
  void theFileHoldsBothCosts(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("memory.csv");
    TABLE.write(file);
    assertThat(Files.readAllLines(file))
        .hasSize(7)
        .contains("large,onnx,fp32,8,500.0,250,188")
        .anyMatch(line -> line.startsWith("# One token is 2.000 MiB"));
    assertThat(MemoryMeasurement.Table.holds(file, List.of(LARGE, SMALL))).isTrue();
    var other = new ModelKey("small", "onnx", "fp16");
    assertThat(MemoryMeasurement.Table.holds(file, List.of(LARGE, other))).isFalse();
    assertThat(TABLE.lines())
        .first()
        .asString()
        .isEqualTo(
            "small on onnx in fp32            100 MiB at 1,   151 MiB at 8; tokens 50 to 76, by"
                + " the formula 40 to 68");
  }
}
