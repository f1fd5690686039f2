package dev.sluice.bench.chaos;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.cli.BadInputCommand;
import dev.sluice.cli.Loop;
import dev.sluice.cli.Loop.Ended;
import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code chaos} as a person starts it: a few faults over all roles, and what is left of the run.
 */
@Tag("slow")
@Timeout(400)
final class ChaosTest {
  private static final int FAULTS = 5;

  @TempDir private Path folder;
  private Process process;

  @AfterEach
  void endProcess() throws InterruptedException {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  private static String logOf(Path log) throws IOException {
    return Files.exists(log) ? Files.readString(log) : "";
  }

  @Test
  void losesNothingAndDoublesNothing_whenItsProcessesAreKilled() throws Exception {
    assumeTrue(Chaos.canFillDisks(), "a full disk is made by prlimit, which only Linux has");
    var loop = new Loop(folder, null);
    Path output = folder.resolve("output");
    process =
        new ProcessBuilder(
                ChildJvm.sluice(
                    List.of(),
                    List.of(
                        "chaos",
                        Path.of("../configs/chaos.yaml").toString(),
                        "--kills",
                        Integer.toString(FAULTS),
                        "--seed",
                        "1635",
                        "--run-id",
                        "harmed",
                        "--results",
                        loop.results().toString())))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(380, TimeUnit.SECONDS)).as("it ended").isTrue();
    String text = Files.readString(output);
    assertThat(process.exitValue())
        .as("%s%s", text, logOf(loop.results().resolve("harmed.failed/logs/analyze.log")))
        .isZero();
    assertThat(text).endsWith("Nothing was lost or doubled.\n");

    List<String> faults = Files.readAllLines(loop.results().resolve("harmed.faults.csv"));
    assertThat(faults).hasSize(FAULTS + 1); // the results' disk, at the end
    assertThat(faults).extracting(line -> line.split(",", -1)[1]).doesNotHaveDuplicates();
    assertThat(faults)
        .extracting(line -> line.split(",", -1)[2].replaceFirst("-.*", ""))
        .contains("broker", "schedule", "execute", "produce", "analyze");

    var run = new Ended(0, loop.results().resolve("harmed"), text);
    int jobs = run.rows("trace.csv").size();
    assertThat(jobs).isGreaterThan(100);
    assertThat(text).contains("  jobs           " + jobs + ", outcomes " + jobs);
    assertThat(run.summary().path("not_comparable")).isNotEmpty();

    BadInputCommand decisions = sluice("replay", "--decisions", run.folder().toString());
    assertThat(decisions.status()).as(decisions.out() + decisions.err()).isZero();

    BadInputCommand check = sluice("check", run.folder().toString());
    assertThat(check.status()).as(check.out() + check.err()).isZero();
  }
}
