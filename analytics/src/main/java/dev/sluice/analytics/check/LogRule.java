package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Row.NONE;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.file.GzipMember;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds config.yaml to the header of the run's log, and each row to its records: requests,
 * decisions, completions and outcomes. Of several records of one thing the first counts, as
 * delivery is at least once.
 */
final class LogRule extends Numbers {
  private static final String FILE = "log.jsonl.gz";
  private static final long VERSION = 1;
  private static final long GRAIN_NS = 2 * HALF_GRAIN_NS;
  private static final List<String> CAUSES = List.of("tokens", "window", "capability", "policy");
  private static final int BUFFER_BYTES = 1 << 16;
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build();

  private final Set<Row> begun = new HashSet<>();
  private final Set<Row> ended = new HashSet<>();
  private final Set<String> withoutRow = new HashSet<>();
  private final Map<Batch, Long> incarnations = new HashMap<>();
  private final Set<String> interrupted = new HashSet<>();
  private final Map<String, BitSet> offsets = new HashMap<>();
  private long zeroEpochMs;
  private boolean hasEnded;

  // what the log says of itself, and what it comes to
  private String headersDigests = "";
  private String sha256Said = "";
  private long recordsSaid = NONE;
  private long records;
  private long jobs;
  private long lastEndNs = Long.MIN_VALUE;
  private long saidEndNs = Long.MAX_VALUE;
  private long saidJobs = NONE;

  // what only the log tells of a run

  /** Most lanes that each executor reported. */
  private final Map<String, Integer> lanesByExecutor = new HashMap<>();

  /** Time of the window in which lanes stood idle beside work that waited, by cause. */
  private final Map<String, Long> blockedNs = new HashMap<>();

  /** Processor time that retraining took, by executor and incarnation. */
  private final Map<String, Long> fitCpuNs = new HashMap<>();

  /** Largest distance of a clock from the broker's. */
  private long clockOffsetNs;

  /** Jobs that no generator sent, by the run's end; {@link Row#NONE} if it does not say. */
  private long neverSent = NONE;

  LogRule(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    Path file = folder.path().resolve(FILE);
    if (!Files.exists(file)) {
      findings.leaveOut(Rule.LOG, "the folder has no " + FILE);
      return;
    }
    try (GzipMember in = GzipMember.open(Files.newInputStream(file), BUFFER_BYTES);
        JsonParser json = JSON.createParser(in)) {
      while (json.nextToken() != null) {
        take(JSON.readTree(json));
      }
      if (in.hasBytesBehindEnd()) {
        fault(FILE, "there are bytes behind its end");
      }
      said("checksum", sha256Said, digest(file));
      said("number of records", recordsSaid, records);
    } catch (IOException | RuntimeException e) {
      fault(FILE, "it cannot be read to its end (%s)", UserMistakeException.reason(e));
      return;
    }
    checkWhole();
    checkSummary();
  }

  /** The SHA-256 of the bytes of all whole lines but the last, which tells it. */
  private static String digest(Path file) throws IOException {
    MessageDigest sha256 = Sha256.begin();
    var last = new ByteArrayOutputStream();
    try (GzipMember in = GzipMember.open(Files.newInputStream(file), BUFFER_BYTES)) {
      var block = new byte[BUFFER_BYTES];
      byte before = 0;
      int count;
      while ((count = in.readNBytes(block, 0, block.length)) > 0) {
        int begin = count - 1; // of the last line that begins here; -1: none does
        while (begin >= 0 && (begin > 0 ? block[begin - 1] : before) != '\n') {
          begin--;
        }
        if (begin >= 0) {
          sha256.update(last.toByteArray());
          last.reset();
          sha256.update(block, 0, begin);
        }
        last.write(block, Math.max(0, begin), count - Math.max(0, begin));
        before = block[count - 1];
      }
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  private void take(JsonNode line) {
    if (!text(line, "sluice").isEmpty()) {
      header(line);
      return;
    }
    if (number(line, "records") != NONE) {
      recordsSaid = number(line, "records");
      sha256Said = text(line, "sha256");
      return;
    }
    records++;
    once(line);
    JsonNode event = line.path("event");
    long shard = Math.max(0, number(line, "partition"));
    long appendedNs = (Math.max(0, number(line, "appended_ms")) - zeroEpochMs) * APPEND_GRAIN_NS;
    switch (text(event, "type")) {
      case "JobRequested" -> request(event, shard, appendedNs);
      case "JobEnded" -> end(event, shard, appendedNs);
      case "BatchDispatched" -> dispatch(event, shard);
      case "BatchCompleted" -> completion(event, shard, appendedNs);
      case "ExecutorReported" -> report(event);
      case "ArrivalsEnded" ->
          clockOffsetNs = Math.max(clockOffsetNs, number(event, "clockOffsetNsMax"));
      case "Blocked" -> {
        long beginNs = Math.max(fromNs, Math.max(0, number(event, "fromNs")));
        long endNs = Math.min(toNs, Math.max(0, number(event, "toNs")));
        blockedNs.merge(text(event, "cause"), Math.max(0, endNs - beginNs), Long::sum);
      }
      case "RunStarted" -> {
        said("run id", text(event, "runId"), folder.summary().path("run_id").asText());
        said("seed", number(event, "seed"), config.whole("seed"));
        said("time zero", number(event, "timeZeroEpochMs"), zeroEpochMs);
        said(
            "digests",
            text(event, "requestDigest") + " " + text(event, "configDigest"),
            headersDigests);
      }
      case "RunEnded" -> runEnd(event);
      default -> {}
    }
  }

  private void header(JsonNode line) {
    JsonNode summary = folder.summary();
    zeroEpochMs = Math.max(0, number(line, "time_zero_epoch_ms"));
    headersDigests = text(line, "request_digest") + " " + text(line, "config_digest");
    said("version", number(line, "version"), VERSION);
    said("kind", text(line, "kind"), "log");
    said("run id", text(line, "run_id"), summary.path("run_id").asText());
    said(
        "digests",
        headersDigests,
        summary.path("request_digest").asText() + " " + summary.path("config_digest").asText());
    experiment(text(line, "experiment"));
  }

  private void once(JsonNode line) {
    String partition = text(line, "topic") + "/" + Math.max(0, number(line, "partition"));
    BitSet known = offsets.computeIfAbsent(partition, any -> new BitSet());
    long offset = Math.max(0, number(line, "offset"));
    if (offset < Integer.MAX_VALUE) {
      if (known.get((int) offset)) {
        fault(FILE, "offset (%d) of (%s) stands there twice", offset, partition);
      }
      known.set((int) offset);
    }
  }

  private void said(String what, Object said, Object wanted) {
    if (!said.equals(wanted)) {
      fault(FILE, "its %s is (%s), and should be (%s)", what, said, wanted);
    }
  }

  /** What config.yaml says, but for what the run recorded there, stands in the log's header. */
  private void experiment(String text) {
    if (text.isEmpty()) {
      return; // a log of an earlier Sluice
    }
    RunConfig logged = RunConfig.parse(text);
    Set<String> keys = new TreeSet<>(logged.values().keySet());
    keys.addAll(config.values().keySet());
    keys.remove("recorded");
    for (String key : keys) {
      if (!Objects.equals(config.at(key), logged.at(key))) {
        fault(
            RunFolder.CONFIG + " " + key,
            "it says (%s), and the log (%s)".formatted(config.at(key), logged.at(key)));
      }
    }
  }

  private void request(JsonNode event, long shard, long appendedNs) {
    String id = text(event, "jobId");
    Job job = folder.jobById().get(id);
    if (job == null) {
      if (withoutRow.add(id)) {
        fault(RunFolder.TRACE, "job (%s) is in the log, and has no row", id);
      }
      return;
    }
    if (!begun.add(job)) {
      return;
    }
    jobs++;
    looked(Rule.LOG);
    equal(job, "class_type", job.classType, text(event, "classType"));
    equal(job, "workload_name", job.workload, text(event, "workload"));
    equal(job, "backend", job.backend, text(event, "backend"));
    equal(job, "precision", job.precision, text(event, "precision"));
    equal(job, "batch_size", job.samples, number(event, "samples"));
    equal(job, "slo_ms", job.sloNs, number(event, "sloNs"));
    near(job, "enqueue_time", job.enqueueNs, number(event, "intendedAtNs"));
    near(job, "sent_time", job.sentNs, number(event, "sentAtNs"));
    equal(job, "appended_time", job.appendedNs, appendedNs);
    equal(job, "shard", job.shard, shard);
  }

  private void end(JsonNode event, long shard, long appendedNs) {
    Job job = folder.jobById().get(text(event, "jobId"));
    lastEndNs = Math.max(lastEndNs, number(event, "endedAtNs"));
    if (job == null) {
      return; // the request says that there is no row
    }
    if (!ended.add(job)) {
      fault(Rule.JOB_ONCE, job, "job (%s) has two outcomes in the log", job.id);
      return;
    }
    looked(Rule.LOG);
    if (!job.status.equals("open")) {
      equal(job, "status", job.status, text(event, "status").toLowerCase(Locale.ROOT));
      equal(job, "reason", job.reason, text(event, "reason"));
    }
    equal(job, "dispatch_id", job.dispatchId, text(event, "dispatchId"));
    equal(job, "attempt", job.attempt, number(event, "attempt"));
    equal(job, "observed_time", job.observedNs, appendedNs);
    equal(job, "shard", job.shard, shard);
  }

  private void dispatch(JsonNode event, long shard) {
    String key = shard + "/" + text(event, "dispatchId");
    Batch batch = folder.batchByKey().get(key);
    if (batch == null) {
      if (withoutRow.add(key)) {
        fault(RunFolder.DISPATCHES, "dispatch (%s) is in the log, and has no row", key);
      }
      return;
    }
    if (!begun.add(batch)) {
      return;
    }
    looked(Rule.LOG);
    String lane = text(event, "executorId") + "/" + whole(event.path("lanes").path(0));
    equal(batch, "lane_id", batch.lane, lane);
    incarnation(batch, number(event, "incarnation"));
    List<String> jobIds = new ArrayList<>();
    event.path("jobs").forEach(job -> jobIds.add(text(job, "jobId")));
    if (!batch.jobIds.equals(jobIds)) {
      fault(Rule.LOG, batch, "job_ids are %s, and the log says %s", batch.jobIds, jobIds);
    }
    equal(batch, "samples", batch.samples, number(event, "samples"));
    equal(batch, "tokens", batch.tokens, number(event, "tokens"));
    equal(batch, "attempt", batch.attempt, number(event, "attempt"));
    near(batch, "decided_time", batch.decidedNs, number(event, "decidedAtNs"));
    equal(batch, "predicted_service_ms", batch.predictedNs, number(event, "predictedServiceNs"));
    equal(batch, "predicted_quantile_ms", batch.quantileNs, number(event, "predictedQuantileNs"));
    equal(batch, "predicted_p95_ms", batch.p95Ns, number(event, "predictedP95Ns"));
    equal(batch, "predicted_p99_ms", batch.p99Ns, number(event, "predictedP99Ns"));
    equal(batch, "prediction_source", batch.source, text(event, "predictionSource"));
    equal(batch, "model_version", batch.modelVersion, text(event, "modelVersion"));
    equal(batch, "predicted_busy_lanes", batch.predictedBusyLanes, number(event, "busyLanes"));
    long notBeforeNs = number(event, "notBeforeNs");
    if (notBeforeNs != NONE
        && batch.ran()
        && !batch.result.equals("cancelled")
        && batch.startNs < notBeforeNs - GRAIN_NS) {
      fault(
          Rule.ORDER,
          batch,
          "(%s) began at (%s), and was not to begin before (%s)"
              .formatted(batch.id, seconds(batch.startNs), seconds(notBeforeNs)));
    }
  }

  private void completion(JsonNode event, long shard, long appendedNs) {
    Batch batch = folder.batchByKey().get(shard + "/" + text(event, "dispatchId"));
    if (batch == null) {
      return;
    }
    String lane = text(event, "executorId") + "/" + number(event, "lane");
    if (!lane.equals(batch.lane)) {
      fault(Rule.LOG, batch, "(%s) completed it, and lane_id is (%s)", lane, batch.lane);
    }
    if (!text(event, "cause").equals(BatchRules.OLDER_INCARNATION)) {
      incarnation(batch, number(event, "incarnation"));
    }
    if (!ended.add(batch)) {
      return;
    }
    looked(Rule.LOG);
    near(batch, "start_time", batch.startNs, number(event, "startedAtNs"));
    near(batch, "end_time", batch.endNs, number(event, "finishedAtNs"));
    if (batch.ran()) {
      equal(batch, "service_ms", batch.serviceNs, number(event, "serviceNs"));
      equal(batch, "switch_ms", batch.switchNs, number(event, "switchNs"));
      equal(batch, "emulated_service_ms", batch.emulatedNs, number(event, "emulatedServiceNs"));
      equal(batch, "busy_lanes", batch.busyLanes, number(event, "busyLanes"));
    }
    equal(batch, "completed_time", batch.completedNs, appendedNs);
    equal(batch, "cause", batch.cause, text(event, "cause"));
    if (!batch.result.equals("lost")) {
      equal(batch, "result", batch.result, text(event, "result").toLowerCase(Locale.ROOT));
    }
  }

  /** Holds the incarnation that a batch was sent to, and the one that completed it, to be one. */
  private void incarnation(Batch batch, long incarnation) {
    Long known = incarnations.put(batch, incarnation);
    if (known != null && known != NONE && known != incarnation) {
      fault(
          Rule.LOG,
          batch,
          "dispatch (%s) is of the executor's incarnations (%d) and (%d)"
              .formatted(batch.id, known, incarnation));
    }
  }

  private void runEnd(JsonNode event) {
    interrupted.add(text(event, "interrupted"));
    if (!hasEnded) {
      neverSent = number(event, "jobsNeverSent");
      if (text(event, "failure").isEmpty()) {
        saidEndNs = number(event, "endedAtNs");
        saidJobs = number(event, "jobsSent");
      }
    }
    hasEnded = true;
  }

  private void report(JsonNode event) {
    String executor = text(event, "executorId");
    lanesByExecutor.merge(executor, event.path("lanes").size(), Math::max);
    clockOffsetNs = Math.max(clockOffsetNs, number(event, "clockOffsetNsMax"));
    if (number(event, "fitCpuNs") != NONE) {
      String incarnation = executor + "/" + number(event, "incarnation");
      fitCpuNs.merge(incarnation, number(event, "fitCpuNs"), Math::max);
    }
  }

  private void checkWhole() {
    String said = folder.summary().path("interrupted").asText();
    if (!interrupted.isEmpty() && !interrupted.contains(said)) {
      fault("summary.json interrupted", "it says (%s), and the log says %s", said, interrupted);
    }
    if (lastEndNs > saidEndNs + APPEND_GRAIN_NS) {
      fault(
          FILE,
          "it says that the run ended at (%s), and a job did at (%s)"
              .formatted(seconds(saidEndNs), seconds(lastEndNs)));
    }
    if (saidJobs != NONE && saidJobs != jobs) {
      fault(FILE, "it says that (%d) jobs were sent, and has (%d)", saidJobs, jobs);
    }
    for (Job row : folder.jobs()) {
      Job first = folder.jobById().getOrDefault(row.id, row); // of this id
      checkMet(row, first, row.observedNs != NONE, "outcome");
    }
    for (Batch row : folder.batches()) {
      Batch first = folder.batchByKey().getOrDefault(row.key, row);
      checkMet(row, first, row.isAnswered(), "completion");
    }
  }

  /** Counts the numbers of summary.json that only the log tells. */
  private void checkSummary() {
    if (!lanesByExecutor.isEmpty()) {
      equal("lanes", lanesByExecutor.values().stream().mapToInt(lanes -> lanes).sum());
    }
    for (String cause : CAUSES) {
      equal("blocked_ms_" + cause, blockedNs.getOrDefault(cause, 0L) / 1e6);
    }
    equal("fit_cpu_seconds", fitCpuNs.values().stream().mapToLong(ns -> ns).sum() / 1e9);
    boolean says = folder.summary().has("jobs_never_sent"); // an earlier Sluice does not
    if (says || neverSent >= 0) {
      equal("jobs_never_sent", neverSent >= 0 ? neverSent : Double.NaN);
    }
    if (folder.summary().path("clock_offset_ms_max").isNumber()) {
      equal("clock_offset_ms_max", clockOffsetNs / 1e6);
    }
  }

  private void checkMet(Row row, Row first, boolean hasEnd, String end) {
    if (!begun.contains(first)) {
      fault(Rule.LOG, row, "%s is not in the log", row.words());
    } else if (hasEnd && !ended.contains(first)) {
      fault(Rule.LOG, row, "%s has no %s in the log", row.words(), end);
    }
  }

  /** Returns a text of a record, or its flag as true or false; empty if it has none. */
  private static String text(JsonNode of, String name) {
    JsonNode value = of.path(name);
    return value.isTextual() || value.isBoolean() ? value.asText() : "";
  }

  /** Returns a whole number of a record; {@code NONE} if it has none. */
  private static long number(JsonNode of, String name) {
    return whole(of.path(name));
  }

  private static long whole(JsonNode value) {
    return value.canConvertToLong() && value.isIntegralNumber() ? value.longValue() : NONE;
  }

  private void equal(Row row, String column, Object said, Object logged) {
    if (!said.equals(logged)) {
      fault(Rule.LOG, row, "%s is (%s), and the log says (%s)", column, said, logged);
    }
  }

  /** Compares times of which one was rounded. */
  private void near(Row row, String column, long said, long logged) {
    if (said == NONE || logged == NONE || Math.abs(said - logged) > GRAIN_NS) {
      equal(row, column, said, logged);
    }
  }

  private void fault(String where, String what, Object... values) {
    findings.fault(Rule.LOG, where, what, values);
  }
}
