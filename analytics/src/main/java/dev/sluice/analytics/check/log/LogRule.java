package dev.sluice.analytics.check.log;

import static dev.sluice.analytics.check.folder.Decimal.NONE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.check.Findings;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.folder.Batch;
import dev.sluice.analytics.check.folder.Job;
import dev.sluice.analytics.check.folder.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;

/**
 * Holds each row to the records of the run's log: requests, decisions, completions and outcomes. Of
 * several records of one thing the first counts, as delivery is at least once.
 */
public final class LogRule {
  private static final String FILE = "log.jsonl.gz";
  private static final long GRAIN_NS = 1_000;
  private static final int BUFFER_BYTES = 1 << 16;

  private final RunFolder folder;
  private final Findings findings;
  private final Set<String> requested = new HashSet<>();
  private final Set<String> ended = new HashSet<>();
  private final Set<String> dispatched = new HashSet<>();
  private final Set<String> completed = new HashSet<>();
  private final Map<String, Integer> lanes = new HashMap<>();
  private final Map<String, Long> fitCpuNs = new HashMap<>();
  private final List<LogSums.Blocked> blocked = new ArrayList<>();
  private long clockOffsetNs;
  private long zeroEpochMs;

  public LogRule(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  /** Checks all rows, and returns what only the log tells; empty if the folder has no log. */
  public Optional<LogSums> check() {
    Path file = folder.path().resolve(FILE);
    if (!Files.exists(file)) {
      findings.leaveOut(Rule.LOG, "the folder has no " + FILE);
      return Optional.empty();
    }
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file), BUFFER_BYTES);
        MappingIterator<JsonNode> records =
            new ObjectMapper().readerFor(JsonNode.class).readValues(in)) {
      while (records.hasNext()) {
        take(records.next());
      }
    } catch (IOException | RuntimeException e) {
      fault(FILE, "it cannot be read to its end (" + e.getMessage() + ")");
      return Optional.empty();
    }
    checkWhole();
    return Optional.of(new LogSums(lanes, blocked, fitCpuNs, clockOffsetNs));
  }

  private void take(JsonNode line) {
    if (line.has("sluice")) {
      zeroEpochMs = line.path("time_zero_epoch_ms").asLong();
      return;
    }
    JsonNode event = line.path("event");
    long shard = line.path("partition").asLong();
    long appendedNs = (line.path("appended_ms").asLong() - zeroEpochMs) * 1_000_000;
    switch (event.path("type").asText()) {
      case "JobRequested" -> request(event, shard, appendedNs);
      case "JobEnded" -> end(event, shard, appendedNs);
      case "BatchDispatched" -> dispatch(event, shard);
      case "BatchCompleted" -> completion(event, shard, appendedNs);
      case "ExecutorReported" -> report(event);
      case "ArrivalsEnded" ->
          clockOffsetNs = Math.max(clockOffsetNs, event.path("clockOffsetNsMax").asLong());
      case "Blocked" ->
          blocked.add(
              new LogSums.Blocked(
                  event.path("fromNs").asLong(),
                  event.path("toNs").asLong(),
                  event.path("cause").asText()));
      default -> {}
    }
  }

  private void request(JsonNode event, long shard, long appendedNs) {
    String id = event.path("jobId").asText();
    if (!requested.add(id)) {
      return;
    }
    Job job = folder.jobById().get(id);
    if (job == null) {
      fault(RunFolder.TRACE, "job (%s) is in the log, and has no row".formatted(id));
      return;
    }
    findings.looked(Rule.LOG, 1);
    text(job.where, "class_type", job.classType, event.path("classType"));
    text(job.where, "workload_name", job.workload, event.path("workload"));
    text(job.where, "backend", job.backend, event.path("backend"));
    text(job.where, "precision", job.precision, event.path("precision"));
    number(job.where, "batch_size", job.samples, event.path("samples").asLong(), 0);
    number(job.where, "slo_ms", job.sloNs, event.path("sloNs").asLong(), 0);
    number(job.where, "enqueue_time", job.enqueueNs, ns(event.path("intendedAtNs")), GRAIN_NS);
    number(job.where, "sent_time", job.sentNs, ns(event.path("sentAtNs")), GRAIN_NS);
    number(job.where, "appended_time", job.appendedNs, appendedNs, 0);
    number(job.where, "shard", job.shard, shard, 0);
  }

  private void end(JsonNode event, long shard, long appendedNs) {
    String id = event.path("jobId").asText();
    Job job = folder.jobById().get(id);
    if (!ended.add(id) || job == null) {
      return; // the request says that there is no row
    }
    findings.looked(Rule.LOG, 1);
    String status = event.path("status").asText().toLowerCase(Locale.ROOT);
    if (!job.status.equals(status) && !job.status.equals("open")) {
      fault(job.where, "status is (%s), and the log says (%s)".formatted(job.status, status));
    }
    if (!job.status.equals("open")) {
      text(job.where, "reason", job.reason, event.path("reason"));
    }
    text(job.where, "dispatch_id", job.dispatchId, event.path("dispatchId"));
    number(job.where, "attempt", job.attempt, event.path("attempt").asLong(), 0);
    number(job.where, "observed_time", job.observedNs, appendedNs, 0);
    number(job.where, "shard", job.shard, shard, 0);
  }

  private void dispatch(JsonNode event, long shard) {
    String key = shard + "/" + event.path("dispatchId").asText();
    if (!dispatched.add(key)) {
      return;
    }
    Batch batch = folder.batchByKey().get(key);
    if (batch == null) {
      fault(RunFolder.DISPATCHES, "dispatch (%s) is in the log, and has no row".formatted(key));
      return;
    }
    findings.looked(Rule.LOG, 1);
    String lane = event.path("executorId").asText() + "/" + event.path("lanes").path(0).asText();
    if (!batch.lane.equals(lane)) {
      fault(batch.where, "lane_id is (%s), and the log says (%s)".formatted(batch.lane, lane));
    }
    List<String> jobs =
        StreamSupport.stream(event.path("jobs").spliterator(), false)
            .map(job -> job.path("jobId").asText())
            .collect(Collectors.toList());
    if (!batch.jobIds.equals(jobs)) {
      fault(batch.where, "job_ids are %s, and the log says %s".formatted(batch.jobIds, jobs));
    }
    number(batch.where, "samples", batch.samples, event.path("samples").asLong(), 0);
    number(batch.where, "tokens", batch.tokens, event.path("tokens").asLong(), 0);
    number(batch.where, "attempt", batch.attempt, event.path("attempt").asLong(), 0);
    number(batch.where, "decided_time", batch.decidedNs, ns(event.path("decidedAtNs")), GRAIN_NS);
    number(
        batch.where,
        "predicted_service_ms",
        batch.predictedNs,
        ns(event.path("predictedServiceNs")),
        0);
  }

  private void completion(JsonNode event, long shard, long appendedNs) {
    String key = shard + "/" + event.path("dispatchId").asText();
    Batch batch = folder.batchByKey().get(key);
    if (!completed.add(key) || batch == null) {
      return;
    }
    findings.looked(Rule.LOG, 1);
    number(batch.where, "start_time", batch.startNs, ns(event.path("startedAtNs")), GRAIN_NS);
    number(batch.where, "end_time", batch.endNs, ns(event.path("finishedAtNs")), GRAIN_NS);
    if (batch.ran()) {
      number(batch.where, "service_ms", batch.serviceNs, ns(event.path("serviceNs")), 0);
      number(batch.where, "switch_ms", batch.switchNs, ns(event.path("switchNs")), 0);
    }
    number(batch.where, "completed_time", batch.completedNs, appendedNs, 0);
    text(batch.where, "cause", batch.cause, event.path("cause"));
    String result = event.path("result").asText().toLowerCase(Locale.ROOT);
    if (!batch.result.equals("lost") && !batch.result.equals(result)) {
      fault(batch.where, "result is (%s), and the log says (%s)".formatted(batch.result, result));
    }
  }

  private void report(JsonNode event) {
    String executor = event.path("executorId").asText();
    lanes.merge(executor, event.path("lanes").size(), Math::max);
    clockOffsetNs = Math.max(clockOffsetNs, event.path("clockOffsetNsMax").asLong());
    if (event.path("fitCpuNs").isNumber()) {
      String incarnation = executor + "/" + event.path("incarnation").asText();
      fitCpuNs.merge(incarnation, event.path("fitCpuNs").asLong(), Math::max);
    }
  }

  private void checkWhole() {
    for (Job job : folder.jobs()) {
      if (!requested.contains(job.id)) {
        fault(job.where, "job (%s) is not in the log".formatted(job.id));
      } else if (job.observedNs != NONE && !ended.contains(job.id)) {
        fault(job.where, "job (%s) has no outcome in the log".formatted(job.id));
      }
    }
    for (Batch batch : folder.batches()) {
      if (!dispatched.contains(batch.key())) {
        fault(batch.where, "dispatch (%s) is not in the log".formatted(batch.id));
      } else if (batch.isAnswered() && !completed.contains(batch.key())) {
        fault(batch.where, "dispatch (%s) has no completion in the log".formatted(batch.id));
      }
    }
  }

  private static long ns(JsonNode value) {
    return value.isNumber() ? value.asLong() : NONE;
  }

  private void text(String where, String column, String said, JsonNode logged) {
    String wanted = logged.isTextual() ? logged.asText() : "";
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
