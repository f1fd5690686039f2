package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that a threshold ends: in one process, in one for each role, and in virtual time. */
@Timeout(300)
final class AbortedRunTest {
  private static final String HOPELESS = "thresholds={done: {bound: '< 20', abort: true}}";
  private static final String WHY =
      "threshold done < 20 cannot hold any more: with the best end of all jobs to come it is 20";

  @TempDir private Path folder;

  private void leavesItsReasonAndNoFigures(String runId) throws Exception {
    Path failed = folder.resolve("results").resolve(runId + ".failed");
    assertThat(new Loop(folder, null).left()).containsExactly(runId + ".failed");
    assertThat(failed.resolve("failure.txt")).content().startsWith(WHY).contains(" s of the run");
    assertThat(failed.resolve("summary.json")).doesNotExist();
    assertThat(failed.resolve("trace.csv")).doesNotExist();
    assertThat(failed.resolve("temporary")).doesNotExist();
  }

  @Test
  @Tag("loop")
  void aLiveRun_endsLongBeforeItsDuration() throws Exception {
    Ended ended = new Loop(folder, null).run("lost", HOPELESS, "duration_seconds=600");
    assertThat(ended.status()).as(ended.text()).isEqualTo(3);
    assertThat(ended.text().replaceAll("\\s+", " "))
        .contains("Ended early: " + WHY)
        .contains("lost.failed");
    leavesItsReasonAndNoFigures("lost");
  }

  @Test
  @Tag("slow")
  void aRunInProcesses_ends() throws Exception {
    var loop = new Loop(folder, null);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--processes",
                "--run-id",
                "apart",
                "--results",
                loop.results().toString(),
                "--set",
                "duration_seconds=600",
                "--set",
                HOPELESS));
    arguments.addAll(Roles.UNHURRIED);
    try (SluiceProcess process = SluiceProcess.piped(arguments)) {
      Screen screen = process.screen();
      assertThat(process.exitStatus()).as(screen.text()).isEqualTo(3);
      assertThat(screen.text().replaceAll("\\s+", " "))
          .contains("Ended early: " + WHY)
          .doesNotContain("the run failed");
    }
    leavesItsReasonAndNoFigures("apart");
  }

  @Test
  void aSimulation_ends_alsoInASeries() throws Exception {
    Path file = Files.writeString(folder.resolve("tiny.yaml"), Loop.EMULATED);
    List<String> simulate =
        List.of(
            "simulate",
            file.toString(),
            "--results",
            folder.resolve("results").toString(),
            "--set",
            "duration_seconds=600",
            "--set",
            HOPELESS,
            "--run-id",
            "virtual");
    assertThat(Sluice.execute(simulate.toArray(new String[0]))).isEqualTo(3);
    leavesItsReasonAndNoFigures("virtual");
    List<String> series = new ArrayList<>(simulate);
    series.set(series.size() - 1, "several");
    series.addAll(List.of("--repeat", "2"));
    assertThat(Sluice.execute(series.toArray(new String[0]))).isEqualTo(3);
    assertThat(folder.resolve("results/several.failed/failure.txt")).content().contains(WHY);
  }

  @Test
  void aBound_thatCannotEndARun_isRefusedBeforeItBegins() throws Exception {
    Path file = Files.writeString(folder.resolve("tiny.yaml"), Loop.EMULATED);
    assertThat(
            Sluice.execute(
                "run",
                file.toString(),
                "--results",
                folder.resolve("results").toString(),
                "--set",
                "thresholds={lane_use: {bound: '< 1', abort: true}}"))
        .isEqualTo(2);
    assertThat(new Loop(folder, null).left()).isEmpty();
  }
}
