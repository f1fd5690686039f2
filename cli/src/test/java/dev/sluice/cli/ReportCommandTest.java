package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of simulated runs, and of folders that have none. */
final class ReportCommandTest {
  private static final Path CONFIGS = Path.of("..", "configs");

  @TempDir private Path results;

  private Path simulated(String runId, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "simulate",
                CONFIGS.resolve("emulated_accelerator.yaml").toString(),
                "--results",
                results.toString(),
                "--run-id",
                runId,
                "--set",
                "duration_seconds=3",
                "--set",
                "warmup_seconds=0",
                "--set",
                "arrival_rate_jobs_per_sec=100"));
    command.addAll(List.of(options));
    var ended = sluice(command.toArray(String[]::new));
    assertThat(ended.status()).as(ended.err()).isZero();
    return results.resolve(runId);
  }

  @Test
  void makesTheReportThatTheRunItselfMade_alsoForAFolderWithoutMetrics() throws IOException {
    Path folder = simulated("logged", "--log");
    String own = Files.readString(folder.resolve("report.html"));
    Files.delete(folder.resolve("report.html"));
    Files.delete(folder.resolve("metrics.csv")); // as older versions left it: the log has the rest
    var ended = sluice("report", folder.toString());
    assertThat(ended.status()).as(ended.err()).isZero();
    assertThat(ended.out()).isEqualTo("Report    " + folder.resolve("report.html") + "\n");
    assertThat(folder.resolve("report.html")).hasContent(own);
  }

  @Test
  void leavesMetricsThatAddUpToTheSummary() throws IOException {
    Path folder = simulated("plain");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    List<String> lines = Files.readAllLines(folder.resolve("metrics.csv"));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    for (String name : List.of("all", "interactive", "batch")) {
      long done = 0;
      long requested = 0;
      for (String line : lines.subList(1, lines.size())) {
        List<String> cells = List.of(line.split(",", -1));
        if (cells.get(columns.indexOf("class_type")).equals(name)) {
          done += Long.parseLong(cells.get(columns.indexOf("done")));
          requested += Long.parseLong(cells.get(columns.indexOf("requested")));
        }
      }
      long rows = jobs(folder, name, "");
      assertThat(requested).as(name).isEqualTo(rows);
      assertThat(done).as(name).isEqualTo(jobs(folder, name, ",done,"));
      // jobs that were intended after the measured window are in the trace alone
      assertThat(rows).isGreaterThanOrEqualTo(summary.path(name + "_count").asLong());
    }
  }

  private static long jobs(Path folder, String classType, String mark) throws IOException {
    try (var lines = Files.lines(folder.resolve("trace.csv"))) {
      return lines
          .skip(1)
          .filter(line -> classType.equals("all") || line.contains("," + classType + ","))
          .filter(line -> line.contains(mark))
          .count();
    }
  }

  @Test
  void makesTheReportOfEachRepeat() throws IOException {
    Path folder = simulated("often", "--repeat", "2");
    Files.delete(folder.resolve("often-1").resolve("report.html"));
    var ended = sluice("report", folder.toString());
    assertThat(ended.status()).as(ended.err()).isZero();
    assertThat(ended.out().lines()).hasSize(2);
    assertThat(folder.resolve("often-1").resolve("report.html")).isNotEmptyFile();
    assertThat(folder.resolve("often-2").resolve("report.html")).isNotEmptyFile();
  }

  @Test
  void exits2_andSaysWhy_whenTheFolderHasNoReport() throws IOException {
    var none = sluice("report", results.toString());
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err())
        .contains("this is no folder of a finished run: it has no summary.json")
        .contains("  Maybe ");
    Path folder = simulated("bare", "--no-trace");
    assertThat(folder.resolve("report.html")).doesNotExist();
    assertThat(folder.resolve("metrics.csv")).doesNotExist();
    var bare = sluice("report", folder.toString());
    assertThat(bare.status()).isEqualTo(2);
    assertThat(bare.err())
        .contains("the folder has no (dispatches.csv)")
        .contains("  Maybe the run was simulated with --no-trace");
    Path workflows = Files.createDirectory(results.resolve("workflows"));
    Files.writeString(workflows.resolve("baseline_execution_log.json"), "{}");
    var schedule = sluice("report", workflows.toString());
    assertThat(schedule.status()).isEqualTo(2);
    assertThat(schedule.err()).contains("a schedule of workflows has no report");
  }

  @Test
  void exits2_whenTheReportCannotBeWritten() throws IOException {
    Path folder = simulated("full");
    Files.delete(folder.resolve("report.html"));
    Files.createDirectory(folder.resolve("report.html")); // as unwritable as a full disk
    var ended = sluice("report", folder.toString());
    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.err())
        .contains("report.html: error: the report cannot be written")
        .contains("  Maybe the disk is full");
  }
}
