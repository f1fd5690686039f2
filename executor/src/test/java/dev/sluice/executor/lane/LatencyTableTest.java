package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Latency tables: the times they give, and the errors in bad ones. */
final class LatencyTableTest {
  private static final ModelKey RESNET = new ModelKey("resnet18", "onnx", "fp32");
  private static final String HEADER =
      "workload,backend,precision,samples,busy_lanes,mean_ms,spread\n";

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("table.csv");
  }

  private LatencyTable table(String text) throws IOException, UserMistakeException {
    Files.writeString(file, text);
    return LatencyTable.read(file);
  }

  private LatencyTable sample() throws IOException, UserMistakeException {
    return table(
        """
        # device_kind: emulated-thing
        # Measured nowhere.
        workload,backend,precision,samples,busy_lanes,mean_ms,spread
        resnet18,onnx,fp32,1,1,10,0.1
        resnet18,onnx,fp32,9,1,50,0.3
        resnet18,onnx,fp32,1,5,20,0.9
        resnet18,onnx,fp32,9,5,100,0.9
        """);
  }

  @Test
  void saysWhereItComesFrom() throws Exception {
    assertThat(sample().deviceKind()).isEqualTo("emulated-thing");
    assertThat(sample().source()).containsExactly("Measured nowhere.");
    assertThat(sample().file()).isEqualTo(file);
  }

  @Test
  void interpolatesInSamples_andIsProportionalBeyond() throws Exception {
    var table = sample();
    assertThat(table.meanMs(RESNET, 1, 1)).isEqualTo(10);
    assertThat(table.meanMs(RESNET, 9, 1)).isEqualTo(50);
    assertThat(table.meanMs(RESNET, 5, 1)).isCloseTo(30, within(1e-9));
    assertThat(table.meanMs(RESNET, 18, 1)).isCloseTo(100, within(1e-9));
    var from4 = table(HEADER + "resnet18,onnx,fp32,4,1,40,0\n");
    assertThat(from4.meanMs(RESNET, 1, 1)).isCloseTo(10, within(1e-9));
  }

  @Test
  void interpolatesInBusyLanes_andIsClampedBeyond() throws Exception {
    var table = sample();
    assertThat(table.hasContention()).isTrue();
    assertThat(table.meanMs(RESNET, 1, 5)).isEqualTo(20);
    assertThat(table.meanMs(RESNET, 1, 3)).isCloseTo(15, within(1e-9));
    assertThat(table.meanMs(RESNET, 1, 99)).isEqualTo(20);
    var from4 = table(HEADER + "resnet18,onnx,fp32,1,4,40,0\n");
    assertThat(from4.meanMs(RESNET, 1, 1)).isEqualTo(40);
  }

  @Test
  void takesTheSpreadOfTheLeastBusyLanes() throws Exception {
    var table = sample();
    assertThat(table.spread(RESNET, 1)).isEqualTo(0.1);
    assertThat(table.spread(RESNET, 5)).isCloseTo(0.2, within(1e-9));
    assertThat(table.spread(RESNET, 90)).isEqualTo(0.3);
  }

  @Test
  void knowsNoContention_withoutTheColumn() throws Exception {
    var table = table("workload,backend,precision,samples,mean_ms\nresnet18,onnx,fp32,1,10\n");
    assertThat(table.hasContention()).isFalse();
    assertThat(table.meanMs(RESNET, 1, 16)).isEqualTo(10);
    assertThat(table.spread(RESNET, 1)).isZero();
    assertThat(table.deviceKind()).isEqualTo("emulated");
  }

  @Test
  void knowsLoadsAndMemory_whereTheTableSaysThem() throws Exception {
    var table =
        table(
            """
            workload,backend,precision,samples,mean_ms,load_ms,memory_mb
            resnet18,onnx,fp32,1,10,0,50
            resnet18,onnx,fp32,4,20,0,80.5
            resnet18,onnx,fp32,8,30,0,70
            vit,onnx,fp32,1,10,,
            """);
    assertThat(table.loadMs(RESNET)).isZero();
    assertThat(table.memoryMb(RESNET, 1)).isEqualTo(50);
    assertThat(table.memoryMb(RESNET, 2)).as("of the next row").isEqualTo(80.5);
    assertThat(table.memoryMb(RESNET, 8)).as("the most of all rows").isEqualTo(80.5);
    assertThat(table.memoryMb(RESNET, 99)).isEqualTo(80.5);
    assertThat(table.samples(RESNET)).containsExactly(1, 4, 8);
    var vit = new ModelKey("vit", "onnx", "fp32");
    assertThat(table.loadMs(vit)).isNull();
    assertThat(table.memoryMb(vit, 1)).isNull();
    assertThat(table.models()).containsExactly(RESNET, vit);
    assertThat(sample().loadMs(RESNET)).as("without the column").isNull();
  }

  @Test
  void isPublished_onlyWithItsWholeProvenance() throws Exception {
    String provenance = "# Source: a\n# Licence: b\n# Method: c\n# Time: d\n# Date: e\n";
    String row = HEADER + "r,onnx,fp32,1,1,10,0\n";
    assertThat(table(provenance + row).isPublished()).isTrue();
    assertThat(table(provenance.replace("# Date: e\n", "") + row).isPublished()).isFalse();
    assertThat(sample().isPublished()).isFalse();
  }

  @Test
  void refusesAModelItDoesNotHold() throws Exception {
    var vit = new ModelKey("vit", "onnx", "fp32");
    var table = sample();
    assertThat(table.holds(vit)).isFalse();
    assertThat(table.holds(RESNET)).isTrue();
    assertThatThrownBy(() -> table.meanMs(vit, 1, 1))
        .hasMessageContaining("holds no row for vit on onnx in fp32");
  }

  static Stream<Arguments> badTables() {
    String row = "resnet18,onnx,fp32,1,1,10,0.1\n";
    String loads = "workload,backend,precision,samples,mean_ms,load_ms,memory_mb\nr,o,p,1,10,";
    return Stream.of(
        Arguments.of(loads + "-1,5\n", ":2", "load_ms (-1) must be a number of at least 0"),
        Arguments.of(loads + "4 ms,5\n", ":2", "load_ms (4 ms) must be a number of"),
        Arguments.of(loads + "4,0\n", ":2", "memory_mb (0) must be a number of at least 0.001"),
        Arguments.of(loads + "4,5\nr,o,p,2,20,3,5\n", ":3", "load_ms (3) of r on o in p is (4) in"),
        Arguments.of(loads + ",5\nr,o,p,2,20,3,5\n", ":3", "load_ms (3) of r on o in p is () in"),
        Arguments.of(loads + "4,\nr,o,p,2,20,4,5\n", ":3", "memory_mb (5) of r on o in p is () in"),
        Arguments.of("", "", "needs a line of column names"),
        Arguments.of("# only a comment\n", "", "needs a line of column names"),
        Arguments.of(HEADER, "", "holds no row"),
        Arguments.of("workload,backend\n", ":1", "column (precision) is missing"),
        Arguments.of("#c\nworkload,mean\n", ":2", "column (mean) is unknown"),
        Arguments.of("samples,samples\n", ":1", "a column occurs twice"),
        Arguments.of(HEADER + row + "resnet18,onnx,fp32,1,1\n", ":3", "5 fields, not 7"),
        Arguments.of(HEADER + "a,b,c,1,1,1,0,extra\n", ":2", "8 fields, not 7"),
        Arguments.of(HEADER + ",onnx,fp32,1,1,10,0\n", ":2", "workload is empty"),
        Arguments.of(HEADER + "r,onnx,fp32,0,1,10,0\n", ":2", "samples (0) must be a whole"),
        Arguments.of(HEADER + "r,onnx,fp32,1.5,1,10,0\n", ":2", "samples (1.5) must be a whole"),
        Arguments.of(HEADER + "r,onnx,fp32,1,-2,10,0\n", ":2", "busy_lanes (-2) must be a whole"),
        Arguments.of(HEADER + "r,onnx,fp32,1,1,0,0\n", ":2", "mean_ms (0) must be a number of"),
        Arguments.of(
            HEADER + "r,onnx,fp32,1,1,1e308,0\n", ":2", "mean_ms (1e308) must be a number"),
        Arguments.of(
            HEADER + "r,onnx,fp32,1,1,1e10,0\n", ":2", "at least 0.001 and at most 1000000000"),
        Arguments.of(
            HEADER + "r,onnx,fp32,1,1,0x1p3,0\n", ":2", "mean_ms (0x1p3) must be a number"),
        Arguments.of(HEADER + "r,onnx,fp32,1,1,NaN,0\n", ":2", "mean_ms (NaN) must be a number"),
        Arguments.of(HEADER + "r,onnx,fp32,1,1,ten,0\n", ":2", "mean_ms (ten) must be a number"),
        Arguments.of(
            HEADER + "r,onnx,fp32,1,1,10,-1\n", ":2", "spread (-1) must be a number of at least 0"),
        Arguments.of(
            HEADER + "r,onnx,fp32,1,1,10,8\n", ":2", "spread (8) must be a number of at least 0"),
        Arguments.of("# c\n" + HEADER + row + row, ":4", "a second row for resnet18 on onnx"));
  }

  @ParameterizedTest
  @MethodSource("badTables")
  void namesFileLineAndValue_whenBad(String text, String line, String what) {
    assertThatThrownBy(() -> table(text))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(file + line + ": error: ")
        .hasMessageContaining(what);
  }

  @Test
  void namesTheFile_whenItIsMissingAFolderOrBinary() throws IOException {
    assertThatThrownBy(() -> LatencyTable.read(folder.resolve("none.csv")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("none.csv: error: the latency table cannot be read");
    assertThatThrownBy(() -> LatencyTable.read(folder))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("this is a folder");
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, (byte) 0x80});
    assertThatThrownBy(() -> LatencyTable.read(file))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(":1: error: the file is not UTF-8 text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu-2core.csv", "accelerator-like.csv"})
  void readsTheTablesThatShip(String name) throws Exception {
    var table = LatencyTable.read(Path.of("../configs/latency", name));
    assertThat(table.hasContention()).isTrue();
    assertThat(table.source()).hasSizeGreaterThan(2);
    for (String workload : new String[] {"resnet18", "resnet50", "vit", "vit_tiny"}) {
      for (String backend : new String[] {"pytorch", "onnx"}) {
        var model = new ModelKey(workload, backend, "fp32");
        assertThat(table.meanMs(model, 1, 1)).isLessThan(table.meanMs(model, 8, 1));
        assertThat(table.meanMs(model, 1, 1)).isLessThanOrEqualTo(table.meanMs(model, 1, 2));
      }
    }
  }

  @Test
  void aProfileBecomesATable_ofMeansAndSpreads() throws Exception {
    var key = new LatencyKey(new ModelKey("resnet18", "onnx", "fp32"), 1, 4, 2);
    var rows =
        Stream.of(10.0, 12.0, 20.0)
            .map(
                ms ->
                    new ProfileRow("cpu", key, 1, ms.intValue(), 0, (long) (ms * 1e6), null, 0, 0))
            .toList();
    LatencyTable.write(file, "emulated-cpu", List.of("Made up."), rows);
    var read = LatencyTable.read(file);
    assertThat(read.deviceKind()).isEqualTo("emulated-cpu");
    assertThat(read.source()).containsExactly("Made up.");
    assertThat(read.meanMs(RESNET, 4, 2)).isEqualTo(14);
    // the logarithms' standard deviation, by hand: 0.359
    assertThat(read.spread(RESNET, 4)).isEqualTo(0.359);
    LatencyTable.write(file, "emulated-cpu", List.of(), rows.subList(0, 1));
    assertThat(LatencyTable.read(file).spread(RESNET, 4)).isZero();
  }
}
