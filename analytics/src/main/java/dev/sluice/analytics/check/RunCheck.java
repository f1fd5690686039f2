package dev.sluice.analytics.check;

import dev.sluice.analytics.check.RunFolder.Row;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Checks that the tables of a run's folder, live or simulated, show a legal schedule. */
public final class RunCheck {
  private static final double TOLERANCE_MS = 0.002;
  private static final double MS_PER_SECOND = 1e3;

  private final Findings findings = new Findings();
  private final RunFolder folder;
  private final Map<String, Row> jobById = new HashMap<>();

  private RunCheck(RunFolder folder) {
    this.folder = folder;
  }

  /**
   * Checks a run.
   *
   * @throws UserMistakeException if no run has finished in the folder
   */
  public static CheckReport of(Path folder) throws UserMistakeException {
    return new RunCheck(RunFolder.read(folder)).check();
  }

  private CheckReport check() {
    checkJobsOnce();
    folder.jobs().forEach(this::checkTimes);
    checkBatches();
    checkLanes();
    new TokenCheck(folder, findings).check();
    new WindowCheck(folder, jobById, findings).check();
    new RunSummary(folder, findings).check();
    return findings.report(
        "run %s: %d jobs, %d dispatches"
            .formatted(
                folder.summary().path("run_id").asText(),
                folder.jobs().size(),
                folder.dispatches().size()));
  }

  private void checkJobsOnce() {
    findings.looked(Rule.JOB_ONCE, folder.jobs().size());
    long indexMax = -1;
    for (Row job : folder.jobs()) {
      String id = job.text("job_id");
      if (jobById.put(id, job) != null) {
        findings.fault(Rule.JOB_ONCE, job.where(), "job (" + id + ") stands there twice");
      }
      if (id.matches("job-\\d+")) {
        indexMax = Math.max(indexMax, Long.parseLong(id.substring(4)));
      }
      boolean done = job.is("status", "done");
      if (!done && !job.is("status", "dropped") && !job.is("status", "failed")) {
        findings.fault(
            Rule.JOB_ONCE, job.where(), "job (%s) ended as (%s)".formatted(id, job.text("status")));
      } else if (!done && job.text("reason").isEmpty()) {
        findings.fault(Rule.JOB_ONCE, job.where(), "job (" + id + ") was lost without a reason");
      }
    }
    for (long i = 0; i <= indexMax; i++) {
      if (!jobById.containsKey("job-" + i)) {
        findings.fault(Rule.JOB_ONCE, RunFolder.TRACE, "job (job-%d) is missing".formatted(i));
      }
    }
  }

  private void checkTimes(Row job) {
    findings.looked(Rule.TIME, 1);
    boolean done = job.is("status", "done");
    if (done) {
      double enqueueMs = MS_PER_SECOND * job.number("enqueue_time");
      double startMs = MS_PER_SECOND * job.number("start_time");
      double endMs = MS_PER_SECOND * job.number("end_time");
      same(job, "wait_ms", startMs - enqueueMs);
      same(job, "service_ms", endMs - startMs);
      same(job, "e2e_ms", endMs - enqueueMs);
      findings.looked(Rule.ORDER, 1);
      double sentMs = MS_PER_SECOND * job.number("sent_time");
      if (startMs < sentMs - TOLERANCE_MS) {
        findings.fault(
            Rule.ORDER,
            job.where(),
            "job (%s) started at (%s), before it was sent at (%s)"
                .formatted(job.text("job_id"), job.text("start_time"), job.text("sent_time")));
      }
    }
    boolean late = !done || job.number("e2e_ms") > job.number("slo_ms");
    if (!job.is("slo_violation", late ? "1" : "0")) {
      findings.fault(
          Rule.TIME,
          job.where(),
          "slo_violation is (%s), with e2e_ms (%s) and slo_ms (%s)"
              .formatted(job.text("slo_violation"), job.text("e2e_ms"), job.text("slo_ms")));
    }
  }

  private void same(Row job, String column, double countedMs) {
    if (!(Math.abs(job.number(column) - countedMs) <= TOLERANCE_MS)) {
      findings.fault(
          Rule.TIME,
          job.where(),
          "%s is (%s), and its times come to (%s)".formatted(column, job.text(column), countedMs));
    }
  }

  /** Shard and dispatch id: ids are unique only within a shard. */
  static String inShard(Row row) {
    return row.text("shard") + "/" + row.text("dispatch_id");
  }

  private void checkBatches() {
    findings.looked(Rule.BATCH_ONCE, folder.dispatches().size());
    Map<String, List<Row>> endedBy = new HashMap<>();
    for (Row job : folder.jobs()) {
      if (job.is("status", "done")) {
        endedBy.computeIfAbsent(inShard(job), id -> new ArrayList<>()).add(job);
      }
    }
    Set<String> seen = new HashSet<>();
    for (Row dispatch : folder.dispatches()) {
      String id = inShard(dispatch);
      if (!seen.add(id)) {
        findings.fault(
            Rule.BATCH_ONCE, dispatch.where(), "dispatch (" + id + ") stands there twice");
        continue;
      }
      List<Row> ended = endedBy.getOrDefault(id, List.of());
      Set<String> held = new HashSet<>(jobIds(dispatch));
      for (Row job : ended) {
        if (!held.contains(job.text("job_id"))) {
          findings.fault(
              Rule.BATCH_ONCE,
              job.where() + ", " + dispatch.where(),
              "job (%s) names dispatch (%s), which does not hold it"
                  .formatted(job.text("job_id"), id));
        } else if (!job.is("start_time", dispatch.text("start_time"))
            || !job.is("end_time", dispatch.text("end_time"))) {
          findings.fault(
              Rule.BATCH_ONCE,
              job.where() + ", " + dispatch.where(),
              "job (%s) ran in [%s, %s), and its batch in [%s, %s)"
                  .formatted(
                      job.text("job_id"),
                      job.text("start_time"),
                      job.text("end_time"),
                      dispatch.text("start_time"),
                      dispatch.text("end_time")));
        }
      }
      checkSamples(dispatch);
    }
    endedBy.keySet().removeAll(seen);
    endedBy.forEach(
        (id, jobs) ->
            findings.fault(
                Rule.BATCH_ONCE, jobs.get(0).where(), "no dispatch (" + id + ") is listed"));
  }

  private void checkSamples(Row dispatch) {
    double samples = 0;
    for (String id : jobIds(dispatch)) {
      Row job = jobById.get(id);
      if (job == null) {
        findings.fault(Rule.BATCH_ONCE, dispatch.where(), "its job (" + id + ") is in no trace");
        return;
      }
      samples += job.number("batch_size");
    }
    if (samples != dispatch.number("samples")) {
      findings.fault(
          Rule.BATCH_ONCE,
          dispatch.where(),
          "samples are (%s), and its jobs come to (%s)"
              .formatted(dispatch.text("samples"), samples));
    }
  }

  static List<String> jobIds(Row dispatch) {
    return Arrays.asList(dispatch.text("job_ids").split("[;, ]+"));
  }

  private void checkLanes() {
    Map<String, List<Row>> byLane = new TreeMap<>();
    for (Row dispatch : folder.dispatches()) {
      if (dispatch.number("end_time") > dispatch.number("start_time")) {
        byLane.computeIfAbsent(dispatch.text("lane_id"), lane -> new ArrayList<>()).add(dispatch);
        findings.looked(Rule.LANE_OVERLAP, 1);
      }
    }
    byLane.forEach(
        (lane, rows) -> {
          rows.sort(Comparator.comparingDouble(row -> row.number("start_time")));
          Row last = rows.get(0);
          for (Row row : rows.subList(1, rows.size())) {
            if (Seconds.before(row.number("start_time"), last.number("end_time"))) {
              findings.fault(
                  Rule.LANE_OVERLAP,
                  last.where() + ", " + row.where(),
                  "lane (%s) runs (%s) until (%s), and (%s) from (%s)"
                      .formatted(
                          lane,
                          last.text("dispatch_id"),
                          last.text("end_time"),
                          row.text("dispatch_id"),
                          row.text("start_time")));
            }
            if (row.number("end_time") > last.number("end_time")) {
              last = row;
            }
          }
        });
  }
}
