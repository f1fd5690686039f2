package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.harness.process.BothCompilers;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.CommandLine;
import dev.sluice.harness.process.Launch;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that takes both compilers, of which the test sees one process from start to end. */
final class BothCompilersTest {
  private static final Path PROCESSES = Path.of("/proc");
  private static final String QUICK = "-XX:TieredStopAtLevel=1";
  private static final String LIBRARIES = "sluice.libraries";

  @TempDir private Path folder;

  /** Takes both compilers for the command line of its arguments. */
  static final class Taking {
    public static void main(String[] arguments) {
      if (arguments.length > 0) {
        CommandLine.remember(List.of(arguments));
      }
      System.out.print("before, ");
      BothCompilers.take();
      System.out.println("after, with " + level());
    }

    private static String level() {
      return ChildJvm.ownOptions().stream().filter(o -> o.startsWith("-XX:Tiered")).toList() + "";
    }
  }

  private record Ended(int status, String printed) {}

  private static Ended run(List<String> options, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    String libraries = System.getProperty(LIBRARIES);
    if (libraries != null) { // what is built, as the children of this test have it
      command.add("-D" + LIBRARIES + "=" + libraries);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Taking.class.getName());
    command.addAll(List.of(arguments));
    Process process = Launch.of(command).errorsToOutput().start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), printed);
  }

  @Test
  void theProcessBecomesAnotherStartOfItsCommandLine() throws Exception {
    Ended ended = run(List.of(QUICK), "simulate", "no such file.yaml");
    assertThat(ended.printed).startsWith("before, ").contains("no such file.yaml");
    assertThat(ended.printed).doesNotContain("after");
    assertThat(ended.status).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"2000000, true", "1999999, false"})
  void aSimulationOfMillionsOfJobsTakesThem(int jobs, boolean takes) throws Exception {
    assumeTrue(Files.exists(PROCESSES), "command lines of processes are read in " + PROCESSES);
    Path experiment = Files.writeString(folder.resolve("many.yaml"), Loop.EMULATED);
    List<String> arguments =
        List.of(
            "simulate",
            experiment.toString(),
            "--set",
            "arrival_rate_jobs_per_sec=" + BigDecimal.valueOf(jobs, 2),
            "--set",
            "duration_seconds=99",
            "--set",
            "tail_seconds=1",
            "--no-trace",
            "--results",
            folder.resolve("results").toString());
    Process process = Launch.of(ChildJvm.of(List.of(QUICK), ChildJvm.SLUICE, arguments)).start();
    try (var printed = process.inputReader()) {
      String line = printed.readLine();
      while (line != null && !line.contains("nothing runs and nothing waits")) {
        line = printed.readLine();
      }
      assertThat(line).as("an end before anything is simulated").isNotNull();
      String command =
          Files.readString(PROCESSES.resolve(process.pid() + "/cmdline"), StandardCharsets.UTF_8);
      assertThat(command.contains("-XX:TieredStopAtLevel=4")).isEqualTo(takes);
    } finally {
      process.destroy(); // a wish to stop that reaches the process that simulates
    }
    assertThat(process.waitFor()).isNotZero();
  }

  @Test
  void goesOnWhereBothAreThere() throws Exception {
    assertThat(run(List.of(), "--version")).isEqualTo(new Ended(0, "before, after, with []\n"));
    assertThat(run(List.of(QUICK, "-XX:TieredStopAtLevel=4"), "--version"))
        .isEqualTo(
            new Ended(
                0, "before, after, with [-XX:TieredStopAtLevel=1, -XX:TieredStopAtLevel=4]\n"));
  }

  @Test
  void goesOnWhereTheCommandLineIsUnknown() throws Exception {
    assertThat(run(List.of(QUICK)))
        .isEqualTo(new Ended(0, "before, after, with [-XX:TieredStopAtLevel=1]\n"));
  }
}
