package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.process.BothCompilers;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.CommandLine;
import dev.sluice.harness.process.Launch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process that takes both compilers, of which the test sees one process from start to end. */
final class BothCompilersTest {
  private static final String QUICK = "-XX:TieredStopAtLevel=1";
  private static final String LIBRARIES = "sluice.libraries";

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
