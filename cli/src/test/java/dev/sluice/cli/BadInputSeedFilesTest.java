package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.held;
import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that ask far too much of two cores are accepted, warned of, and come to an end. */
@Tag("slow")
final class BadInputSeedFilesTest {
  private static final Path SEED = Path.of("../contract/src/test/resources/seed");
  private static final Path TABLE =
      Path.of("../configs/latency/cpu-2core.csv").toAbsolutePath().normalize();

  @TempDir private Path results;

  @ParameterizedTest
  @ValueSource(strings = {"fifo_baseline", "mixed_slo_microbatch", "dynamic_predictor"})
  void isAcceptedAndWarnedOf(String name) {
    BadInputCommand ran = run(name, "--dry-run");

    assertThat(ran.status()).as(ran.err()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out().replaceAll("\\s+", " "))
        .contains("warning: hopelessly overloaded, the queue must grow without end; the tail ends")
        .contains("Dry run: all is ready.");
    assertThat(held(results)).isEmpty();
  }

  @Test
  void saysThatNoPredictorIsThere() {
    assertThat(run("dynamic_predictor", "--dry-run").out().replaceAll("\\s+", " "))
        .contains("predictor warning: no model stands at")
        .contains("the run begins cold, with running means");
  }

  @Test
  void isEndedByTheTail_withEveryJobAccountedFor() throws Exception {
    BadInputCommand ran =
        run(
            "fifo_baseline",
            "--run-id",
            "short",
            "--set",
            "duration_seconds=3",
            "--set",
            "tail_seconds=1",
            // so long that no busy machine makes the generator too late for them
            "--set",
            "classes.interactive.slo_ms=400000",
            "--set",
            "classes.batch.slo_ms=800000");

    assertThat(ran.status()).as(ran.out() + ran.err()).isIn(0, 3, 4);
    assertThat(held(results)).containsExactly(results.resolve("short"));
    List<String> rows = Files.readAllLines(results.resolve("short/trace.csv"));
    List<String> columns = List.of(rows.get(0).split(","));
    var ends =
        rows.stream()
            .skip(1)
            .map(row -> row.split(",", -1))
            .map(
                fields ->
                    fields[columns.indexOf("status")] + " " + fields[columns.indexOf("reason")])
            .map(String::strip)
            .toList();
    assertThat(ends).hasSizeGreaterThan(15).isSubsetOf("done", "dropped run_ended");
    assertThat(ends).contains("done", "dropped run_ended");
    assertThat(
            rows.stream()
                .skip(1)
                .map(row -> row.split(",", -1)[columns.indexOf("job_id")])
                .distinct())
        .hasSize(ends.size());
  }

  private BadInputCommand run(String name, String... further) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                SEED.resolve(name + ".yaml").toString(),
                "--results",
                results.toString(),
                "--set",
                "lanes.kind=emulated",
                "--set",
                "lanes.latency_table=" + TABLE));
    arguments.addAll(List.of(further));
    return sluice(arguments.toArray(String[]::new));
  }
}
