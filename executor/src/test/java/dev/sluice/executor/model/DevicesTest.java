package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import dev.sluice.contract.file.UserMistakeException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice of devices, with made-up answers of the engines: the tests' machines have no GPU. */
final class DevicesTest {
  private static final List<String> BOTH = List.of("pytorch", "onnx");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cpu    | 2 | 2 | 4 | cpu      | cpu",
        "auto   | 0 | 0 | 4 | cpu      | cpu",
        "auto   | 1 | 0 | 4 | cpu+cuda | pytorch on cuda:0, onnx on cpu",
        "auto   | 2 | 2 | 4 | cuda     | pytorch on cuda:0 and cuda:1, onnx on cuda:0 and cuda:1",
        "auto   | 8 | 8 | 2 | cuda     | pytorch on cuda:0 and cuda:1, onnx on cuda:0 and cuda:1",
        "cuda   | 1 | 1 | 4 | cuda     | pytorch on cuda:0, onnx on cuda:0",
        "cuda:1 | 2 | 2 | 4 | cuda     | pytorch on cuda:1, onnx on cuda:1"
      })
  void eachBackendGetsWhatIsWantedAndThere(
      String wanted, int pytorchFinds, int onnxFinds, int lanes, String kind, String text)
      throws Exception {
    Devices chosen = choose(wanted, lanes, pytorchFinds, onnxFinds);

    assertThat(chosen.kind()).isEqualTo(kind);
    assertThat(chosen).hasToString(text);
  }

  @Test
  void lanesAreDealtTheDevicesInTurn() throws Exception {
    List<Device> devices = choose("cuda", 5, 2, 2).of("pytorch");

    assertThat(devices).containsExactly(Device.gpu(0), Device.gpu(1));
    assertThat(choose("auto", 5, 0, 2).of("pytorch")).containsExactly(Device.cpu());
  }

  @Test
  void theEnginesAreNotAsked_whenTheProcessorIsWanted() throws Exception {
    Devices chosen =
        Devices.choose(
            "x",
            "cpu",
            BOTH,
            1,
            backend -> {
              throw new AssertionError(backend + " was asked");
            });
    assertThat(chosen.of("onnx")).containsExactly(Device.cpu());
  }

  @Test
  void cudaIsRefused_whereABackendDoesNotFindIt() {
    assertThatThrownBy(() -> choose("cuda", 2, 1, 0))
        .isInstanceOf(UserMistakeException.class)
        .hasMessage(
            "a.yaml:7: error: lanes.device (cuda) is not there: onnx finds no CUDA device.\n"
                + "  Maybe its CUDA library or the GPU's driver is missing (see"
                + " docs/devices.md); lanes.device: auto takes the cpu then.");
    assertThatThrownBy(() -> choose("cuda:2", 2, 1, 2))
        .isInstanceOf(UserMistakeException.class)
        .hasMessage(
            "a.yaml:7: error: lanes.device (cuda:2) is not there: pytorch finds one CUDA device,"
                + " cuda:0.\n"
                + "  Maybe you meant cuda:0.\n"
                + "a.yaml:7: error: lanes.device (cuda:2) is not there: onnx finds 2 CUDA devices,"
                + " from cuda:0.\n"
                + "  Maybe you meant cuda:1.");
  }

  @Test
  void fp16IsRefusedOnAProcessor_unlessItMayBeSlow() throws Exception {
    Devices mixed = choose("auto", 1, 1, 0);

    assertThatThrownBy(() -> mixed.checkPrecisions("a.yaml:3", List.of("fp32", "fp16"), false))
        .isInstanceOf(UserMistakeException.class)
        .hasMessage(
            "a.yaml:3: error: precision_modes (fp16) is slower than fp32 on a cpu, where onnx runs"
                + " here.\n"
                + "  Maybe allow_slow_precision: true runs it all the same.");
    assertThatThrownBy(
            () ->
                Devices.processor(List.of("pytorch"))
                    .checkPrecisions("a.yaml:3", List.of("fp16"), false))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("where pytorch runs here.\n")
        .hasMessageEndingWith("; bf16 is the fast one there.");
    mixed.checkPrecisions("a.yaml:3", List.of("fp32", "fp16"), true);
    choose("cuda", 1, 1, 1).checkPrecisions("a.yaml:3", List.of("fp16"), false);
  }

  @Test
  void bf16IsRefusedOnOnnx_whateverTheDevice() throws Exception {
    for (String device : List.of("cpu", "cuda")) {
      Devices chosen = choose(device, 1, 1, 1);
      assertThatThrownBy(() -> chosen.checkPrecisions("a.yaml:3", List.of("bf16"), true))
          .isInstanceOf(UserMistakeException.class)
          .hasMessage(
              "a.yaml:3: error: precision_modes (bf16) cannot run on onnx: it has no convolution"
                  + " in bf16.\n"
                  + "  Maybe backends_enabled should be [pytorch].");
    }
    Devices.processor(List.of("pytorch")).checkPrecisions("a.yaml:3", List.of("bf16"), false);
  }

  /** Asks the real engines; how many CUDA devices they find depends on the machine. */
  @Tag("slow") // starts both engines
  @Test
  void theRealEnginesAnswer() throws Exception {
    Engines engines = TestModels.engines();
    for (String backend : BOTH) {
      assertThat(engines.cudaDevices(backend)).isNotNegative();
    }
    Devices chosen = Devices.choose("x", "auto", BOTH, 1, engines::cudaDevices);
    for (String backend : BOTH) {
      assertThat(chosen.of(backend).get(0).isGpu()).isEqualTo(engines.cudaDevices(backend) > 0);
    }
  }

  private static Devices choose(String wanted, int lanes, int pytorchFinds, int onnxFinds)
      throws UserMistakeException {
    var found = Map.of("pytorch", pytorchFinds, "onnx", onnxFinds);
    return Devices.choose("a.yaml:7", wanted, BOTH, lanes, found::get);
  }
}
