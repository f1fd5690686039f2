package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Latency tables of published measurements: all can be read, and hold what their sources say. */
final class PublishedTablesTest {
  private static final Path FOLDER = Path.of("../configs/latency/published");

  /** 99th percentile of the standard normal distribution. */
  private static final double P99 = 2.3263;

  static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(FOLDER)) {
      return all.filter(file -> file.toString().endsWith(".csv")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void saysWhereItComesFrom_andNothingOfLanesThatShareADevice(Path file) throws Exception {
    var table = LatencyTable.read(file);
    assertThat(table.isPublished()).isTrue();
    assertThat(table.hasContention()).isFalse();
    assertThat(table.deviceKind())
        .isEqualTo("emulated-" + file.getFileName().toString().replace(".csv", ""));
    assertThat(table.source()).anyMatch(line -> line.startsWith(LatencyTable.ASSUMED));
    for (ModelKey model : table.models()) {
      assertThat(table.samples(model)).startsWith(1);
      assertThat(table.memoryMb(model, 1)).isPositive();
    }
  }

  @Test
  void holdEachPublishedRow() throws Exception {
    int rows = 0;
    for (Path file : files()) {
      var table = LatencyTable.read(file);
      rows += table.models().stream().mapToInt(model -> table.samples(model).size()).sum();
    }
    assertThat(rows).isEqualTo(165);
  }

  @ParameterizedTest
  @CsvSource({
    "triton-a100-80gb, resnet50, tensorrt, fp16, 8, 3.895",
    "triton-a100-80gb, bert_large, tensorrt, fp16, 16, 29.1",
    "triton-v100-32gb, resnet50, tensorrt, fp16, 128, 82.159",
    "triton-t4, bert_large, tensorrt, fp16, 8, 113.8",
    "tensorflow-a100-40gb, resnet50, tensorflow, fp32, 256, 133.9",
    "tensorflow-a100-40gb, bert_base, tensorflow, fp16, 4, 4.74868",
    "tensorflow-v100-16gb, resnet50, tensorflow, fp32, 1, 5.79",
    "tensorflow-t4, bert_base, tensorflow, fp16, 8, 27.6319",
    "clockwork-v100, resnet50_v2, tvm, fp32, 16, 21.729",
    "nexus-titanx, vgg16, caffe, fp32, 5, 20.4613",
    "nexus-titanx, yolo9000, darknet, fp32, 24, 467.635",
  })
  void haveTheTimesOfTheirSources(
      String file, String workload, String backend, String precision, int samples, double ms)
      throws Exception {
    var model = new ModelKey(workload, backend, precision);
    assertThat(read(file).meanMs(model, samples, 7)).isEqualTo(ms);
  }

  @ParameterizedTest
  @CsvSource({
    "triton-a100-80gb, resnet50, tensorrt, fp16, 4, 2.759, 3.354",
    "triton-t4, bert_large, tensorrt, fp16, 1, 14.4, 14.8",
    "tensorflow-v100-16gb, resnet50, tensorflow, fp32, 64, 51.12, 53.45",
  })
  void haveSpreadsByWhichTheP99IsThePublishedOne(
      String file,
      String workload,
      String backend,
      String precision,
      int samples,
      double averageMs,
      double p99Ms)
      throws Exception {
    double spread = read(file).spread(new ModelKey(workload, backend, precision), samples);
    assertThat(averageMs * Math.exp(P99 * spread - spread * spread / 2))
        .isCloseTo(p99Ms, within(2e-4 * p99Ms));
  }

  @Test
  void haveNoSpread_whereTheSourceHasNone_orContradictsItself() throws Exception {
    assertThat(read("clockwork-v100").spread(new ModelKey("resnet50_v2", "tvm", "fp32"), 4))
        .isZero();
    assertThat(read("tensorflow-t4").spread(new ModelKey("bert_base", "tensorflow", "fp16"), 4))
        .isZero();
  }

  @Test
  void haveLoadsAndMemory_published_orByTheRateOfThePublishedLoad() throws Exception {
    var clockwork = new ModelKey("resnet50_v2", "tvm", "fp32");
    assertThat(read("clockwork-v100").loadMs(clockwork)).isEqualTo(8.372);
    assertThat(read("clockwork-v100").memoryMb(clockwork, 16)).isEqualTo(102.3);
    assertThat(102.3 / 8.372).as("the rate").isCloseTo(12.2, within(0.05));

    var bert = new ModelKey("bert_large", "tensorrt", "fp16");
    assertThat(read("triton-t4").memoryMb(bert, 16)).isEqualTo(670.3);
    assertThat(read("triton-t4").loadMs(bert))
        .isEqualTo(54.94)
        .isCloseTo(670.3 / 12.2, within(0.01));

    var vgg = new ModelKey("vgg16", "caffe", "fp32");
    assertThat(read("nexus-titanx").memoryMb(vgg, 4)).isEqualTo(1134.49);
    assertThat(read("nexus-titanx").loadMs(vgg)).isCloseTo(138.4 * 4 / 12.2, within(0.05));
    assertThat(read("nexus-titanx").loadMs(new ModelKey("yolo9000", "darknet", "fp32"))).isNull();
  }

  private static LatencyTable read(String name) throws Exception {
    return LatencyTable.read(FOLDER.resolve(name + ".csv"));
  }
}
