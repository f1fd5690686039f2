package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose standard output is a full disk. */
@Tag("loop")
final class UnwritableOutputTest {
  private static final File FULL = new File("/dev/full");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--version",
        "plan --help",
        "layers plan vit_tiny --budget 6MB --schedule on_demand",
        "simulate ../configs/quickstart.yaml --no-trace --json --results RESULTS",
        "simulate ../configs/quickstart.yaml --results RESULTS"
      })
  void endWithAnErrorThatSaysSo(String words) throws Exception {
    assumeTrue(FULL.exists(), "this system has no /dev/full");
    Path errors = folder.resolve("errors");
    List<String> arguments = List.of(words.replace("RESULTS", folder.toString()).split(" ", -1));
    int status =
        Launch.of(ChildJvm.sluice(List.of(), arguments))
            .output(Redirect.to(FULL))
            .errors(Redirect.to(errors.toFile()))
            .start()
            .waitFor();
    assertThat(Files.readString(errors))
        .contains("sluice: error: the output could not be written (")
        .contains("\n  Maybe ");
    assertThat(status).isNotZero();
  }
}
