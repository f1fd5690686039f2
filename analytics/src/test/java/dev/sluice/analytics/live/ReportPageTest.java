package dev.sluice.analytics.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.Origin;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of made-up runs. */
final class ReportPageTest {
  private static final String EVIL = "<img src=x onerror=alert(1)></script><b>";

  @TempDir private Path results;

  /** Leaves the folder of a run, as a run's own process does. */
  private Path leave(Experiment experiment, String runId, List<String> notes) throws IOException {
    RunFold fold = SyntheticRun.fold(SyntheticRun.of(experiment, 7).entries());
    var context =
        new RunContext(
            experiment, runId, notes, Map.of("sluice", "0.1.0"), null, false, Origin.UNKNOWN);
    RunReport report = RunReport.of(fold, context);
    Path folder = Files.createDirectory(results.resolve("run"));
    report.write(folder);
    Files.writeString(folder.resolve("config.yaml"), ResolvedConfig.write(experiment));
    report.writePage(folder);
    return folder;
  }

  private static Experiment experiment(double rate, double duration) {
    return SyntheticRun.experiment(
        rate, 2, duration, 2, Map.of("interactive_p99_e2e_ms", new Threshold("<", 150)));
  }

  private static String page(Path folder) throws IOException {
    return Files.readString(folder.resolve("report.html"));
  }

  private static JsonNode snapshot(String page) throws IOException {
    String begin = "id=\"snapshot\">";
    int from = page.indexOf(begin) + begin.length();
    return new JsonMapper().readTree(page.substring(from, page.indexOf("</script>", from)));
  }

  @Test
  void hasTheSameBytes_whenItIsMadeAgainFromTheFolder() throws Exception {
    Path folder = leave(experiment(60, 20), "run-1", List.of("a note"));
    String first = page(folder);
    Files.delete(folder.resolve("report.html"));
    assertThat(ReportPage.write(FinishedRun.read(folder))).hasContent(first);
  }

  @Test
  void hasTheFiguresOfTheSummary() throws Exception {
    Path folder = leave(experiment(60, 20), "run-1", List.of());
    String page = page(folder);
    JsonNode summary = FinishedRun.read(folder).summary();
    assertThat(snapshot(page).path("run").path("summary")).isEqualTo(summary);
    Matcher cell =
        Pattern.compile("<th scope=\"row\">([a-z0-9_]+)</th><td data-value=\"([^\"]*)\">([^<]*)<")
            .matcher(page.substring(page.indexOf("<caption>All figures")));
    int figures = 0;
    while (cell.find()) {
      JsonNode value = summary.path(cell.group(1));
      if (value.isNumber()) {
        figures++;
        assertThat(cell.group(2)).as(cell.group(1)).isEqualTo(value.asText());
        assertThat(Double.parseDouble(cell.group(3))).isEqualTo(value.asDouble());
      }
    }
    assertThat(figures).isGreaterThan(80);
    for (String name : List.of("interactive", "batch", "all")) {
      assertThat(page)
          .contains(
              "<th scope=\"row\">"
                  + name
                  + "</th><td data-value=\""
                  + summary.path(name + "_count").asText()
                  + "\">");
    }
  }

  @Test
  void beginsWithTheFirstLines_andEndsWithConfigAndDigests() throws Exception {
    String page = page(leave(experiment(60, 20), "run-1", List.of("a note")));
    String tables = page.substring(page.indexOf("<div id=\"tables\">"));
    assertThat(tables)
        .startsWith(
            """
            <div id="tables">
            <section class="report" aria-label="Report">
            <p class="note">! emulated lanes: they waited instead of computing</p>
            <p class="note">! a note</p>
            <h2>quickstart, policy dynamic, run-1</h2>
            """);
    int config = tables.indexOf("arrival_rate_jobs_per_sec: 60");
    int digest = tables.indexOf("c0ffee", config);
    assertThat(config).isPositive();
    assertThat(digest).isPositive().isLessThan(tables.indexOf("</section>"));
    assertThat(tables.indexOf("<caption>", digest)).isNegative();
  }

  @Test
  void asksNothingOfAnyone_andRunsItsOwnScriptsAlone() throws Exception {
    String page = page(leave(experiment(60, 20), "run-1", List.of()));
    assertThat(page)
        .contains("default-src 'none'")
        .doesNotContain("<link")
        .doesNotContainPattern("<script[^>]+src=")
        .doesNotContainPattern("(?i)@import|url\\((?!\\s*[\"']?data:)");
  }

  @Test
  void escapesAllTexts() throws Exception {
    Path folder = leave(experiment(60, 20), EVIL, List.of(EVIL));
    // a policy, a class and a cause that another program has put there
    for (String file : List.of("summary.json", "config.yaml", "trace.csv")) {
      String text = Files.readString(folder.resolve(file));
      String json = EVIL.replace("\"", "\\\"");
      Files.writeString(
          folder.resolve(file),
          text.replace("interactive", file.endsWith("csv") ? EVIL : json)
              .replace("executor-0", EVIL));
    }
    String page = Files.readString(ReportPage.write(FinishedRun.read(folder)));
    assertThat(page).doesNotContain("<img").doesNotContain("</script><b>");
    assertThat(page).contains("&lt;img src=x onerror=alert(1)&gt;");
    assertThat(snapshot(page).path("run").path("id").asText()).isEqualTo(EVIL);
    assertThat(page.split("</script>", -1)).hasSize(4); // two scripts and the snapshot
  }

  @Test
  void isOfAtMostAMebibyte_whateverTheNumberOfJobs() throws Exception {
    Path folder = leave(experiment(60, 300), "run-1", List.of());
    assertThat(Files.readAllLines(folder.resolve("trace.csv"))).hasSizeGreaterThan(17_000);
    assertThat(Files.size(folder.resolve("report.html"))).isLessThan(1 << 20);
    JsonNode batches = snapshot(page(folder)).path("batches");
    assertThat(batches.path("batches")).hasSizeBetween(100, 800);
    assertThat(batches.path("left_out").asInt()).isGreaterThan(10_000);
    assertThat(batches.path("shares").path("lanes")).hasSize(2);
    JsonNode busy = batches.path("shares").path("lanes").path(0).path("busy");
    assertThat(busy).hasSizeLessThanOrEqualTo(120);
    busy.forEach(share -> assertThat(share.asDouble()).isBetween(0.0, 1.0));
  }

  @Test
  void showsTheBatchesOfAShortRun_each() throws Exception {
    Path folder = leave(experiment(20, 10), "run-1", List.of());
    JsonNode batches = snapshot(page(folder)).path("batches");
    assertThat(batches.path("batches"))
        .hasSize(Files.readAllLines(folder.resolve("dispatches.csv")).size() - 1);
    assertThat(batches.path("left_out").asInt()).isZero();
    JsonNode bar = batches.path("batches").path(0);
    assertThat(bar.path("id").asText()).matches("0:\\d+-\\d+");
    assertThat(bar.path("executor").asText()).isEqualTo("local");
    assertThat(bar.path("classType").asText()).isIn("interactive", "batch");
    assertThat(bar.path("scoreTerms").path("interactive").asInt()).isEqualTo(10);
    assertThat(bar.path("result").asText()).isEqualTo("DONE");
  }

  @Test
  void leavesNothing_whenItCannotBeWritten() throws Exception {
    Path folder = leave(experiment(20, 10), "run-1", List.of());
    Path file = folder.resolve("report.html");
    Files.delete(file);
    Files.createDirectory(file); // as unwritable as a full disk
    FinishedRun run = FinishedRun.read(folder);
    assertThatThrownBy(() -> ReportPage.write(run)).isInstanceOf(IOException.class);
    assertThat(folder.resolve("summary.json")).exists();
  }

  @Test
  void saysWhichRowCannotBeRead() throws Exception {
    Path folder = leave(experiment(20, 10), "run-1", List.of());
    Path trace = folder.resolve("trace.csv");
    List<String> lines = Files.readAllLines(trace);
    lines.set(3, lines.get(3).replace(",done,", ",gone,"));
    Files.write(trace, lines);
    FinishedRun run = FinishedRun.read(folder);
    assertThatThrownBy(() -> ReportPage.write(run))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(trace + ":4")
        .hasMessageContaining("this row cannot be read");
    Files.delete(trace);
    assertThatThrownBy(() -> ReportPage.write(run))
        .hasMessageContaining("the folder has no (trace.csv)");
  }
}
