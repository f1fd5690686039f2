package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A user's own model file, good and bad; a copy of a built-in workload's file serves as one. */
@Tag("slow")
final class UserFileTest {
  private static final List<Integer> SHAPE = List.of(3, 224, 224);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"pytorch, mine.pt", "onnx, mine.onnx"})
  void runsLikeABuiltInModel(String backend, String name) throws Exception {
    Path file = Files.copy(TestModels.file("vit_tiny", backend), folder.resolve(name));
    List<JobInput> jobs = TestModels.jobs(1, 2);
    try (LoadedModels own = load(file, backend, SHAPE);
        LoadedModels builtIn = TestModels.load("vit_tiny", backend);
        InferenceSession ownSession = TestModels.session(own, "mine", backend);
        InferenceSession session = TestModels.session(builtIn, "vit_tiny", backend)) {
      assertThat(ownSession.infer(jobs)).isDeepEqualTo(session.infer(jobs));
      assertThat(own.info(new ModelKey("mine", backend, "fp32")))
          .isEqualTo(new WorkloadInfo("mine", 70, 0, 0, List.of(ModelInput.of(SHAPE))));
    }
  }

  @Test
  void isRefused_whenItIsMissing() {
    Path file = folder.resolve("mine.pt");

    assertRefused(file, "pytorch", SHAPE)
        .hasMessageStartingWith(
            "mine.yaml:4: error: the model file (" + file + ") does not exist.\n  Maybe the path");
  }

  @Test
  void isRefused_whenItIsAFolder() throws Exception {
    Path file = Files.createDirectory(folder.resolve("mine.pt"));

    assertRefused(file, "pytorch", SHAPE)
        .hasMessageStartingWith("mine.yaml:4: error: the model file (" + file + ") is no file.");
  }

  @Test
  void isRefused_whenItIsOfTheOtherBackend() throws Exception {
    Path file = Files.copy(TestModels.file("vit_tiny", "pytorch"), folder.resolve("mine.pt"));

    assertRefused(file, "onnx", SHAPE).hasMessageContaining("does not end in (.onnx)");
  }

  @ParameterizedTest
  @CsvSource({"pytorch, mine.pt", "onnx, mine.onnx"})
  void isRefused_whenItIsTruncated(String backend, String name) throws Exception {
    byte[] whole = Files.readAllBytes(TestModels.file("vit_tiny", backend));
    Path file = Files.write(folder.resolve(name), Arrays.copyOf(whole, whole.length / 2));

    assertRefused(file, backend, SHAPE)
        .hasMessageStartingWith(
            "mine.yaml:4: error: the model file (" + file + ") cannot be loaded (")
        .hasMessageContaining("\n  Maybe it is incomplete");
  }

  @ParameterizedTest
  @CsvSource({"pytorch, mine.pt", "onnx, mine.onnx"})
  void isRefused_whenItIsNoModel(String backend, String name) throws Exception {
    Path file = Files.writeString(folder.resolve(name), "no model at all");

    assertRefused(file, backend, SHAPE)
        .hasMessageStartingWith(
            "mine.yaml:4: error: the model file (" + file + ") cannot be loaded (");
  }

  @ParameterizedTest
  @CsvSource({
    "pytorch, mine.pt, 'RuntimeError: The size of tensor'",
    "onnx, mine.onnx, Got invalid dimensions for input"
  })
  void isRefused_whenItsInputShapeIsAnother(String backend, String name, String why)
      throws Exception {
    Path file = Files.copy(TestModels.file("vit_tiny", backend), folder.resolve(name));

    assertRefused(file, backend, List.of(3, 64, 64))
        .hasMessageStartingWith(
            "mine.yaml:4: error: the model ("
                + file
                + ") does not take 1 sample of input_shape ([3, 64, 64])")
        .hasMessageContaining(why)
        .hasMessageContaining("\n  Maybe its input_shape is another");
  }

  @Test
  void isRefused_whenItDiffersFromTheHashBesideIt() throws Exception {
    Path built = TestModels.file("vit_tiny", "onnx");
    byte[] bytes = Files.readAllBytes(built);
    bytes[bytes.length / 2] ^= 1;
    Path file = Files.write(folder.resolve("mine.onnx"), bytes);
    Files.copy(ModelHash.file(built), ModelHash.file(file));

    assertRefused(file, "onnx", SHAPE)
        .hasMessageContaining("the model file (" + file + ") is damaged");
  }

  private LoadedModels load(Path file, String backend, List<Integer> shape)
      throws UserMistakeException {
    var userFile =
        new ModelRequest.UserFile("mine.yaml:4", file, List.of(ModelInput.of(shape)), 70);
    return LoadedModels.load(
        List.of(new ModelRequest(new ModelKey("mine", backend, "fp32"), userFile)),
        TestModels.engines(),
        Devices.processor(TestModels.BACKENDS),
        TestModels.CACHE,
        ModelProgress.none());
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      Path file, String backend, List<Integer> shape) {
    return assertThatThrownBy(() -> load(file, backend, shape))
        .isInstanceOf(UserMistakeException.class)
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(2));
  }
}
