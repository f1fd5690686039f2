package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Cells.NONE;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.file.GzipMember;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds config.yaml to the header of the run's log, and each row to its records: requests,
 * decisions, completions and outcomes. Of several records of one thing the first counts, as
 * delivery is at least once.
 */
final class LogRule {
  private static final String FILE = "log.jsonl.gz";
  private static final long VERSION = 1;
  private static final long GRAIN_NS = 1_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build();

  private final RunFolder folder;
  private final Findings findings;
  private final BitSet requested = new BitSet();
  private final BitSet ended = new BitSet();
  private final BitSet dispatched = new BitSet();
  private final BitSet completed = new BitSet();
  private final Set<String> withoutRow = new HashSet<>();
  private final Map<String, Integer> lanes = new HashMap<>();
  private final Map<String, Long> fitCpuNs = new HashMap<>();
  private final List<LogSums.Blocked> blocked = new ArrayList<>();
  private final Set<String> interrupted = new HashSet<>();
  private long clockOffsetNs;
  private long zeroEpochMs;
  private long neverSent = NONE;
  private boolean hasEnded;

  // what the log says of itself, and what it comes to
  private final Map<String, BitSet> offsets = new HashMap<>();
  private final long[] incarnations;
  private String headersDigests = "";
  private String sha256Said = "";
  private long recordsSaid = NONE;
  private long records;
  private long jobs;
  private long lastEndNs = Long.MIN_VALUE;
  private long saidEndNs = Long.MAX_VALUE;
  private long saidJobs = NONE;

  LogRule(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
    incarnations = new long[folder.batches().size()];
    Arrays.fill(incarnations, NONE);
  }

  /** Checks all rows, and returns what only the log tells; empty if the folder has no log. */
  Optional<LogSums> check() {
    Path file = folder.path().resolve(FILE);
    if (!Files.exists(file)) {
      findings.leaveOut(Rule.LOG, "the folder has no " + FILE);
      return Optional.empty();
    }
    try (GzipMember in = GzipMember.open(Files.newInputStream(file), BUFFER_BYTES);
        LastLineApart lines = new LastLineApart(in);
        JsonParser json = JSON.createParser(lines)) {
      while (json.nextToken() != null) {
        take(JSON.readTree(json));
      }
      if (in.hasBytesBehindEnd()) {
        fault(FILE, "there are bytes behind its end");
      }
      said("checksum", sha256Said, lines.sha256());
      said("number of records", recordsSaid, records);
    } catch (IOException | RuntimeException e) {
      fault(FILE, "it cannot be read to its end (" + UserMistakeException.reason(e) + ")");
      return Optional.empty();
    }
    checkWhole();
    return Optional.of(new LogSums(lanes, blocked, fitCpuNs, clockOffsetNs, neverSent));
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
    long appendedNs = (Math.max(0, number(line, "appended_ms")) - zeroEpochMs) * NS_PER_MS;
    switch (text(event, "type")) {
      case "JobRequested" -> request(event, shard, appendedNs);
      case "JobEnded" -> end(event, shard, appendedNs);
      case "BatchDispatched" -> dispatch(event, shard);
      case "BatchCompleted" -> completion(event, shard, appendedNs);
      case "ExecutorReported" -> report(event);
      case "ArrivalsEnded" ->
          clockOffsetNs = Math.max(clockOffsetNs, number(event, "clockOffsetNsMax"));
      case "Blocked" ->
          blocked.add(
              new LogSums.Blocked(
                  Math.max(0, number(event, "fromNs")),
                  Math.max(0, number(event, "toNs")),
                  text(event, "cause")));
      case "RunStarted" -> {
        said("run id", text(event, "runId"), folder.summary().path("run_id").asText());
        said("seed", number(event, "seed"), folder.config().whole("seed"));
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

  /** Each offset of a partition stands once. */
  private void once(JsonNode line) {
    String partition = text(line, "topic") + "/" + Math.max(0, number(line, "partition"));
    BitSet known = offsets.computeIfAbsent(partition, any -> new BitSet());
    long offset = Math.max(0, number(line, "offset"));
    if (offset < Integer.MAX_VALUE && wasMet(known, (int) offset)) {
      fault(FILE, "offset (%d) of (%s) stands there twice".formatted(offset, partition));
    }
  }

  private void said(String what, Object said, Object wanted) {
    if (!said.equals(wanted)) {
      fault(FILE, "its %s is (%s), and should be (%s)".formatted(what, said, wanted));
    }
  }

  /** What config.yaml says, but for what the run recorded there, stands in the log's header. */
  private void experiment(String text) {
    if (text.isEmpty()) {
      return; // a log of an earlier Sluice
    }
    RunConfig logged = RunConfig.parse(text);
    Set<String> keys = new TreeSet<>(logged.values().keySet());
    keys.addAll(folder.config().values().keySet());
    keys.remove("recorded");
    for (String key : keys) {
      Object said = folder.config().at(key);
      if (!Objects.equals(said, logged.at(key))) {
        fault(
            RunFolder.CONFIG + " " + key,
            "it says (%s), and the log (%s)".formatted(said, logged.at(key)));
      }
    }
  }

  private void request(JsonNode event, long shard, long appendedNs) {
    String id = text(event, "jobId");
    Job job = folder.jobById().get(id);
    if (job == null) {
      if (withoutRow.add(id)) {
        fault(RunFolder.TRACE, "job (%s) is in the log, and has no row".formatted(id));
      }
      return;
    }
    if (wasMet(requested, job.row)) {
      return;
    }
    jobs++;
    findings.looked(Rule.LOG, 1);
    equal(job.where, "class_type", job.classType, text(event, "classType"));
    equal(job.where, "workload_name", job.workload, text(event, "workload"));
    equal(job.where, "backend", job.backend, text(event, "backend"));
    equal(job.where, "precision", job.precision, text(event, "precision"));
    equal(job.where, "batch_size", job.samples, number(event, "samples"));
    equal(job.where, "slo_ms", job.sloNs, number(event, "sloNs"));
    near(job.where, "enqueue_time", job.enqueueNs, number(event, "intendedAtNs"));
    near(job.where, "sent_time", job.sentNs, number(event, "sentAtNs"));
    equal(job.where, "appended_time", job.appendedNs, appendedNs);
    equal(job.where, "shard", job.shard, shard);
  }

  private void end(JsonNode event, long shard, long appendedNs) {
    Job job = folder.jobById().get(text(event, "jobId"));
    lastEndNs = Math.max(lastEndNs, number(event, "endedAtNs"));
    if (job == null) {
      return; // the request says that there is no row
    }
    if (wasMet(ended, job.row)) {
      findings.fault(
          Rule.JOB_ONCE, job.where, "job (%s) has two outcomes in the log".formatted(job.id));
      return;
    }
    findings.looked(Rule.LOG, 1);
    String status = text(event, "status").toLowerCase(Locale.ROOT);
    if (!job.status.equals("open")) {
      equal(job.where, "status", job.status, status);
      equal(job.where, "reason", job.reason, text(event, "reason"));
    }
    equal(job.where, "dispatch_id", job.dispatchId, text(event, "dispatchId"));
    equal(job.where, "attempt", job.attempt, number(event, "attempt"));
    equal(job.where, "observed_time", job.observedNs, appendedNs);
    equal(job.where, "shard", job.shard, shard);
  }

  private void dispatch(JsonNode event, long shard) {
    String key = shard + "/" + text(event, "dispatchId");
    Batch batch = folder.batchByKey().get(key);
    if (batch == null) {
      if (withoutRow.add(key)) {
        fault(RunFolder.DISPATCHES, "dispatch (%s) is in the log, and has no row".formatted(key));
      }
      return;
    }
    if (wasMet(dispatched, batch.row)) {
      return;
    }
    findings.looked(Rule.LOG, 1);
    equal(
        batch.where,
        "lane_id",
        batch.lane,
        text(event, "executorId") + "/" + whole(event.path("lanes").path(0)));
    incarnation(batch, number(event, "incarnation"));
    List<String> jobIds = new ArrayList<>();
    event.path("jobs").forEach(job -> jobIds.add(text(job, "jobId")));
    if (!batch.jobIds.equals(jobIds)) {
      fault(batch.where, "job_ids are %s, and the log says %s".formatted(batch.jobIds, jobIds));
    }
    equal(batch.where, "samples", batch.samples, number(event, "samples"));
    equal(batch.where, "tokens", batch.tokens, number(event, "tokens"));
    equal(batch.where, "attempt", batch.attempt, number(event, "attempt"));
    near(batch.where, "decided_time", batch.decidedNs, number(event, "decidedAtNs"));
    prediction(event, batch);
    long notBeforeNs = number(event, "notBeforeNs");
    if (notBeforeNs != NONE
        && batch.ran()
        && !batch.result.equals("cancelled")
        && batch.startNs < notBeforeNs - GRAIN_NS) {
      findings.fault(
          Rule.ORDER,
          batch.where,
          "(%s) began at (%s), and was not to begin before (%s)"
              .formatted(batch.id, JobRules.seconds(batch.startNs), JobRules.seconds(notBeforeNs)));
    }
  }

  private void prediction(JsonNode event, Batch batch) {
    String where = batch.where;
    equal(where, "predicted_service_ms", batch.predictedNs, number(event, "predictedServiceNs"));
    equal(where, "predicted_quantile_ms", batch.quantileNs, number(event, "predictedQuantileNs"));
    equal(where, "predicted_p95_ms", batch.p95Ns, number(event, "predictedP95Ns"));
    equal(where, "predicted_p99_ms", batch.p99Ns, number(event, "predictedP99Ns"));
    equal(where, "prediction_source", batch.source, text(event, "predictionSource"));
    equal(where, "model_version", batch.modelVersion, text(event, "modelVersion"));
    equal(where, "predicted_busy_lanes", batch.predictedBusyLanes, number(event, "busyLanes"));
  }

  private void completion(JsonNode event, long shard, long appendedNs) {
    Batch batch = folder.batchByKey().get(shard + "/" + text(event, "dispatchId"));
    if (batch == null) {
      return;
    }
    String lane = text(event, "executorId") + "/" + number(event, "lane");
    if (!lane.equals(batch.lane)) {
      fault(batch.where, "(%s) completed it, and lane_id is (%s)".formatted(lane, batch.lane));
    }
    if (!text(event, "cause").equals(BatchRules.OLDER_INCARNATION)) {
      incarnation(batch, number(event, "incarnation"));
    }
    if (wasMet(completed, batch.row)) {
      return;
    }
    findings.looked(Rule.LOG, 1);
    near(batch.where, "start_time", batch.startNs, number(event, "startedAtNs"));
    near(batch.where, "end_time", batch.endNs, number(event, "finishedAtNs"));
    if (batch.ran()) {
      equal(batch.where, "service_ms", batch.serviceNs, number(event, "serviceNs"));
      equal(batch.where, "switch_ms", batch.switchNs, number(event, "switchNs"));
      equal(
          batch.where, "emulated_service_ms", batch.emulatedNs, number(event, "emulatedServiceNs"));
      equal(batch.where, "busy_lanes", batch.busyLanes, number(event, "busyLanes"));
    }
    equal(batch.where, "completed_time", batch.completedNs, appendedNs);
    equal(batch.where, "cause", batch.cause, text(event, "cause"));
    String result = text(event, "result").toLowerCase(Locale.ROOT);
    if (!batch.result.equals("lost")) {
      equal(batch.where, "result", batch.result, result);
    }
  }

  /** Holds the incarnation that a batch was sent to, and the one that completed it, to be one. */
  private void incarnation(Batch batch, long incarnation) {
    long known = incarnations[batch.row];
    if (known != NONE && known != incarnation) {
      fault(
          batch.where,
          "dispatch (%s) is of the executor's incarnations (%d) and (%d)"
              .formatted(batch.id, known, incarnation));
    }
    incarnations[batch.row] = incarnation;
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
    lanes.merge(executor, event.path("lanes").size(), Math::max);
    clockOffsetNs = Math.max(clockOffsetNs, number(event, "clockOffsetNsMax"));
    if (number(event, "fitCpuNs") != NONE) {
      String incarnation = executor + "/" + number(event, "incarnation");
      fitCpuNs.merge(incarnation, number(event, "fitCpuNs"), Math::max);
    }
  }

  private void checkWhole() {
    String said = folder.summary().path("interrupted").asText();
    if (!interrupted.isEmpty() && !interrupted.contains(said)) {
      fault(
          "summary.json interrupted",
          "it says (%s), and the log says %s".formatted(said, interrupted));
    }
    if (lastEndNs > saidEndNs + NS_PER_MS) {
      fault(
          FILE,
          "it says that the run ended at (%s), and a job did at (%s)"
              .formatted(JobRules.seconds(saidEndNs), JobRules.seconds(lastEndNs)));
    }
    if (saidJobs != NONE && saidJobs != jobs) {
      fault(FILE, "it says that (%d) jobs were sent, and has (%d)".formatted(saidJobs, jobs));
    }
    for (Job row : folder.jobs()) {
      Job job = folder.jobById().getOrDefault(row.id, row); // the first of its id
      if (!requested.get(job.row)) {
        fault(row.where, "job (%s) is not in the log".formatted(row.id));
      } else if (row.observedNs != NONE && !ended.get(job.row)) {
        fault(row.where, "job (%s) has no outcome in the log".formatted(row.id));
      }
    }
    for (Batch row : folder.batches()) {
      Batch batch = folder.batchByKey().getOrDefault(row.key, row);
      if (!dispatched.get(batch.row)) {
        fault(row.where, "dispatch (%s) is not in the log".formatted(row.id));
      } else if (row.isAnswered() && !completed.get(batch.row)) {
        fault(row.where, "dispatch (%s) has no completion in the log".formatted(row.id));
      }
    }
  }

  /** Returns whether a row was met before, and notes that it was met. */
  private static boolean wasMet(BitSet rows, int row) {
    boolean before = rows.get(row);
    rows.set(row);
    return before;
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

  private void equal(String where, String column, Object said, Object logged) {
    if (!said.equals(logged)) {
      fault(where, "%s is (%s), and the log says (%s)".formatted(column, said, logged));
    }
  }

  /** Compares times of which one was rounded. */
  private void near(String where, String column, long said, long logged) {
    if (said == NONE || logged == NONE || Math.abs(said - logged) > GRAIN_NS) {
      equal(where, column, said, logged);
    }
  }

  private void fault(String where, String what) {
    findings.fault(Rule.LOG, where, what);
  }

  /** Lines that are passed on, and the SHA-256 of all of them but the last. */
  private static final class LastLineApart extends FilterInputStream {
    private final MessageDigest sha256 = Sha256.begin();
    private final ByteArrayOutputStream lastLine = new ByteArrayOutputStream();
    private boolean endsWithNewline;

    LastLineApart(InputStream lines) {
      super(lines);
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      int begin = from; // of what belongs to the last line so far
      for (int at = from; at < from + count; at++) {
        boolean begins = at > from ? bytes[at - 1] == '\n' : endsWithNewline;
        if (begins) {
          sha256.update(lastLine.toByteArray());
          lastLine.reset();
          sha256.update(bytes, begin, at - begin);
          begin = at;
        }
      }
      if (count > 0) {
        lastLine.write(bytes, begin, from + count - begin);
        endsWithNewline = bytes[from + count - 1] == '\n';
      }
      return count;
    }

    /** The digest, in hexadecimal; once, when all has been read. */
    String sha256() {
      return HexFormat.of().formatHex(sha256.digest());
    }
  }

  /**
   * What only the log tells of a run.
   *
   * @param lanesByExecutor most lanes that each executor reported
   * @param blocked times in which lanes stood idle beside work that waited
   * @param fitCpuNs processor time that retraining took, by executor and incarnation
   * @param clockOffsetNs largest distance of a clock from the broker's
   * @param neverSent jobs that no generator sent, by the run's end; −1 if it does not say
   */
  record LogSums(
      Map<String, Integer> lanesByExecutor,
      List<Blocked> blocked,
      Map<String, Long> fitCpuNs,
      long clockOffsetNs,
      long neverSent) {
    /** A time in which lanes stood idle beside work that waited. */
    public record Blocked(long fromNs, long toNs, String cause) {}
  }
}
