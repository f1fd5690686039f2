package dev.sluice.harness.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.ChildRuns.SeriesRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of a series, whose attempts leave the folders that a run leaves. */
final class SeriesRunTest {
  private static final String SOUND = "{\"not_comparable\": [], \"notes\": []}";
  private static final String LATE =
      "{\"not_comparable\": [\"generator saturated\"],"
          + " \"notes\": [\"busy machine: others took 72 %\"]}";
  private static final String GIVEN_UP =
      "{\"not_comparable\": [\"given up: x\"], \"failure\": \"x\", \"notes\": []}";

  @TempDir private Path results;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  /** What an attempt leaves in place of summary.json, and its exit status. */
  private record Attempt(int status, String summary) {}

  @Test
  void aSoundRun_isMadeOnce() throws Exception {
    SeriesRun run = make(new Attempt(ExitStatus.DONE, SOUND));
    assertThat(run.spoiled()).isEmpty();
    assertThat(run.isFailed()).isFalse();
    assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void aRunThatTheMachineSpoiled_isMadeAgain_andTheReasonIsSaid() throws Exception {
    SeriesRun run =
        make(
            new Attempt(ExitStatus.BUG, LATE),
            new Attempt(ExitStatus.INCONCLUSIVE, LATE),
            new Attempt(ExitStatus.MISSED, SOUND));
    assertThat(run.status()).isEqualTo(ExitStatus.MISSED);
    assertThat(run.spoiled()).isEmpty();
    assertThat(results.resolve("a-1")).exists();
    assertThat(results.resolve("a-1.failed")).doesNotExist();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains(
            "Run a-1 tells nothing: generator saturated; busy machine: others took 72 %."
                + " It is made again, 2 of 3.")
        .contains("3 of 3");
  }

  @Test
  void aRunThatIsSpoiledThreeTimes_isLeftOut_besideTheOthers() throws Exception {
    SeriesRun run =
        make(
            new Attempt(ExitStatus.BUG, LATE),
            new Attempt(ExitStatus.BUG, LATE),
            new Attempt(ExitStatus.BUG, LATE));
    assertThat(run.spoiled()).isPresent();
    assertThat(run.isFailed()).isFalse();
    SeriesRun.leaveOut(results, "a-1");
    assertThat(results.resolve("left-out/a-1/summary.json")).exists();
    assertThat(results.resolve("a-1.failed")).doesNotExist();
  }

  @Test
  void aRunThatFailedOtherwise_isNotMadeAgain() throws Exception {
    assertThat(make(new Attempt(ExitStatus.BUG, GIVEN_UP)).isFailed()).isTrue();
    assertThat(make(new Attempt(ExitStatus.MISTAKE, "")).isFailed()).isTrue();
  }

  private SeriesRun make(Attempt... attempts) throws IOException, InterruptedException {
    Deque<Attempt> left = new ArrayDeque<>(List.of(attempts));
    var console = new Console(new PrintStream(said, true, StandardCharsets.UTF_8), false);
    var children =
        new ChildRuns(
            new RunSettings(
                Path.of("unread.yaml"),
                List.of(),
                new RunSettings.Output(results, false, false, null),
                null),
            false,
            console) {
          @Override
          public int run(Path folder, String runId, List<String> overrides) throws IOException {
            Attempt attempt = left.remove();
            if (!attempt.summary.isEmpty()) {
              String name = attempt.status == ExitStatus.BUG ? runId + ".failed" : runId;
              Path run = Files.createDirectory(folder.resolve(name));
              Files.writeString(run.resolve("summary.json"), attempt.summary);
            }
            return attempt.status;
          }
        };
    SeriesRun run = children.make(results, "a-1", List.of(), SeriesRun.ATTEMPTS_MAX);
    assertThat(left).as("attempts that were not made").isEmpty();
    return run;
  }
}
