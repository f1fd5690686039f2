package dev.sluice.harness.serve;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.serve.RawClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The list of runs of a folder with all that may lie in it. */
final class ResultsRunsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SUMMARY =
      """
      {
        "run_id" : "%s", "scheduler_name" : "fifo", "emulated" : true, "simulated" : false,
        "notes" : [ "emulated lanes: they waited instead of computing" ],
        "not_comparable" : [ %s ], "warmup_seconds" : 0.0, "duration_seconds" : 20.0,
        "all_count" : 7, "all_p99_e2e_ms" : %s, "all_slo_violation_rate" : 0.25,
        "all_goodput_jobs_sec" : 3.5, "by_class_workload" : { "a" : { "b" : { "count" : 1 } } },
        "asked_rate_jobs_sec" : 4.0, "lateness_p99_ms" : 1.0
      }
      """;

  @TempDir Path folder;
  private Path results;
  private PageServer server;

  @BeforeEach
  void start() throws Exception {
    results = folder.resolve("results");
    server =
        PageServer.start(new PageAddress(0, null, List.of(), 1), new ResultsRuns(results, null));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void finished(String name, String notComparable, String p99Ms) throws IOException {
    Path run = Files.createDirectories(results.resolve(name));
    Files.writeString(run.resolve("summary.json"), SUMMARY.formatted(name, notComparable, p99Ms));
  }

  private Map<String, JsonNode> listed() throws IOException {
    Map<String, JsonNode> rows = new HashMap<>();
    Answer answer = RawClient.get(server.url(), "/api/runs");
    assertThat(answer.status()).isEqualTo(200);
    JSON.readTree(answer.body())
        .path("runs")
        .forEach(row -> rows.put(row.path("id").asText(), row));
    return rows;
  }

  @Test
  void aFolderThatIsNotThereYetHasNoRuns() throws IOException {
    assertThat(listed()).isEmpty();
  }

  @Test
  void thousandsOfRunsAreListed_eachWithItsFigures() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      finished("run-" + i, "", String.valueOf(i));
    }
    Map<String, JsonNode> rows = listed();
    assertThat(rows).hasSize(2_000);
    assertThat(rows.get("run-1999").path("p99_ms").asInt()).isEqualTo(1999);
    finished("run-7", "", "7777.5");
    assertThat(listed().get("run-7").path("p99_ms").asDouble()).isEqualTo(7777.5);
  }

  @Test
  void aFinishedRunHasItsFigures() throws IOException {
    finished("one", "", "12.5");

    JsonNode row = listed().get("one");
    assertThat(row.path("state").asText()).isEqualTo("finished");
    assertThat(row.path("words").toString()).isEqualTo("[\"emulated\"]");
    assertThat(row.path("policy").asText()).isEqualTo("fifo");
    assertThat(row.path("rate_per_s").asDouble()).isEqualTo(4);
    assertThat(row.path("goodput_per_s").asDouble()).isEqualTo(3.5);
    assertThat(row.path("p99_ms").asDouble()).isEqualTo(12.5);
    assertThat(row.path("late").asDouble()).isEqualTo(0.25);
    assertThat(row.path("seconds").asDouble()).isEqualTo(20);
  }

  @Test
  void theAskedRateIsFoundBehindOtherFigures_andOneThatIsNoneIsLeftOut() throws IOException {
    for (String rate : List.of("25.5", "null", "\"x\"")) {
      Path run = Files.createDirectories(results.resolve("rate-" + rate.hashCode()));
      String lines = "  \"run_id\" : \"r\",\n  \"all_goodput_jobs_sec\" : 3.5,\n  \"x\" : [ 1 ],\n";
      Files.writeString(
          run.resolve("summary.json"),
          "{\n" + lines + "  \"asked_rate_jobs_sec\" : " + rate + ",\n  \"more\" : 1\n}\n");
    }

    Map<String, JsonNode> rows = listed();
    assertThat(rows.get("rate-" + "25.5".hashCode()).path("rate_per_s").asDouble()).isEqualTo(25.5);
    assertThat(rows.get("rate-" + "null".hashCode()).path("rate_per_s").isNull()).isTrue();
    assertThat(rows.get("rate-" + "\"x\"".hashCode()).path("rate_per_s").isNull()).isTrue();
  }

  @Test
  void aRunThatIsNotComparableSaysWhy_andAnInfinitePercentileIsNamed() throws IOException {
    finished("two", "\"generator saturated\"", "null");

    JsonNode row = listed().get("two");
    assertThat(row.path("words").toString()).contains("not comparable");
    assertThat(row.path("why").toString()).contains("generator saturated");
    assertThat(row.path("p99_ms").asText()).isEqualTo("inf");
  }

  @Test
  void aChangedSummaryIsReadAgain() throws IOException {
    finished("one", "", "12.5");
    assertThat(listed().get("one").path("p99_ms").asDouble()).isEqualTo(12.5);
    finished("one", "", "112.5");

    assertThat(listed().get("one").path("p99_ms").asDouble()).isEqualTo(112.5);
  }

  @Test
  void foreignUnreadableAndHalfWrittenFoldersDoNotHideTheOthers() throws IOException {
    finished("one", "", "12.5");
    Files.writeString(results.resolve("notes.txt"), "no run");
    Files.createDirectories(results.resolve("pictures")).resolve("a.png");
    Files.createDirectories(results.resolve("half"));
    Files.writeString(results.resolve("half/summary.json"), SUMMARY.substring(0, 60));
    Files.createDirectories(results.resolve("empty-summary"));
    Files.writeString(results.resolve("empty-summary/summary.json"), "");
    Files.createDirectories(results.resolve("foreign"));
    Files.writeString(results.resolve("foreign/summary.json"), "{\"a\": 1}");
    Files.createDirectories(results.resolve("no-summary"));
    Files.writeString(results.resolve("no-summary/trace.csv"), "job_id\n");
    Files.createDirectories(results.resolve("folder-as-summary/summary.json"));
    Files.createDirectories(results.resolve("bad.failed"));
    Files.createSymbolicLink(results.resolve("nowhere"), folder.resolve("gone"));

    Map<String, JsonNode> rows = listed();
    assertThat(rows.get("one").path("state").asText()).isEqualTo("finished");
    for (String unreadable :
        List.of("half", "empty-summary", "foreign", "no-summary", "folder-as-summary")) {
      assertThat(rows.get(unreadable).path("state").asText())
          .as(unreadable)
          .isEqualTo("unreadable");
      assertThat(rows.get(unreadable).path("why").size()).isEqualTo(1);
      assertThat(RawClient.get(server.url(), "/api/runs/" + unreadable + "/snapshot").status())
          .as(unreadable)
          .isIn(404, 500);
    }
    assertThat(rows.get("bad").path("state").asText()).isEqualTo("failed");
    assertThat(rows).doesNotContainKeys("notes.txt", "pictures", "nowhere");
  }

  @Test
  void repeatsOfARunSayWhereItsRunsAre() throws IOException {
    Path repeats = Files.createDirectories(results.resolve("repeated"));
    Files.writeString(
        repeats.resolve("summary.json"), "{\"repeats\" : 8, \"run_ids\" : [], \"figures\" : {}}");
    Files.writeString(repeats.resolve("repeats.csv"), "run_id\n");

    JsonNode row = listed().get("repeated");
    assertThat(row.path("state").asText()).isEqualTo("finished");
    assertThat(row.path("words").toString()).contains("repeats");
    assertThat(row.path("why").toString()).contains("8 runs");
    assertThat(RawClient.get(server.url(), "/api/runs/repeated").status()).isEqualTo(404);
  }

  @Test
  void aRunningFolderIsLive_andFailedOnceNobodyHoldsIt() throws Exception {
    try (RunFolder running = RunFolder.create(results, "run-1")) {
      assertThat(listed().get("run-1").path("state").asText()).isEqualTo("live");
      running.abandon(); // its process ends at once
    }
    Path left = results.resolve("run-2.running");
    Files.createDirectories(left);
    Files.write(left.resolve(".lock"), new byte[0]);

    assertThat(listed().get("run-1").path("state").asText()).isEqualTo("failed");
    assertThat(listed().get("run-2").path("state").asText()).isEqualTo("failed");
    assertThat(listed().get("run-2").path("why").toString()).contains("process is gone");
  }

  @Test
  void anEmptyRunningFolderIsNoLiveRun_andAFileOfSuchANameIsNone() throws Exception {
    Files.createDirectories(results.resolve("empty.running"));
    Files.writeString(results.resolve("file.running"), "no folder");
    Files.writeString(results.resolve("file.failed"), "no folder");
    RunFolder.prepare(results, "begins"); // its first process hands it to another one

    Map<String, JsonNode> rows = listed();
    assertThat(rows.get("empty").path("state").asText()).isEqualTo("failed");
    assertThat(rows.get("begins").path("state").asText()).isEqualTo("live");
    assertThat(rows).doesNotContainKey("file");
  }

  @Test
  void aFolderThatCannotBeRead_isNeverCalledABug_norIsItsStackLogged() throws Exception {
    Map<String, String> damages =
        Map.of(
            "config.yaml", "duration_seconds: [",
            "metrics.csv", "second\n\"",
            "trace.csv", "job_id\n\"",
            "dispatches.csv", "dispatch_id\nx,y,z\n");
    for (String file : damages.keySet()) {
      finished(file, "", "12.5");
      Files.writeString(results.resolve(file).resolve(file), damages.get(file));
      finished("folder-" + file, "", "12.5");
      Files.createDirectories(results.resolve("folder-" + file).resolve(file));
    }
    var log = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(PageHandler.class);
    log.start();
    logger.addAppender(log);
    try {
      for (String run : listed().keySet()) {
        for (String part :
            List.of("", "/snapshot", "/seconds", "/batches?from=0&to=9", "/stream")) {
          Answer answer = RawClient.get(server.url(), "/api/runs/" + run + part);
          if (answer.status() != 200) {
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text()).as(run + part).startsWith("The run's folder cannot be read");
          }
        }
      }
      assertThat(RawClient.get(server.url(), "/api/runs/metrics.csv").status()).isEqualTo(500);
      Files.move(results, folder.resolve("aside"));
      Files.writeString(results, "a file");
      assertThat(RawClient.get(server.url(), "/api/runs").text())
          .isEqualTo("The folder of all runs cannot be read.\n");
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list).isNotEmpty().allMatch(event -> event.getThrowableProxy() == null);
  }

  @Test
  void anIdIsLookedUp_andNeverAPath() throws IOException {
    finished("one", "", "12.5");
    Files.writeString(folder.resolve("summary.json"), SUMMARY.formatted("outside", "", "1"));
    for (String id : List.of("..", "%2e%2e", "..%2f", ".", "one%2f..%2f..", "%2fetc", "one%00")) {
      Answer answer = RawClient.get(server.url(), "/api/runs/" + id + "/snapshot");

      assertThat(answer.status()).as(id).isIn(400, 404);
      assertThat(answer.text()).doesNotContain("outside");
    }
  }

  @Test
  void namesThatAreHtmlAreOnlyData() throws IOException {
    String name = "<b onmouseover=alert(1)>x";
    finished(name, "\"<script>alert(1)</script>\"", "1");
    Answer answer = RawClient.get(server.url(), "/api/runs");

    assertThat(answer.header("content-type")).startsWith("application/json");
    assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(listed()).containsKey(name);
  }
}
