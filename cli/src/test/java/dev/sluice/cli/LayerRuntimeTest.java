package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.FolderHold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code layers run}, {@code train}, {@code plan} and {@code check} as a user gives them. */
final class LayerRuntimeTest {
  @TempDir private Path folder;

  private static BadInputCommand layers(String command, String... more) {
    List<String> arguments = new ArrayList<>(List.of("layers", command));
    arguments.addAll(List.of(more));
    return sluice(arguments.toArray(new String[0]));
  }

  private static void assertMistake(BadInputCommand command, String... words) {
    assertThat(command.err()).contains(words).contains("\n  Maybe ");
    assertThat(command.status()).isEqualTo(2);
  }

  @Test
  void mistakesAreNamed_beforeAnythingRuns() {
    assertMistake(layers("run", "vit_tyni"), "model (vit_tyni) is unknown", "you meant vit_tiny");
    assertMistake(
        layers("run", "vit_tiny", "--budget", "1MB"),
        "the largest layer (block_0) needs 1.8 MB (1,779,456 bytes), and the budget is 1.0 MB",
        "--budget 1779456 at least");
    assertMistake(layers("run", "vit_tiny", "--budget", "much"), "--budget: error: (much)");
    assertMistake(layers("run", "vit_tiny", "--bandwidth", "0"), "(0) is no bandwidth");
    assertMistake(layers("run", "vit_tiny", "--steps", "0"), "must be between 1 and");
    assertMistake(layers("run", "vit_tiny", "--schedule", "eger"), "you meant eager");
    assertMistake(
        layers("run", "vit_tiny", "--schedule", "eager", "--budget", "6MB"), "over the budget");
    assertMistake(layers("run", "vit_tiny", "--schedule", "prefetch", "0"), "reads no layer ahead");
    assertMistake(
        layers("train", "vit", "--out", folder.toString()), "model (vit) is unknown", "vit_micro");
    assertMistake(
        layers("train", "vit_micro", "--optimizer", "sdg", "--out", folder.toString()),
        "the optimizer (sdg) is unknown",
        "you meant sgd");
  }

  @Test
  void aMadeScheduleIsAFile_thatIsLegalWithinItsBudgetAlone() throws IOException {
    BadInputCommand planned =
        layers("plan", "vit_tiny", "--budget", "6MB", "--schedule", "prefetch", "1");
    assertThat(planned.status()).as(planned.err()).isZero();
    Path file = Files.writeString(folder.resolve("schedule.yaml"), planned.out());

    BadInputCommand legal = layers("check", file.toString(), "--budget", "6MB");
    assertThat(legal.out()).contains("is a legal schedule of vit_tiny (inference) within 6.0 MB");
    assertThat(legal.status()).isZero();
    assertMistake(
        layers("check", file.toString(), "--budget", "3MB"), file + ":", "over the budget");
    assertMistake(
        layers("run", "resnet18", "--schedule", file.toString()),
        "the schedule is one of (vit_tiny), and the run is one of (resnet18)");
  }

  @Test
  void theShippedScheduleIsLegal() {
    assertThat(layers("check", "../configs/layers/vit_tiny.yaml", "--budget", "6MB").status())
        .isZero();
  }

  @Test
  void aSecondRunOnAFolderIsToldWhoRuns() throws Exception {
    try (FolderHold held = FolderHold.take(folder, "--out")) {
      assertThat(held).isNotNull();
      assertMistake(
          layers("train", "vit_micro", "--out", folder.toString()),
          "another process (pid " + ProcessHandle.current().pid() + ") works in the folder");
    }
  }

  private static String line(BadInputCommand run, String label) {
    assertThat(run.status()).as(run.out() + run.err()).isZero();
    return run.out()
        .lines()
        .filter(line -> line.startsWith("  " + label))
        .findFirst()
        .orElseThrow();
  }

  @Tag("loop")
  @Test
  void everyScheduleGivesEqualLogits_andATrace() throws IOException {
    Path trace = folder.resolve("trace");
    String[] common = {"vit_tiny", "--budget", "6MB", "--steps", "2", "--bandwidth", "1GB/s"};
    BadInputCommand auto = layers("run", with(common, "--trace", trace.toString()));
    BadInputCommand onDemand = layers("run", with(common, "--schedule", "on_demand"));

    assertThat(line(auto, "logits")).isEqualTo(line(onDemand, "logits"));
    assertThat(auto.out().lines().findFirst().orElseThrow()).contains("EMULATED", "1,000 MB/s");
    assertThat(line(auto, "parameters")).endsWith("of a budget of 6.0 MB");
    assertThat(line(auto, "wall / ideal")).contains("max(Σ fetch, Σ compute)");
    try (Stream<Path> files = Files.list(trace)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("layers.csv", "trace.json", "timeline.png");
    }
    assertMistake(layers("run", with(common, "--trace", trace.toString())), "is there already");
  }

  @Tag("loop")
  @Test
  void aTrainingGoesOn_andEndsWithTheBytesOfOneThatWasNeverStopped() throws IOException {
    String[] common = {"vit_micro", "--budget", "2MB", "--schedule", "prefetch", "1"};
    Path whole = folder.resolve("whole");
    Path parts = folder.resolve("parts");
    line(layers("train", with(common, "--steps", "4", "--out", whole.toString())), "wall");
    line(layers("train", with(common, "--steps", "2", "--out", parts.toString())), "wall");
    BadInputCommand resumed =
        layers("train", with(common, "--steps", "4", "--out", parts.toString(), "--resume"));

    assertThat(line(resumed, "resumed")).contains("after step 2");
    try (Stream<Path> files = Files.list(whole)) {
      for (Path file : files.toList()) {
        assertThat(parts.resolve(file.getFileName())).hasSameBinaryContentAs(file);
      }
    }
  }

  private static String[] with(String[] common, String... more) {
    return Stream.concat(Stream.of(common), Stream.of(more)).toArray(String[]::new);
  }
}
