package dev.sluice.analytics.check;

import dev.sluice.analytics.check.RunFolder.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that batches joined only jobs that may be joined, and that each began when its set was
 * full or held a job that had waited its window. Log time has whole milliseconds: of two events in
 * one millisecond either may have been first, and the check assumes the order that favors the run.
 */
final class WindowCheck {
  private static final double LOG_TIME_SECONDS = 0.001;
  private static final double MS_PER_SECOND = 1e3;

  private final RunFolder folder;
  private final Map<String, Row> jobById;
  private final Findings findings;
  private final double maxBatch;
  private final double windowSeconds;

  WindowCheck(RunFolder folder, Map<String, Row> jobById, Findings findings) {
    this.folder = folder;
    this.jobById = jobById;
    this.findings = findings;
    this.maxBatch = folder.configNumber("microbatch", "max_batch");
    this.windowSeconds = folder.configNumber("microbatch", "window_ms") / MS_PER_SECOND;
  }

  /** Attributes that the jobs of one batch have in common. */
  private record SetKey(
      String shard, String classType, String workload, String backend, String precision) {
    static SetKey of(Row job) {
      return new SetKey(
          job.text("shard"),
          job.text("class_type"),
          job.text("workload_name"),
          job.text("backend"),
          job.text("precision"));
    }
  }

  void check() {
    boolean joins = joins();
    Map<SetKey, List<Row>> dispatchesBySet = new LinkedHashMap<>();
    for (Row dispatch : folder.dispatches()) {
      List<Row> jobs = jobsOf(dispatch);
      if (!jobs.isEmpty()) {
        findings.looked(Rule.COMPATIBLE, 1);
        checkCompatible(dispatch, jobs, joins);
        dispatchesBySet
            .computeIfAbsent(SetKey.of(jobs.get(0)), key -> new ArrayList<>())
            .add(dispatch);
      }
    }
    if (!joins) {
      findings.leaveOut(Rule.WINDOW, "the run joined no jobs");
      return;
    }
    Map<SetKey, List<Row>> jobsBySet = new HashMap<>();
    for (Row job : folder.jobs()) {
      if (mayShare(job)) {
        jobsBySet.computeIfAbsent(SetKey.of(job), key -> new ArrayList<>()).add(job);
      }
    }
    jobsBySet.forEach((key, jobs) -> checkSet(jobs, dispatchesBySet.getOrDefault(key, List.of())));
  }

  private boolean joins() {
    return folder.configFlag("microbatch", "enabled")
        && folder.config("microbatch", "policies") instanceof List<?> policies
        && policies.contains(folder.summary().path("scheduler_name").asText());
  }

  private boolean mayShare(Row job) {
    return folder.config("classes", job.text("class_type")) instanceof Map<?, ?> jobClass
        && Boolean.TRUE.equals(jobClass.get("microbatch"))
        && job.number("batch_size") <= maxBatch;
  }

  private List<Row> jobsOf(Row dispatch) {
    List<Row> jobs = new ArrayList<>();
    for (String id : RunCheck.jobIds(dispatch)) {
      Row job = jobById.get(id);
      if (job != null) {
        jobs.add(job);
      }
    }
    return jobs;
  }

  private void checkCompatible(Row dispatch, List<Row> jobs, boolean joins) {
    if (jobs.size() == 1) {
      return;
    }
    Row first = jobs.get(0);
    String wrong = null;
    if (!joins) {
      wrong = "it joins %d jobs, and this run joined none".formatted(jobs.size());
    } else if (dispatch.number("samples") > maxBatch) {
      wrong = "samples (%s) exceed max_batch (%.0f)".formatted(dispatch.text("samples"), maxBatch);
    }
    for (Row job : jobs) {
      if (!SetKey.of(job).equals(SetKey.of(first))) {
        wrong =
            "jobs (%s) and (%s) are not alike".formatted(first.text("job_id"), job.text("job_id"));
      } else if (!mayShare(job)) {
        wrong = "job (%s) may share no batch".formatted(job.text("job_id"));
      }
    }
    if (wrong != null) {
      findings.fault(Rule.COMPATIBLE, dispatch.where(), wrong);
    }
  }

  /** Goes through the decisions of one set, with the jobs that may have waited at each of them. */
  private void checkSet(List<Row> jobs, List<Row> dispatches) {
    jobs.sort(Comparator.comparingDouble(job -> job.number("appended_time")));
    Deque<Row> toCome = new ArrayDeque<>(jobs);
    PriorityQueue<Row> byAge =
        new PriorityQueue<>(Comparator.comparingDouble(job -> job.number("appended_time")));
    Set<String> waiting = new HashSet<>();
    double samples = 0;
    List<Row> inOrder = new ArrayList<>(dispatches);
    inOrder.sort(
        Comparator.comparingLong((Row dispatch) -> part(dispatch, 0))
            .thenComparingLong(dispatch -> part(dispatch, 1)));
    for (Row dispatch : inOrder) {
      double decided = dispatch.number("decided_time");
      while (!toCome.isEmpty()
          && toCome.element().number("appended_time") <= decided + LOG_TIME_SECONDS / 2) {
        Row job = toCome.remove();
        samples += job.number("batch_size");
        waiting.add(job.text("job_id"));
        byAge.add(job);
      }
      while (!byAge.isEmpty() && hasLeft(byAge.element(), decided, waiting)) {
        Row left = byAge.remove();
        if (waiting.remove(left.text("job_id"))) {
          samples -= left.number("batch_size");
        }
      }
      List<Row> own = jobsOf(dispatch);
      if (own.isEmpty() || !mayShare(own.get(0))) {
        continue;
      }
      findings.looked(Rule.WINDOW, 1);
      Row oldest = byAge.peek();
      double since = oldest == null ? Double.NaN : decided - oldest.number("appended_time");
      if (samples < maxBatch && !(since >= windowSeconds - LOG_TIME_SECONDS / 2)) {
        findings.fault(
            Rule.WINDOW,
            dispatch.where(),
            "(%s) was decided at (%s) with (%.0f) of (%.0f) samples, the oldest for (%.0f) ms"
                .formatted(
                    dispatch.text("dispatch_id"),
                    dispatch.text("decided_time"),
                    samples,
                    maxBatch,
                    since * MS_PER_SECOND));
      }
      boolean cameBack = !dispatch.is("result", "done") && !dispatch.is("result", "failed");
      for (Row job : own) {
        if (!cameBack && waiting.remove(job.text("job_id"))) {
          samples -= job.number("batch_size");
        }
      }
    }
  }

  /** True if a job has left the queue: started since, or dropped before. */
  private static boolean hasLeft(Row job, double atSeconds, Set<String> waiting) {
    return !waiting.contains(job.text("job_id"))
        || (job.is("status", "dropped") && job.number("observed_time") < atSeconds);
  }

  /** Part of a dispatch id, which is the offset of its fact and a number: {@code 17-0}. */
  private static long part(Row dispatch, int part) {
    String[] parts = dispatch.text("dispatch_id").split("-", 2);
    @Nullable String text = part < parts.length ? parts[part] : null;
    return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
  }
}
