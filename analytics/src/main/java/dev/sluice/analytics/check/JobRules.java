package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Cells.NONE;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Holds each job's row to itself: its state, its sums, its order, its promise. */
final class JobRules {
  /** Times have whole microseconds: two of them are off by less than this. */
  private static final long GRAIN_NS = 2_000;

  private static final Set<String> STATUSES = Set.of("done", "dropped", "failed");

  /** Length of the longest id whose index is looked at: more jobs no table has. */
  private static final int INDEX_END = "job-".length() + 9;

  private final RunFolder folder;
  private final Findings findings;
  private final long clockGrainNs;

  JobRules(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
    this.clockGrainNs = folder.clockGrainNs();
  }

  /** Checks all jobs. */
  void check() {
    findings.looked(Rule.JOB_ONCE, folder.jobs().size());
    Set<String> ids = new HashSet<>();
    long indexMax = -1;
    long lastNs = Long.MIN_VALUE;
    for (Job job : folder.jobs()) {
      if (job.enqueueNs < lastNs) {
        fault(Rule.FORMAT, job, "the rows do not stand by enqueue_time");
      }
      lastNs = job.enqueueNs;
      if (!ids.add(job.id)) {
        fault(Rule.JOB_ONCE, job, "job (%s) stands there twice".formatted(job.id));
      }
      if (!job.phase.equals("tail")) {
        indexMax = Math.max(indexMax, index(job.id));
      }
      if (!STATUSES.contains(job.status)) {
        fault(Rule.JOB_ONCE, job, "job (%s) ended as (%s)".formatted(job.id, job.status));
      } else if (job.isDone() != job.reason.isEmpty()) {
        fault(
            Rule.JOB_ONCE,
            job,
            "job (%s) is (%s) for the reason (%s)".formatted(job.id, job.status, job.reason));
      }
      checkCells(job);
      checkOrder(job);
      if (job.isDone()) {
        checkSums(job);
      }
      checkPromise(job);
    }
    checkNoneMissing(
        ids, folder.wasInterrupted() ? indexMax - folder.config().whole("generators") : indexMax);
  }

  /** Each generator stops by itself at the end, and leaves a gap among the last jobs. */
  private void checkNoneMissing(Set<String> ids, long indexMax) {
    List<Long> missing = new ArrayList<>();
    for (long i = 0; i <= indexMax; i++) {
      if (!ids.contains("job-" + i)) {
        missing.add(i);
      }
    }
    if (!folder.explains(missing.size())) {
      missing.forEach(
          i ->
              findings.fault(
                  Rule.JOB_ONCE, RunFolder.TRACE, "job (job-%d) is missing".formatted(i)));
    }
  }

  /** Number in an id of the form {@code job-17}; −1 for any other. */
  private static long index(String id) {
    return id.startsWith("job-") && id.length() <= INDEX_END ? Cells.digits(id.substring(4)) : -1;
  }

  private void checkCells(Job job) {
    need(job, job.samples > 0, "batch_size");
    need(job, job.enqueueNs >= 0, "enqueue_time");
    need(job, job.sentNs != NONE, "sent_time");
    need(job, job.appendedNs != NONE, "appended_time");
    need(job, job.sloNs > 0, "slo_ms");
    need(job, job.shard >= 0, "shard");
    need(job, job.attempt >= 0, "attempt");
    need(job, !job.isDone() || !job.dispatchId.isEmpty(), "dispatch_id");
    need(job, !STATUSES.contains(job.status) || job.observedNs != NONE, "observed_time");
    boolean named = !job.dispatchId.isEmpty();
    need(job, named == !job.lane.isEmpty(), "lane_id");
    need(job, named == (job.predictedNs != NONE), "predicted_service_ms");
    need(job, named == (job.dispatchSamples != NONE), "dispatch_samples");
    need(job, named == (job.decidedNs != NONE), "decided_time");
    need(job, (job.startNs == NONE) == (job.endNs == NONE), "end_time");
    need(job, named || job.startNs == NONE, "start_time");
    boolean done = job.isDone();
    need(job, done == (job.waitNs != NONE), "wait_ms");
    need(job, done == (job.serviceNs != NONE), "service_ms");
    need(job, done == (job.endToEndNs != NONE), "e2e_ms");
    need(job, done == (job.shareNs != NONE), "service_share_ms");
    need(job, (done && job.serviceNs > 0) == !job.samplesPerSecond.isEmpty(), "throughput_sps");
  }

  private void need(Job job, boolean holds, String column) {
    if (!holds) {
      fault(
          Rule.FORMAT,
          job,
          "the cell %s does not suit job (%s), which is (%s)"
              .formatted(column, job.id, job.status));
    }
  }

  /** Sums of the job's own cells; its end is its batch's, and so is its service time. */
  private void checkSums(Job job) {
    findings.looked(Rule.TIME, 1);
    same(job, "wait_ms", job.waitNs, job.startNs - job.enqueueNs);
    same(job, "service_ms", job.serviceNs, job.endNs - job.startNs);
    same(job, "e2e_ms", job.endToEndNs, job.endNs - job.enqueueNs);
    if (Math.abs(job.waitNs + job.serviceNs - job.endToEndNs) > GRAIN_NS) {
      fault(
          Rule.TIME,
          job,
          "wait_ms + service_ms are (%s) ms, and e2e_ms (%s)"
              .formatted(ms(job.waitNs + job.serviceNs), ms(job.endToEndNs)));
    }
    if (job.serviceNs > 0) {
      double counted = job.samples * 1e9 / job.serviceNs;
      if (!(Math.abs(number(job.samplesPerSecond) - counted) <= 1e-3 + 1e-9 * counted)) {
        fault(
            Rule.TIME,
            job,
            "throughput_sps is (%s), and its samples by service_ms come to (%s)"
                .formatted(job.samplesPerSecond, counted));
      }
    }
    double share = (double) job.serviceNs * job.samples / job.dispatchSamples;
    if (Math.abs(job.shareNs - share) > 1 + 1e-9 * share) {
      fault(
          Rule.TIME,
          job,
          "service_share_ms is (%s), and its part of the batch comes to (%s)"
              .formatted(ms(job.shareNs), share / 1e6));
    }
  }

  private void same(Job job, String column, long statedNs, long countedNs) {
    if (Math.abs(statedNs - countedNs) > GRAIN_NS) {
      fault(
          Rule.TIME,
          job,
          "%s is (%s), and its times come to (%s)".formatted(column, ms(statedNs), ms(countedNs)));
    }
  }

  /** What came after what: two clocks are compared as closely as the run compared them. */
  private void checkOrder(Job job) {
    findings.looked(Rule.ORDER, 1);
    after(job, "sent_time", job.sentNs, "enqueue_time", job.enqueueNs, GRAIN_NS);
    after(job, "appended_time", job.appendedNs, "sent_time", job.sentNs, clockGrainNs);
    after(job, "decided_time", job.decidedNs, "appended_time", job.appendedNs, 0);
    after(job, "start_time", job.startNs, "sent_time", job.sentNs, GRAIN_NS);
    after(job, "start_time", job.startNs, "decided_time", job.decidedNs, clockGrainNs);
    after(job, "end_time", job.endNs, "start_time", job.startNs, 0);
    after(job, "observed_time", job.observedNs, "end_time", job.endNs, clockGrainNs);
    after(job, "observed_time", job.observedNs, "appended_time", job.appendedNs, 0);
    after(job, "observed_time", job.observedNs, "decided_time", job.decidedNs, 0);
  }

  private void after(
      Job job, String later, long laterNs, String earlier, long earlierNs, long grainNs) {
    if (laterNs != NONE && earlierNs != NONE && laterNs < earlierNs - grainNs) {
      fault(
          Rule.ORDER,
          job,
          "job (%s) has %s (%s) before %s (%s)"
              .formatted(job.id, later, seconds(laterNs), earlier, seconds(earlierNs)));
    }
  }

  private void checkPromise(Job job) {
    findings.looked(Rule.PROMISE, 1);
    boolean late = !job.isDone() || job.endToEndNs > job.sloNs;
    if (!job.violation.equals(late ? "1" : "0")) {
      fault(
          Rule.PROMISE,
          job,
          "slo_violation is (%s), with e2e_ms (%s) and slo_ms (%s)"
              .formatted(
                  job.violation,
                  job.endToEndNs == NONE ? "none" : ms(job.endToEndNs),
                  ms(job.sloNs)));
    }
  }

  private void fault(Rule rule, Job job, String what) {
    findings.fault(rule, job.where, what);
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static double ms(long ns) {
    return ns / 1e6;
  }

  static double seconds(long ns) {
    return ns / 1e9;
  }
}
