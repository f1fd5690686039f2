package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Decimal.NONE;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.check.LogRecord.Field;
import dev.sluice.contract.file.GzipMember;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
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
public final class LogRule {
  private static final String FILE = "log.jsonl.gz";
  private static final long VERSION = 1;
  private static final long GRAIN_NS = 1_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final JsonFactory JSON =
      JsonFactory.builder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build();

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

  public LogRule(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
    incarnations = new long[folder.batches().size()];
    Arrays.fill(incarnations, NONE);
  }

  /** Checks all rows, and returns what only the log tells; empty if the folder has no log. */
  public Optional<LogSums> check() {
    Path file = folder.path().resolve(FILE);
    if (!Files.exists(file)) {
      findings.leaveOut(Rule.LOG, "the folder has no " + FILE);
      return Optional.empty();
    }
    try (GzipMember in = GzipMember.open(Files.newInputStream(file), BUFFER_BYTES);
        LastLineApart lines = new LastLineApart(in);
        JsonParser json = JSON.createParser(lines)) {
      var line = new LogRecord(json);
      while (line.next()) {
        take(line);
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

  private void take(LogRecord line) {
    if (!line.text(Field.SLUICE).isEmpty()) {
      header(line);
      return;
    }
    if (line.number(Field.RECORDS) != NONE) {
      recordsSaid = line.number(Field.RECORDS);
      sha256Said = line.text(Field.SHA256);
      return;
    }
    records++;
    once(line);
    long shard = line.numberOr0(Field.PARTITION);
    long appendedNs = (line.numberOr0(Field.APPENDED_EPOCH_MS) - zeroEpochMs) * NS_PER_MS;
    switch (line.text(Field.TYPE)) {
      case "JobRequested" -> request(line, shard, appendedNs);
      case "JobEnded" -> end(line, shard, appendedNs);
      case "BatchDispatched" -> dispatch(line, shard);
      case "BatchCompleted" -> completion(line, shard, appendedNs);
      case "ExecutorReported" -> report(line);
      case "ArrivalsEnded" ->
          clockOffsetNs = Math.max(clockOffsetNs, line.numberOr0(Field.CLOCK_OFFSET_NS));
      case "Blocked" ->
          blocked.add(
              new LogSums.Blocked(
                  line.numberOr0(Field.FROM_NS),
                  line.numberOr0(Field.TO_NS),
                  line.text(Field.CAUSE)));
      case "RunStarted" -> {
        said("run id", line.text(Field.EVENTS_RUN), folder.summary().path("run_id").asText());
        said("seed", line.number(Field.SEED), folder.config().whole("seed"));
        said("time zero", line.number(Field.EVENTS_ZERO_EPOCH_MS), zeroEpochMs);
        said(
            "digests",
            line.text(Field.EVENTS_REQUEST_DIGEST) + " " + line.text(Field.EVENTS_CONFIG_DIGEST),
            headersDigests);
      }
      case "RunEnded" -> runEnd(line);
      default -> {}
    }
  }

  private void header(LogRecord line) {
    JsonNode summary = folder.summary();
    zeroEpochMs = line.numberOr0(Field.ZERO_EPOCH_MS);
    headersDigests = line.text(Field.REQUEST_DIGEST) + " " + line.text(Field.CONFIG_DIGEST);
    said("version", line.number(Field.VERSION), VERSION);
    said("kind", line.text(Field.KIND), "log");
    said("run id", line.text(Field.RUN), summary.path("run_id").asText());
    said(
        "digests",
        headersDigests,
        summary.path("request_digest").asText() + " " + summary.path("config_digest").asText());
    experiment(line.text(Field.EXPERIMENT));
  }

  /** Each offset of a partition stands once. */
  private void once(LogRecord line) {
    String partition = line.text(Field.TOPIC) + "/" + line.numberOr0(Field.PARTITION);
    BitSet known = offsets.computeIfAbsent(partition, any -> new BitSet());
    long offset = line.numberOr0(Field.OFFSET);
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
    RunConfig logged = RunFolder.config(text);
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

  private void request(LogRecord event, long shard, long appendedNs) {
    String id = event.text(Field.JOB);
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
    text(job.where, "class_type", job.classType, event.text(Field.CLASS));
    text(job.where, "workload_name", job.workload, event.text(Field.WORKLOAD));
    text(job.where, "backend", job.backend, event.text(Field.BACKEND));
    text(job.where, "precision", job.precision, event.text(Field.PRECISION));
    number(job.where, "batch_size", job.samples, event.number(Field.SAMPLES), 0);
    number(job.where, "slo_ms", job.sloNs, event.number(Field.SLO_NS), 0);
    number(job.where, "enqueue_time", job.enqueueNs, event.number(Field.INTENDED_NS), GRAIN_NS);
    number(job.where, "sent_time", job.sentNs, event.number(Field.SENT_NS), GRAIN_NS);
    number(job.where, "appended_time", job.appendedNs, appendedNs, 0);
    number(job.where, "shard", job.shard, shard, 0);
  }

  private void end(LogRecord event, long shard, long appendedNs) {
    Job job = folder.jobById().get(event.text(Field.JOB));
    lastEndNs = Math.max(lastEndNs, event.numberOr0(Field.ENDED_NS));
    if (job == null) {
      return; // the request says that there is no row
    }
    if (wasMet(ended, job.row)) {
      findings.fault(
          Rule.JOB_ONCE, job.where, "job (%s) has two outcomes in the log".formatted(job.id));
      return;
    }
    findings.looked(Rule.LOG, 1);
    String status = event.text(Field.STATUS).toLowerCase(Locale.ROOT);
    if (!job.status.equals(status) && !job.status.equals("open")) {
      fault(job.where, "status is (%s), and the log says (%s)".formatted(job.status, status));
    }
    if (!job.status.equals("open")) {
      text(job.where, "reason", job.reason, event.text(Field.REASON));
    }
    text(job.where, "dispatch_id", job.dispatchId, event.text(Field.DISPATCH));
    number(job.where, "attempt", job.attempt, event.number(Field.ATTEMPT), 0);
    number(job.where, "observed_time", job.observedNs, appendedNs, 0);
    number(job.where, "shard", job.shard, shard, 0);
  }

  private void dispatch(LogRecord event, long shard) {
    String key = shard + "/" + event.text(Field.DISPATCH);
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
    String lane = event.text(Field.EXECUTOR) + "/" + event.firstLane();
    if (!batch.lane.equals(lane)) {
      fault(batch.where, "lane_id is (%s), and the log says (%s)".formatted(batch.lane, lane));
    }
    incarnation(batch, event.number(Field.INCARNATION));
    if (!batch.jobIds.equals(event.jobs())) {
      fault(
          batch.where, "job_ids are %s, and the log says %s".formatted(batch.jobIds, event.jobs()));
    }
    number(batch.where, "samples", batch.samples, event.number(Field.SAMPLES), 0);
    number(batch.where, "tokens", batch.tokens, event.number(Field.TOKENS), 0);
    number(batch.where, "attempt", batch.attempt, event.number(Field.ATTEMPT), 0);
    number(batch.where, "decided_time", batch.decidedNs, event.number(Field.DECIDED_NS), GRAIN_NS);
    prediction(event, batch);
    long notBeforeNs = event.number(Field.NOT_BEFORE_NS);
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

  private void prediction(LogRecord event, Batch batch) {
    String where = batch.where;
    number(where, "predicted_service_ms", batch.predictedNs, event.number(Field.PREDICTED_NS), 0);
    number(where, "predicted_quantile_ms", batch.quantileNs, event.number(Field.QUANTILE_NS), 0);
    number(where, "predicted_p95_ms", batch.p95Ns, event.number(Field.P95_NS), 0);
    number(where, "predicted_p99_ms", batch.p99Ns, event.number(Field.P99_NS), 0);
    text(where, "prediction_source", batch.source, event.text(Field.SOURCE));
    text(where, "model_version", batch.modelVersion, event.text(Field.MODEL_VERSION));
    number(
        where, "predicted_busy_lanes", batch.predictedBusyLanes, event.number(Field.BUSY_LANES), 0);
  }

  private void completion(LogRecord event, long shard, long appendedNs) {
    Batch batch = folder.batchByKey().get(shard + "/" + event.text(Field.DISPATCH));
    if (batch == null) {
      return;
    }
    String lane = event.text(Field.EXECUTOR) + "/" + event.number(Field.LANE);
    if (!lane.equals(batch.lane)) {
      fault(batch.where, "(%s) completed it, and lane_id is (%s)".formatted(lane, batch.lane));
    }
    if (!event.text(Field.CAUSE).equals(BatchRules.OLDER_INCARNATION)) {
      incarnation(batch, event.number(Field.INCARNATION));
    }
    if (wasMet(completed, batch.row)) {
      return;
    }
    findings.looked(Rule.LOG, 1);
    number(batch.where, "start_time", batch.startNs, event.number(Field.STARTED_NS), GRAIN_NS);
    number(batch.where, "end_time", batch.endNs, event.number(Field.FINISHED_NS), GRAIN_NS);
    if (batch.ran()) {
      number(batch.where, "service_ms", batch.serviceNs, event.number(Field.SERVICE_NS), 0);
      number(batch.where, "switch_ms", batch.switchNs, event.number(Field.SWITCH_NS), 0);
      number(
          batch.where, "emulated_service_ms", batch.emulatedNs, event.number(Field.EMULATED_NS), 0);
      number(batch.where, "busy_lanes", batch.busyLanes, event.number(Field.BUSY_LANES), 0);
    }
    number(batch.where, "completed_time", batch.completedNs, appendedNs, 0);
    text(batch.where, "cause", batch.cause, event.text(Field.CAUSE));
    String result = event.text(Field.RESULT).toLowerCase(Locale.ROOT);
    if (!batch.result.equals("lost") && !batch.result.equals(result)) {
      fault(batch.where, "result is (%s), and the log says (%s)".formatted(batch.result, result));
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

  private void runEnd(LogRecord event) {
    interrupted.add(event.text(Field.INTERRUPTED));
    if (!hasEnded) {
      neverSent = event.number(Field.NEVER_SENT);
      if (event.text(Field.FAILURE).isEmpty()) {
        saidEndNs = event.number(Field.ENDED_NS);
        saidJobs = event.number(Field.JOBS_SENT);
      }
    }
    hasEnded = true;
  }

  private void report(LogRecord event) {
    String executor = event.text(Field.EXECUTOR);
    lanes.merge(executor, event.lanes(), Math::max);
    clockOffsetNs = Math.max(clockOffsetNs, event.numberOr0(Field.CLOCK_OFFSET_NS));
    if (event.number(Field.FIT_CPU_NS) != NONE) {
      String incarnation = executor + "/" + event.number(Field.INCARNATION);
      fitCpuNs.merge(incarnation, event.number(Field.FIT_CPU_NS), Math::max);
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
      Batch batch = folder.batchByKey().getOrDefault(row.key(), row);
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

  private void text(String where, String column, String said, String wanted) {
    if (!said.equals(wanted)) {
      fault(where, "%s is (%s), and the log says (%s)".formatted(column, said, wanted));
    }
  }

  private void number(String where, String column, long said, long logged, long grain) {
    boolean same =
        (said == NONE || logged == NONE) ? said == logged : Math.abs(said - logged) <= grain;
    if (!same) {
      fault(where, "%s is (%d), and the log says (%d)".formatted(column, said, logged));
    }
  }

  private void fault(String where, String what) {
    findings.fault(Rule.LOG, where, what);
  }
}
