package dev.sluice.harness.report;

import static dev.sluice.harness.report.PlantedFaultsTest.words;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.simulate.SimulatedFolder;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outcomes that the sound run does not have, planted so that they are legal, and just not so. */
final class PlantedOutcomesTest {
  @TempDir private static Path root;
  private static Path sound;

  @BeforeAll
  static void simulate() throws Exception {
    Path config = Files.writeString(root.resolve("planted.yaml"), PlantedFaultsTest.EXPERIMENT);
    sound = root.resolve("sound");
    SimulatedFolder.write(config, sound);
  }

  private static FolderCopy copy(String name) throws Exception {
    return FolderCopy.of(sound, root.resolve(name));
  }

  /** What the run was, and what a batch was predicted to take, of whom and beside whom. */
  @ParameterizedTest(name = "{0}: {1} {2} {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          NAME | summary | "simulated" : true | "simulated" : false
          NAME | summary | "emulated" : false | "emulated" : true
          NAME | config | lanes: "simulated" | lanes: "real"
          NAME | summary | "started_at" : "2 | "started_at" : "1
          NAME | summary | "ended_at" : "2 | "ended_at" : "1
          LOG | dispatches | result=done#20 | prediction_source:=guess
          LOG | dispatches | result=done#21 | predicted_quantile_ms:=9.000000
          LOG | dispatches | result=done#22 | predicted_p95_ms:=9.000000
          LOG | dispatches | result=done#23 | predicted_p99_ms:=9.000000
          LOG | dispatches | result=done#24 | model_version:=other
          LOG | dispatches | result=done#25 | predicted_busy_lanes+=1
          LOG | dispatches | result=done#26 | busy_lanes+=1
          LOG | config | total_tokens: 200 | total_tokens: 2000
          LOG | config | scheduler: {} | scheduler: {urgency_weight: 7}
          LOG | config | max_attempts: 3 | max_attempts: 9
          LOG | dispatches | result=done#27 | emulated_service_ms+=0.1
          """)
  void isFoundByItsRule(Rule rule, String file, String row, String change) throws Exception {
    FolderCopy copy = copy("%s-%s-%s".formatted(rule, row, change).replaceAll("\\W+", "."));
    copy.plant(file, row, change);
    assertThat(RunCheck.of(copy.folder()).faultCounts()).containsKey(rule);
  }

  /** Of two values of one name a reader may take either: that is no fault of a number. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          summary | "all_count" : | "all_count" : 3, "all_count" :
          summary | "all_count" : | "other" : {"a": 1, "a": 2}, "all_count" :
          config | scheduler_name: dynamic | scheduler_name: fifo${}scheduler_name: dynamic
          """)
  void aNameThatStandsTwice_isAMistake(String file, String sound, String planted) throws Exception {
    FolderCopy copy = copy("twice-" + file + planted.length());
    copy.plant(file, sound, planted.replace("${}", "\n"));
    assertThatThrownBy(() -> RunCheck.of(copy.folder()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContainingAll(file, "cannot be read")
        .hasMessageFindingMatch("stands there twice|duplicate key");
  }

  @Test
  void otherLineEndsOfTheLog_areFoundByItsChecksum() throws Exception {
    FolderCopy copy = copy("line-ends");
    Path file = copy.folder().resolve("log.jsonl.gz");
    String log;
    try (var gzip = new GZIPInputStream(Files.newInputStream(file))) {
      log = new String(gzip.readAllBytes(), UTF_8);
    }
    try (var gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write(log.replace("\n", "\r\n").getBytes(UTF_8));
    }
    assertThat(RunCheck.of(copy.folder()).faultCounts()).containsOnlyKeys(Rule.LOG);
    assertThat(words(copy, Rule.LOG)).singleElement().asString().contains("checksum");
  }

  @Test
  void textAfterTheSummary_isAMistake() throws Exception {
    Path file = copy("after").folder().resolve("summary.json");
    Files.writeString(file, "{\"all_count\": 3}", StandardOpenOption.APPEND);
    assertThatThrownBy(() -> RunCheck.of(file.getParent()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("summary.json");
  }

  /** A batch of one job that failed, and the job with it. */
  @Test
  void aFailedBatchIsNamedByTheJobThatItEnded() throws Exception {
    FolderCopy copy = copy("failed");
    String[] batch = batchOfOneJob(copy);
    String job = batch[copy.column("dispatches", "job_ids")];
    copy.plant("dispatches", "dispatch_id=" + batch[0], "result:=failed & cause:=broken");
    copy.plant("trace", "job_id=" + job, "status:=failed & reason:=broken & slo_violation:=1");
    copy.plant("trace", "job_id=" + job, "wait_ms:= & service_ms:= & e2e_ms:= & throughput_sps:=");
    copy.plant("trace", "job_id=" + job, "service_share_ms:=");
    assertThat(RunCheck.of(copy.folder()).faultCounts())
        .as("the log and the summary still say that it was done")
        .containsOnlyKeys(Rule.LOG, Rule.SUMMARY);

    copy.plant("trace", "job_id=" + job, "dispatch_id:=7-7");
    assertThat(words(copy, Rule.RESULT))
        .containsExactly(said(batch, "it failed, and no job names it"));

    copy.plant("trace", "job_id=" + job, "dispatch_id:=" + batch[0]);
    copy.plant("dispatches", "dispatch_id=" + batch[0], "cause:=");
    assertThat(words(copy, Rule.RESULT))
        .containsExactly(said(batch, "it failed, and never ran, or has no cause"));
  }

  private static String[] batchOfOneJob(FolderCopy copy) throws Exception {
    int jobs = copy.column("dispatches", "job_ids");
    return copy.rows("dispatches", "result", "done", "decided_time").stream()
        .filter(row -> !row[jobs].contains(" "))
        .skip(20)
        .findFirst()
        .orElseThrow();
  }

  private static String said(String[] batch, String what) {
    return "dispatch (%s): %s".formatted(batch[0], what);
  }

  @Test
  void aServiceTimeThatDoesNotAddUp_isToldInMilliseconds() throws Exception {
    FolderCopy copy = copy("sums");
    String[] job = copy.rows("trace", "status", "done", "start_time").get(50);
    BigDecimal wait = new BigDecimal(job[copy.column("trace", "wait_ms")]);
    BigDecimal service = new BigDecimal(job[copy.column("trace", "service_ms")]);
    BigDecimal latency = new BigDecimal(job[copy.column("trace", "e2e_ms")]);
    String id = job[copy.column("trace", "job_id")];
    copy.plant("trace", "job_id=" + id, "service_ms+=1");
    assertThat(words(copy, Rule.TIME))
        .contains(
            "wait_ms + service_ms are (%s) ms, and e2e_ms (%s)"
                .formatted(
                    wait.add(service).add(BigDecimal.ONE).doubleValue(), latency.doubleValue()));
  }

  /** With cpu_fallback, a batch that is larger than the whole budget runs outside of it. */
  @Test
  void aBatchOfTheWholeBudgetCounts_andALargerOneRunsOutsideOfIt() throws Exception {
    FolderCopy copy = copy("fallback");
    Files.delete(copy.folder().resolve("log.jsonl.gz")); // which says what the config was
    copy.plant("config", "cpu_fallback: false", "cpu_fallback: true");
    assertThat(RunCheck.of(copy.folder()).faults()).isEmpty();
    int tokens = copy.column("dispatches", "tokens");
    String[] largest = null;
    for (String[] row : copy.rows("dispatches", "result", "done", "decided_time")) {
      if (largest == null || Integer.parseInt(row[tokens]) > Integer.parseInt(largest[tokens])) {
        largest = row;
      }
    }
    copy.plant("config", "total_tokens: 200", "total_tokens: " + largest[tokens]);
    long counted = tokenFaults(copy);
    copy.plant("dispatches", "dispatch_id=" + largest[0], "tokens+=1");
    assertThat(tokenFaults(copy)).isLessThan(counted);
  }

  private static long tokenFaults(FolderCopy copy) throws Exception {
    return RunCheck.of(copy.folder()).faultCounts().getOrDefault(Rule.TOKENS, 0L);
  }

  /** Samples over the end of the last job, whose time was rounded to a microsecond. */
  @Test
  void theThroughputOfAnOfflineRun_isCountedToTheMicrosecond() throws Exception {
    String offline =
        PlantedFaultsTest.EXPERIMENT
            .replace("warmup_seconds: 1", "warmup_seconds: 0\nscenario: offline")
            .replace("_per_sec: 130", "_per_sec: 10")
            .replace("admission: expired\nmax_waiting: 30\n", "");
    Path folder = root.resolve("offline");
    SimulatedFolder.write(Files.writeString(root.resolve("offline.yaml"), offline), folder);
    CheckReport report = RunCheck.of(folder);
    assertThat(report.faults()).isEmpty();
    double stated =
        new ObjectMapper()
            .readTree(folder.resolve("summary.json").toFile())
            .path("offline_throughput_sps")
            .asDouble();
    new FolderCopy(folder)
        .plant(
            "summary",
            "\"offline_throughput_sps\" : " + stated,
            "\"offline_throughput_sps\" : " + stated * 1.00001);
    assertThat(RunCheck.of(folder).faultCounts()).containsOnlyKeys(Rule.SUMMARY);
  }
}
