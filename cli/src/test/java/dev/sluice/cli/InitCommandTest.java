package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice init}, and what the experiments that it writes are. */
final class InitCommandTest {
  private static final String HOME = "sluice.home";

  @TempDir private Path folder;
  private @Nullable String home;

  /** As the launcher says it. */
  @BeforeEach
  void sayHome() {
    home = System.getProperty(HOME);
    System.setProperty(HOME, Path.of("..").toAbsolutePath().normalize().toString());
  }

  @AfterEach
  void sayHomeAsBefore() {
    if (home == null) {
      System.clearProperty(HOME);
    } else {
      System.setProperty(HOME, home);
    }
  }

  private static Experiment read(Path file) throws Exception {
    return ExperimentFile.read(file, List.of(), Registries.vocabulary()).experiment();
  }

  private static BadInputCommand init(Object... words) {
    return BadInputCommand.sluice(
        Stream.concat(Stream.of("init"), Stream.of(words).map(Object::toString))
            .toArray(String[]::new));
  }

  @Test
  void theExperimentIsTheQuickstart_explained() throws Exception {
    Path file = folder.resolve("deep/mine.yaml");
    BadInputCommand init = init(file);
    assertThat(init.status()).isZero();
    assertThat(init.out())
        .startsWith("Written   " + file + "\nNext      ./sluice run " + file + "\n");
    Experiment shipped = read(Path.of("../configs/quickstart.yaml"));
    Experiment mine = read(file);
    assertThat(mine.load()).isEqualTo(shipped.load());
    assertThat(mine.jobs()).isEqualTo(shipped.jobs());
    assertThat(mine.scheduling()).isEqualTo(shipped.scheduling());
    assertThat(mine.runName()).isEqualTo("mine");
    for (String command : List.of("run", "simulate")) {
      assertThat(init.out()).contains("./sluice " + command + " " + file);
    }
    assertThat(
            BadInputCommand.sluice(
                    "simulate",
                    file.toString(),
                    "--no-trace",
                    "-q",
                    "--results",
                    folder.resolve("results").toString())
                .status())
        .isZero();
  }

  @Test
  void aModelOfOnesOwnBecomesTheOnlyWorkload() throws Exception {
    Path model = Files.createFile(folder.resolve("it's mine.onnx"));
    Path file = folder.resolve("mine.yaml");
    assertThat(init(file, "--model", model, "--input-shape", "8,3").status()).isZero();
    WorkloadChoice choice = read(file).jobs().workloads().get(0);
    assertThat(choice.name()).isEqualTo("it-s-mine");
    assertThat(choice.model()).isNotNull();
    assertThat(choice.model().path()).isEqualTo("it's mine.onnx");
    assertThat(choice.model().backend()).isEqualTo("onnx");
    assertThat(choice.model().inputShape()).containsExactly(8, 3);
  }

  @Test
  void whatExists_orIsNoModel_isRefused() throws Exception {
    Path taken = Files.writeString(folder.resolve("taken.yaml"), "seed: 1\n");
    assertThat(init(taken).status()).isEqualTo(2);
    assertThat(taken).hasContent("seed: 1\n");
    assertThat(init(taken).err())
        .isEqualTo(taken + ": error: the file exists already.\n  Maybe you want another name.\n");
    Path file = folder.resolve("mine.yaml");
    assertThat(init(file, "--model", folder.resolve("none.onnx")).err())
        .contains("--model: error: the file does not exist");
    assertThat(init(file, "--model", taken).err()).contains("neither .onnx nor .pt");
    assertThat(init(file, "--input-shape", "3").err()).contains("Maybe you want --model too.");
    Path model = Files.createFile(folder.resolve("m.pt"));
    assertThat(init(file, "--model", model, "--input-shape", "3x4").err())
        .contains("--input-shape: error: the value (3x4) must be whole numbers with commas");
    assertThat(file).doesNotExist();
  }
}
