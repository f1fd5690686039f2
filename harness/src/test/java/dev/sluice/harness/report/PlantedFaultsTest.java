package dev.sluice.harness.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.CheckReport.Fault;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.simulate.SimulatedFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A simulated run passes; each fault that is planted in its folder is found by its own rule. */
final class PlantedFaultsTest {
  static final String EXPERIMENT =
      """
      run_name: planted
      duration_seconds: 6
      warmup_seconds: 1
      tail_seconds: 2
      arrival_rate_jobs_per_sec: 130
      classes:
        interactive: {slo_ms: 80}
        batch: {slo_ms: 400}
      workloads:
        - {name: small, weight: 2, alpha_ms: 10, beta_ms: 3, tokens: 30}
        - {name: large, alpha_ms: 25, beta_ms: 6, tokens: 80}
      backends_enabled: [onnx]
      precision_modes: [fp32, fp16]
      batch_sizes: [1, 2, 4]
      scheduler_name: dynamic
      admission: expired
      max_waiting: 30
      microbatch: {window_ms: 10, max_batch: 8}
      resources: {total_tokens: 200}
      lanes: {num_lanes: 3, kind: emulated}
      """;

  @TempDir private static Path root;
  private static Path sound;
  private static int copies;

  @BeforeAll
  static void simulate() throws Exception {
    Path config = Files.writeString(root.resolve("planted.yaml"), EXPERIMENT);
    sound = root.resolve("sound");
    SimulatedFolder.write(config, sound);
  }

  @Test
  void theSoundRunPasses_andEachRuleOfARunLookedAtSomething() throws Exception {
    CheckReport report = RunCheck.of(sound);
    assertThat(report.faults()).isEmpty();
    assertThat(report.leftOut()).isEmpty();
    assertThat(report.passed()).isTrue();
    long rows = lines("trace.csv") + lines("dispatches.csv") - 2;
    assertThat(report.extent().rows()).isEqualTo(rows);
    assertThat(report.looked().get(Rule.COST)).isEqualTo(rows);
    assertThat(report.extent().numbers() + report.extent().resting().size())
        .isEqualTo(report.extent().numbersStated());
    assertThat(report.extent().resting())
        .as("numbers of which neither rows nor config nor log tell")
        .allMatch(name -> Set.of("schema_version", "processors", "memory_bytes").contains(name));
    assertThat(report.looked())
        .containsOnlyKeys(
            Rule.MEASURED,
            Rule.FORMAT,
            Rule.NAME,
            Rule.TIME,
            Rule.PROMISE,
            Rule.JOB_ONCE,
            Rule.BATCH_ONCE,
            Rule.RESULT,
            Rule.COPY,
            Rule.ATTEMPT,
            Rule.ORDER,
            Rule.LANE,
            Rule.LANE_OVERLAP,
            Rule.PHASE,
            Rule.CLASS,
            Rule.KIND,
            Rule.COST,
            Rule.TOKENS,
            Rule.COMPATIBLE,
            Rule.WINDOW,
            Rule.REQUESTS,
            Rule.DIGEST,
            Rule.LOG,
            Rule.SUMMARY);
  }

  private static long lines(String file) throws Exception {
    return Files.readAllLines(sound.resolve(file)).size();
  }

  @ParameterizedTest(name = "{0}: {1} {2} {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          MEASURED | config | warmup_seconds: 1 | warmup_seconds: 6
          MEASURED | trace | job_id=job-0 | cut
          MEASURED | trace | job_id=job-5 | cut
          FORMAT | trace | status=done#3 | wait_ms:=soon
          FORMAT | trace | status=done#4 | e2e_ms:=
          FORMAT | trace | status=done#5 | batch_size:=0
          FORMAT | trace | status=done#6 | observed_time:=
          FORMAT | trace | status=dropped#0 | wait_ms:=1.000000
          FORMAT | trace | status=done#7 | dispatch_samples:=
          FORMAT | trace | status=done#8 | predicted_service_ms:=
          FORMAT | trace | status=done#9 | decided_time:=
          FORMAT | trace | status=done#10 | lane_id:=
          FORMAT | trace | status=done#11 | end_time:=
          FORMAT | trace | status=done#12 | service_share_ms:=
          FORMAT | trace | status=done#13 | throughput_sps:=
          FORMAT | trace | status=done#14 | sent_time:=
          FORMAT | trace | status=done#15 | appended_time:=
          FORMAT | trace | status=done#16 | slo_ms:=0.000000
          FORMAT | trace | status=done#17 | dispatch_id:=
          FORMAT | trace | status=done#18 | service_ms:= & throughput_sps:=
          FORMAT | trace | status=done#19 | wait_ms:=
          FORMAT | trace | status=dropped#0 | start_time:=2.000000 & end_time:=2.100000
          FORMAT | dispatches | result=done#3 | result:=maybe
          FORMAT | dispatches | result=done#7 | end_time:=
          FORMAT | dispatches | result=done#13 | start_time:= & service_ms:= & switch_ms:= & emulated_service_ms:=
          FORMAT | dispatches | result=done#14 | end_time:= & service_ms:= & switch_ms:= & emulated_service_ms:=
          FORMAT | dispatches | result=done#8 | switch_ms:=
          FORMAT | dispatches | result=done#9 | decided_time:=
          FORMAT | dispatches | result=done#10 | predicted_service_ms:=
          FORMAT | dispatches | result=done#11 | lane_id:=
          FORMAT | dispatches | result=done#12 | attempt:=0
          FORMAT | dispatches | result=done#4 | service_ms:=
          FORMAT | dispatches | result=done#5 | completed_time:=
          FORMAT | dispatches | result=done#6 | samples:=1e3
          NAME | trace | status=done#3 | run_id:=other
          NAME | trace | status=done#4 | scheduler_name:=fifo
          NAME | summary | "scheduler_name" : "dynamic" | "scheduler_name" : "fifo"
          NAME | summary | "seed" : 42 | "seed" : 43
          NAME | summary | "run_name" : "planted" | "run_name" : "other"
          NAME | summary | "config_digest" : " | "config_digest" : "0
          NAME | summary | "scenario" : "server" | "scenario" : "offline"
          TIME | trace | status=done#3 | wait_ms+=0.01
          TIME | trace | status=done#4 | e2e_ms+=-0.01
          TIME | trace | status=done#5 | service_ms+=-1
          TIME | trace | status=done#6 | throughput_sps+=1
          TIME | trace | status=done#7 | service_share_ms+=0.1
          TIME | dispatches | result=done#7 | service_ms+=0.01
          TIME | dispatches | result=done#8 | end_time+=0.001
          PROMISE | trace | slo_violation=0#3 | slo_violation:=1
          PROMISE | trace | slo_violation=1#0 | slo_violation:=0
          PROMISE | trace | status=dropped#0 | slo_violation:=0
          PROMISE | trace | slo_violation=0#5 | slo_violation:=
          JOB_ONCE | trace | job_id=job-50 | twice
          JOB_ONCE | trace | job_id=job-50 | delete
          JOB_ONCE | trace | job_id=job-50 | job_id:=job-51
          JOB_ONCE | trace | status=dropped#0 | status:=open
          JOB_ONCE | trace | status=dropped#0 | reason:=
          JOB_ONCE | trace | status=done#9 | reason:=expired
          BATCH_ONCE | dispatches | result=done#9 | twice
          BATCH_ONCE | dispatches | result=done#9 | delete
          BATCH_ONCE | dispatches | result=done#9 | samples+=1
          BATCH_ONCE | dispatches | result=done#9 | job_ids:=job-9999
          BATCH_ONCE | dispatches | result=done#9 | job_ids:=job-3
          BATCH_ONCE | trace | status=done#20 | dispatch_id:=7-7
          BATCH_ONCE | dispatches | result=done#9 | shard:=1
          RESULT | dispatches | result=done#3 | result:=failed & cause:=broken
          RESULT | dispatches | result=done#4 | result:=lost
          RESULT | dispatches | result=done#5 | result:=refused & cause:=busy & start_time:= & end_time:=
          RESULT | dispatches | result=done#6 | result:=open
          RESULT | dispatches | result=done#7 | cause:=broken
          RESULT | trace | status=done#30 | status:=failed & reason:=broken & slo_violation:=1
          COPY | trace | status=done#3 | start_time+=0.001
          COPY | trace | status=done#4 | lane_id:=executor-0/9
          COPY | trace | status=done#5 | decided_time+=-0.001
          COPY | trace | status=done#6 | predicted_service_ms+=1
          COPY | trace | status=done#7 | dispatch_samples+=1
          COPY | dispatches | workload_name=small#5 | workload_name:=large
          COPY | dispatches | precision=fp32#5 | precision:=fp16
          ATTEMPT | trace | status=done#3 | attempt:=2
          ATTEMPT | trace | status=done#4 | attempt:=0
          ATTEMPT | dispatches | result=done#5 | attempt:=2
          ATTEMPT | dispatches | result=done#6 | attempt:=4
          ATTEMPT | trace | status=dropped#0 | attempt:=1
          ORDER | trace | status=done#3 | sent_time+=-0.01
          ORDER | trace | status=done#4 | appended_time+=-0.01
          ORDER | trace | status=done#5 | decided_time+=-1
          ORDER | trace | status=done#6 | observed_time+=-0.02
          ORDER | trace | status=done#7 | start_time+=-1
          ORDER | dispatches | result=done#7 | decided_time+=-1
          ORDER | dispatches | result=done#8 | completed_time+=-0.02
          LANE | dispatches | result=done#3 | lane_id:=executor-0/3
          LANE | dispatches | result=done#4 | lane_id:=executor-0
          LANE | dispatches | result=done#5 | lane_id:=/1
          LANE | config | num_lanes: 3 | num_lanes: 2
          LANE | summary | "lanes" : 3 | "lanes" : 2
          LANE_OVERLAP | dispatches | lane_id=executor-0/0#9 | start_time+=-1
          LANE_OVERLAP | dispatches | lane_id=executor-0/0#2 | end_time+=1
          LANE_OVERLAP | dispatches | lane_id=executor-0/1#20 | end_time+=0.4
          PHASE | trace | phase=measured#0 | phase:=warmup
          PHASE | trace | phase=warmup#3 | phase:=measured
          PHASE | trace | phase=tail#0 | phase:=measured
          PHASE | config | warmup_seconds: 1 | warmup_seconds: 2
          PHASE | config | duration_seconds: 6 | duration_seconds: 5
          CLASS | trace | class_type=interactive#3 | slo_ms:=81.000000
          CLASS | trace | class_type=batch#3 | slo_ms:=4000.000000
          CLASS | trace | class_type=batch#3 | class_type:=urgent
          CLASS | config | slo_ms: 80 | slo_ms: 90
          KIND | trace | workload_name=small#3 | workload_name:=medium
          KIND | trace | precision=fp16#3 | precision:=bf16
          KIND | trace | batch_size=2#3 | batch_size:=3
          KIND | trace | backend=onnx#3 | backend:=pytorch
          COST | trace | status=done#3 | resource_cost_tokens+=-1
          COST | dispatches | result=done#3 | tokens+=1
          COST | dispatches | precision=fp16#3 | tokens+=1
          COST | config | tokens: 30 | tokens: 31
          TOKENS | config | total_tokens: 200 | total_tokens: 150
          TOKENS | dispatches | result=done#9 | tokens:=201
          TOKENS | dispatches | result=done#12 | completed_time+=2
          COMPATIBLE | config | max_batch: 8 | max_batch: 4
          COMPATIBLE | config | policies: [batch_aware, dynamic] | policies: [batch_aware]
          COMPATIBLE | config | interactive: false, microbatch: true | interactive: false, microbatch: false
          WINDOW | config | window_ms: 10 | window_ms: 25
          WINDOW | config | max_batch: 8 | max_batch: 64
          WINDOW | trace | class_type=batch#40 | appended_time+=0.008
          REQUESTS | trace | job_id=job-40 | enqueue_time+=-0.002
          REQUESTS | trace | job_id=job-40 | delete
          REQUESTS | trace | job_id=job-700 | cut
          REQUESTS | trace | job_id=job-40 | job_id:=job-9000
          REQUESTS | trace | class_type=interactive#9 | class_type:=batch
          REQUESTS | trace | batch_size=4#9 | batch_size:=2
          REQUESTS | config | interactive_ratio: 0.3 | interactive_ratio: 0.31
          LOG | trace | status=done#40 | sent_time+=0.000100
          LOG | trace | job_id=job-790 | cut
          LOG | trace | status=dropped#0 | reason:=hopeless
          LOG | trace | status=done#41 | enqueue_time+=0.001000
          LOG | trace | status=done#42 | appended_time+=0.001000
          LOG | trace | status=done#43 | slo_ms+=1
          LOG | trace | status=done#44 | batch_size+=1
          LOG | trace | status=done#45 | backend:=pytorch
          LOG | trace | workload_name=small#46 | workload_name:=large
          LOG | trace | precision=fp16#47 | precision:=fp32
          LOG | trace | class_type=batch#48 | class_type:=interactive
          LOG | dispatches | result=done#20 | start_time+=0.001000
          LOG | dispatches | result=done#21 | end_time+=0.001000
          LOG | dispatches | result=done#22 | service_ms+=0.1
          LOG | dispatches | result=done#3 | predicted_service_ms+=0.000001
          LOG | dispatches | result=done#4 | switch_ms+=0.1
          LOG | summary | "interrupted" : false | "interrupted" : true
          SUMMARY | summary | "all_count" : | "all_count" : 3, "other" :
          SUMMARY | summary | "all_p99_e2e_ms" : | "all_p99_e2e_ms" : 3, "other" :
          SUMMARY | summary | "batch_slo_violation_rate" : | "batch_slo_violation_rate" : 0.5, "other" :
          SUMMARY | summary | "all_goodput_jobs_sec" : | "all_goodput_jobs_sec" : 3, "other" :
          SUMMARY | summary | "lane_use" : | "lane_use" : 0.5, "other" :
          SUMMARY | summary | "window_seconds" : | "window_seconds" : 6, "other" :
          SUMMARY | summary | "bubble_count" : | "bubble_count" : 1, "other" :
          SUMMARY | summary | "blocked_ms_tokens" : | "blocked_ms_tokens" : 1, "other" :
          SUMMARY | summary | "hop_p50_ms" : | "other" :
          SUMMARY | summary | "interrupted" : false | "interrupted" : true
          SUMMARY | summary | "jobs_never_sent" : | "other" :
          SUMMARY | summary | "clock_offset_ms_max" : null | "clock_offset_ms_max" : 3
          DIGEST | config | seed: 42 | seed: 43
          DIGEST | config | tail_seconds: 2 | tail_seconds: 4
          DIGEST | config | slo_ms: 400 | slo_ms: 500
          DIGEST | summary | "request_digest" : " | "request_digest" : "0
          """)
  void isFoundByItsRule(Rule rule, String file, String row, String change) throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("copy-" + copies++));
    copy.plant(file, row, change == null ? "" : change);
    CheckReport report = RunCheck.of(copy.folder());
    assertThat(report.faultCounts()).as("%s", report.faults()).containsKey(rule);
    assertThat(report.passed()).isFalse();
    assertThat(report.faults()).extracting(Fault::where).doesNotContain("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          LOG | "kind":"log" | "version":1 | "version":2
          LOG | "kind":"log" | "kind":"log" | "kind":"requests"
          LOG | "kind":"log" | "run_id":" | "run_id":"other-
          LOG | "kind":"log" | "request_digest":" | "request_digest":"0
          LOG | "kind":"log" | "config_digest":" | "config_digest":"0
          LOG | "type":"RunStarted" | "seed":42 | "seed":43
          LOG | "type":"RunStarted" | "runId":" | "runId":"other-
          LOG | "type":"RunStarted" | "timeZeroEpochMs":1 | "timeZeroEpochMs":2
          LOG | "type":"RunEnded" | "jobsSent": | "jobsSent":1
          LOG | "type":"RunEnded" | "endedAtNs":[0-9]+ | "endedAtNs":3000000000
          JOB_ONCE | "type":"JobEnded" | "offset":[0-9]+(.*)"status":"[A-Z]+" | twice "offset":1000000$1"status":"FAILED"
          LOG | "type":"BatchCompleted" | "lane":[0-9] | "lane":7
          LOG | "type":"BatchCompleted" | "executorId":" | "executorId":"x
          LOG | "type":"BatchCompleted" | "incarnation":1 | "incarnation":2
          LOG | "type":"JobRequested" | "type" | twice "type"
          LOG | "sha256" | "sha256":". | "sha256":"x
          LOG | "sha256" | "records":[0-9]+ | "records":7
          """)
  void aFaultInTheLog_isFoundByItsRule(Rule rule, String line, String part, String planted)
      throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("copy-" + copies++));
    copy.plantInLog(line, part, planted);
    CheckReport report = RunCheck.of(copy.folder());
    assertThat(report.faultCounts()).as("%s", report.faults()).containsKey(rule);
  }

  @ParameterizedTest
  @CsvSource({"trace, enqueue_time", "dispatches, decided_time"})
  void rowsThatStandInAnotherOrder_areFound(String table, String time) throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("copy-" + copies++));
    copy.turnRound(table);
    assertThat(words(copy, Rule.FORMAT)).contains("the rows do not stand by " + time);
  }

  @Test
  void lanesThatCountThemselvesAlone_areFound() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("copy-" + copies++));
    Files.delete(copy.folder().resolve("log.jsonl.gz"));
    copy.plantInAll("dispatches", "busy_lanes", "1");
    assertThat(words(copy, Rule.LANE))
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("busy_lanes of (executor-0) are too few in (");
  }

  /** Another batch that the job names exists, and holds other jobs. */
  @Test
  void aJobThatNamesABatchWithoutIt_isFound() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("other-batch"));
    String other = copy.rows("dispatches", "result", "done", "decided_time").get(30)[0];
    copy.plant("trace", "status=done#3", "dispatch_id:=" + other);
    assertThat(words(copy, Rule.BATCH_ONCE)).anyMatch(text -> text.contains("does not hold it"));
    assertThat(words(copy, Rule.RESULT)).anyMatch(text -> text.contains(", and ran in ("));
  }

  /** A job that was done twice: the second batch was decided after the first had been answered. */
  @Test
  void aJobInTwoDoneBatches_isFound() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("twice-done"));
    String[] later = copy.rows("dispatches", "result", "done", "decided_time").get(60);
    String jobs = later[copy.column("dispatches", "job_ids")];
    String[] first = copy.rows("trace", "status", "done", "start_time").get(3);
    String job = first[copy.column("trace", "job_id")];
    copy.plant("dispatches", "dispatch_id=" + later[0], "job_ids:=" + jobs + " " + job);
    assertThat(words(copy, Rule.RESULT)).anyMatch(text -> text.contains("and then again in"));
  }

  static List<String> words(FolderCopy copy, Rule rule) throws Exception {
    return RunCheck.of(copy.folder()).faults().stream()
        .filter(fault -> fault.rule() == rule)
        .map(Fault::what)
        .toList();
  }

  /** The third batch of a lane overlaps the second alone, and then the first alone. */
  @Test
  void aBatchThatOverlapsAnyOtherOfItsLane_isFound() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("lane"));
    List<String[]> rows = copy.rows("dispatches", "lane_id", "executor-0/1", "start_time");
    String[] first = rows.get(4);
    String[] second = rows.get(5);
    String[] third = rows.get(6);
    int start = copy.column("dispatches", "start_time");
    int end = copy.column("dispatches", "end_time");
    double gap = Double.parseDouble(third[start]) - Double.parseDouble(second[end]);
    copy.plant("dispatches", "dispatch_id=" + third[0], "start_time+=" + (-gap - 0.001));
    assertThat(overlaps(copy)).containsExactly(List.of(second[0], third[0]));

    FolderCopy covered = FolderCopy.of(sound, root.resolve("covered"));
    double more = Double.parseDouble(third[start]) - Double.parseDouble(first[end]) + 0.001;
    covered.plant("dispatches", "dispatch_id=" + first[0], "end_time+=" + more);
    assertThat(overlaps(covered))
        .containsExactly(List.of(first[0], second[0]), List.of(first[0], third[0]));
  }

  /** Dispatches that share a lane at a time, in pairs, by the words of the faults. */
  private static List<List<String>> overlaps(FolderCopy copy) throws Exception {
    return words(copy, Rule.LANE_OVERLAP).stream()
        .map(text -> text.split("[()]"))
        .map(parts -> List.of(parts[3], parts[7]))
        .toList();
  }

  /** Tokens that are given back at the instant at which others are taken made room for them. */
  @Test
  void aBudgetThatIsExactlyFull_isNoFault() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("full"));
    List<long[]> changes = new ArrayList<>();
    for (String[] row : copy.rows("dispatches", "result", "done", "decided_time")) {
      long tokens = Long.parseLong(row[copy.column("dispatches", "tokens")]);
      changes.add(new long[] {micros(row[copy.column("dispatches", "decided_time")]), tokens});
      changes.add(new long[] {micros(row[copy.column("dispatches", "completed_time")]), -tokens});
    }
    long most = mostHeld(changes, Comparator.comparingLong(change -> change[1]));
    long takenFirst = mostHeld(changes, Comparator.comparingLong(change -> -change[1]));
    assertThat(takenFirst).as("the order at one instant matters").isGreaterThan(most);

    Files.delete(copy.folder().resolve("log.jsonl.gz")); // which says what the budget was
    copy.plant("config", "total_tokens: 200", "total_tokens: " + most);
    assertThat(RunCheck.of(copy.folder()).faults()).isEmpty();
    copy.plant("config", "total_tokens: " + most, "total_tokens: " + (most - 1));
    assertThat(RunCheck.of(copy.folder()).faultCounts()).containsKey(Rule.TOKENS);
  }

  private static long micros(String seconds) {
    return Math.round(Double.parseDouble(seconds) * 1e6);
  }

  private static long mostHeld(List<long[]> changes, Comparator<long[]> atOneInstant) {
    List<long[]> inOrder = new ArrayList<>(changes);
    inOrder.sort(Comparator.<long[]>comparingLong(c -> c[0]).thenComparing(atOneInstant));
    long held = 0;
    long most = 0;
    for (long[] change : inOrder) {
      held += change[1];
      most = Math.max(most, held);
    }
    return most;
  }

  /** A letter that is broken is no letter that a decoder may choose. */
  @ParameterizedTest
  @ValueSource(strings = {"trace", "dispatches"})
  void aTableThatIsNotUtf8_isRefusedWithItsLine(String table) throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("encoding-" + table));
    Path file = copy.folder().resolve(table + ".csv");
    byte[] bytes = Files.readAllBytes(file);
    int start = new String(bytes, ISO_8859_1).indexOf('\n', 2_000) + 1;
    int line = 1 + (int) new String(bytes, 0, start, ISO_8859_1).lines().count();
    bytes[start] = (byte) 0xE4;
    Files.write(file, bytes);
    assertThatThrownBy(() -> RunCheck.of(copy.folder()))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(file + ":" + line + ": error: the file is not UTF-8 text");
  }

  /** Each number that the summary states, one at a time: none passes with another value. */
  @Test
  void noNumberOfTheSummaryPassesWithAnotherValue() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("summary"));
    Path file = copy.folder().resolve("summary.json");
    ObjectMapper json = new ObjectMapper();
    Set<String> rest = Set.copyOf(RunCheck.of(sound).extent().resting());
    List<String> passed = new ArrayList<>();
    List<String> paths = new ArrayList<>();
    collect("", json.readTree(file.toFile()), paths);
    Collections.shuffle(paths, new Random(1));
    for (String path : paths.subList(0, Math.min(150, paths.size()))) {
      JsonNode summary = json.readTree(sound.resolve("summary.json").toFile());
      int cut = path.lastIndexOf('/');
      JsonNode parent = summary.at(path.substring(0, cut));
      double stated = summary.at(path).asDouble();
      // the order of batches that began in one microsecond is not in the rows
      double change = path.contains("autocorrelation") ? 1 : 0.02 + Math.abs(stated) / 50;
      ((ObjectNode) parent).put(path.substring(cut + 1), stated + change);
      json.writeValue(file.toFile(), summary);
      String name = path.substring(1).replace('/', '.');
      if (!rest.contains(name) && RunCheck.of(copy.folder()).passed()) {
        passed.add(name);
      }
    }
    assertThat(passed).isEmpty();
    assertThat(paths).hasSizeGreaterThan(250);
  }

  private static void collect(String path, JsonNode node, List<String> paths) {
    if (node.isNumber()) {
      paths.add(path);
    } else if (node.isObject()) {
      node.properties().forEach(f -> collect(path + "/" + f.getKey(), f.getValue(), paths));
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        collect(path + "/" + i, node.get(i), paths);
      }
    }
  }
}
