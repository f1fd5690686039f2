package dev.sluice.bench.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.sluice.bench.chaos.KeptLog.Completion;
import dev.sluice.bench.chaos.KeptLog.Dispatch;
import dev.sluice.bench.chaos.KeptLog.Job;
import dev.sluice.bench.chaos.KeptLog.Outcome;
import dev.sluice.bench.chaos.KeptLog.Request;
import dev.sluice.bench.chaos.KeptLog.Shard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks that a run's folder agrees with its log. */
final class FolderChecks {
  private final KeptLog log;
  private final List<String> violations = new ArrayList<>();

  /** Counts from the log of jobs meant for the measured window. */
  private static final class Tally {
    long count;
    long samples;
    final Map<String, Long> byStatus = new TreeMap<>();
    long violations;
  }

  private FolderChecks(KeptLog log) {
    this.log = log;
  }

  /**
   * @param injected faults that were inflicted on the run, in words
   */
  static List<String> violations(KeptLog log, Path folder, List<String> injected)
      throws IOException {
    var checks = new FolderChecks(log);
    checks.traceIsTheLog(folder.resolve("trace.csv"));
    checks.dispatchesAreTheLogs(folder.resolve("dispatches.csv"));
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    checks.summaryIsARecount(summary);
    if (!injected.isEmpty() && summary.path("not_comparable").isEmpty()) {
      checks.violations.add(
          "the run is not marked as not comparable, in spite of: " + String.join("; ", injected));
    }
    return checks.violations;
  }

  private void traceIsTheLog(Path file) throws IOException {
    Set<String> seen = new HashSet<>();
    try (var rows = CsvReader.builder().ofNamedCsvRecord(file)) {
      for (NamedCsvRecord row : rows) {
        String id = row.getField("job_id");
        Job job = log.jobs.get(id);
        Request request = job == null ? null : job.request;
        if (!seen.add(id)) {
          violations.add("trace.csv holds job " + id + " twice");
        } else if (job == null || request == null) {
          violations.add("trace.csv holds job " + id + ", which was never requested");
        } else {
          rowIsTheJob(row, job, request);
        }
      }
    }
    for (Job job : log.jobs.values()) {
      if (job.request != null && !seen.contains(job.id)) {
        violations.add("trace.csv does not hold job " + job.id);
      }
    }
  }

  private void rowIsTheJob(NamedCsvRecord row, Job job, Request request) {
    String name = "trace.csv: job " + job.id;
    same(name, row, "class_type", request.classType());
    same(name, row, "batch_size", Integer.toString(request.samples()));
    sameTime(name, row, "enqueue_time", request.intendedAtNs());
    sameTime(name, row, "sent_time", request.sentAtNs());
    sameTime(name, row, "appended_time", request.appendedAtNs());
    if (job.outcomes.isEmpty()) {
      same(name, row, "status", "open");
      return;
    }
    Outcome outcome = job.outcomes.get(0);
    same(name, row, "status", outcome.status().toLowerCase(Locale.ROOT));
    same(name, row, "reason", outcome.reason());
    same(name, row, "attempt", Integer.toString(outcome.attempt()));
    sameTime(name, row, "observed_time", outcome.appendedAtNs());
    String id = outcome.dispatchId();
    same(name, row, "dispatch_id", id == null ? "" : id);
    Completion completion = id == null ? null : firstAnswer(outcome.shard(), id);
    sameTime(name, row, "start_time", completion == null ? null : completion.startedAtNs());
    sameTime(name, row, "end_time", completion == null ? null : completion.finishedAtNs());
    boolean late =
        completion == null
            || completion.finishedAtNs() == null
            || completion.finishedAtNs() - request.intendedAtNs() > request.sloNs();
    boolean violation = late || !outcome.status().equals("DONE");
    same(name, row, "slo_violation", violation ? "1" : "0");
  }

  private @Nullable Completion firstAnswer(int shard, String dispatchId) {
    List<Completion> answers = log.shard(shard).answers().get(dispatchId);
    return answers == null ? null : answers.get(0);
  }

  private void dispatchesAreTheLogs(Path file) throws IOException {
    Set<String> seen = new HashSet<>();
    try (var rows = CsvReader.builder().ofNamedCsvRecord(file)) {
      for (NamedCsvRecord row : rows) {
        String shard = row.getField("shard");
        String id = row.getField("dispatch_id");
        String name = "dispatches.csv: dispatch " + shard + "/" + id;
        Dispatch dispatch = log.shard(Integer.parseInt(shard)).dispatches.get(id);
        if (!seen.add(shard + "/" + id)) {
          violations.add(name + " stands there twice");
        } else if (dispatch == null || !dispatch.committed) {
          violations.add(name + " is not in the log");
        } else {
          same(name, row, "job_ids", String.join(" ", dispatch.jobs));
          same(name, row, "tokens", Long.toString(dispatch.tokens));
          sameTime(name, row, "decided_time", dispatch.decidedAtNs);
          Completion completion = firstAnswer(Integer.parseInt(shard), id);
          sameTime(name, row, "start_time", completion == null ? null : completion.startedAtNs());
          sameTime(name, row, "end_time", completion == null ? null : completion.finishedAtNs());
        }
      }
    }
    for (Map.Entry<Integer, Shard> shard : log.shards.entrySet()) {
      for (Dispatch dispatch : shard.getValue().dispatches.values()) {
        if (dispatch.committed && !seen.contains(shard.getKey() + "/" + dispatch.id)) {
          violations.add(
              "dispatches.csv does not hold dispatch " + shard.getKey() + "/" + dispatch.id);
        }
      }
    }
  }

  private void summaryIsARecount(JsonNode summary) {
    long fromNs = Math.round(summary.path("warmup_seconds").asDouble() * 1e9);
    long toNs = Math.round(summary.path("duration_seconds").asDouble() * 1e9);
    Map<String, Tally> tallies = new TreeMap<>();
    tallies.put("all", new Tally());
    for (Job job : log.jobs.values()) {
      Request request = job.request;
      if (request != null && fromNs <= request.intendedAtNs() && request.intendedAtNs() < toNs) {
        count(tallies.computeIfAbsent("all", name -> new Tally()), job, request);
        count(tallies.computeIfAbsent(request.classType(), name -> new Tally()), job, request);
      }
    }
    tallies.forEach(
        (name, tally) -> {
          equal(summary, name + "_count", tally.count);
          equal(summary, name + "_total_samples", tally.samples);
          equal(summary, name + "_slo_violations", tally.violations);
          for (String status : List.of("done", "dropped", "failed", "open")) {
            equal(summary, name + "_" + status, tally.byStatus.getOrDefault(status, 0L));
          }
        });
  }

  private void count(Tally tally, Job job, Request request) {
    tally.count++;
    tally.samples += request.samples();
    Outcome outcome = job.outcomes.isEmpty() ? null : job.outcomes.get(0);
    tally.byStatus.merge(
        outcome == null ? "open" : outcome.status().toLowerCase(Locale.ROOT), 1L, Long::sum);
    Completion completion =
        outcome == null || outcome.dispatchId() == null
            ? null
            : firstAnswer(outcome.shard(), outcome.dispatchId());
    boolean inTime =
        outcome != null
            && outcome.status().equals("DONE")
            && completion != null
            && completion.finishedAtNs() != null
            && completion.finishedAtNs() - request.intendedAtNs() <= request.sloNs();
    tally.violations += inTime ? 0 : 1;
  }

  private void equal(JsonNode summary, String figure, long counted) {
    JsonNode stated = summary.path(figure);
    if (!stated.isNumber() || stated.asDouble() != counted) {
      violations.add("summary.json: " + figure + " is " + stated + ", the log gives " + counted);
    }
  }

  private void same(String name, NamedCsvRecord row, String column, String expected) {
    if (!row.getField(column).equals(expected)) {
      violations.add(
          name
              + ": "
              + column
              + " is ("
              + row.getField(column)
              + "), the log gives ("
              + expected
              + ")");
    }
  }

  /** Times in the tables have six decimals. */
  private void sameTime(String name, NamedCsvRecord row, String column, @Nullable Long expectedNs) {
    String text = row.getField(column);
    boolean same =
        expectedNs == null
            ? text.isEmpty()
            : !text.isEmpty() && Math.abs(Double.parseDouble(text) - expectedNs / 1e9) < 0.6e-6;
    if (!same) {
      violations.add(
          name
              + ": "
              + column
              + " is ("
              + text
              + "), the log gives "
              + (expectedNs == null ? "none" : expectedNs + " ns"));
    }
  }
}
