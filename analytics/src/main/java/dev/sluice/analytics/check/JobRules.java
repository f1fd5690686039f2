package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Row.NONE;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Holds each job's row to itself: its state, its sums, its order, its promise; and to config.yaml:
 * names, phase, class, model, tokens.
 */
final class JobRules extends RunRules {
  /** Times have whole microseconds: two of them are off by less than this. */
  private static final long GRAIN_NS = 4 * HALF_GRAIN_NS;

  private static final Set<String> STATUSES = Set.of("done", "dropped", "failed");

  /** Where and when a run was, which summary.json and config.yaml both tell. */
  private static final List<String> ORIGIN =
      List.of("started_at", "ended_at", "command_line", "commit", "host", "processor");

  private final long clockGrainNs = folder.clockGrainNs();
  private final Map<String, RunConfig> workloads = config.workloads();
  private final Map<String, RunConfig> classes = config.sectionsByName("classes");
  private final Set<String> backends = new HashSet<>(config.texts("backends_enabled"));
  private final Set<String> precisions = new HashSet<>(config.texts("precision_modes"));
  private final Set<String> sizes = new HashSet<>(config.texts("batch_sizes"));
  private final boolean drawn = !config.isReplayed();
  private final long warmupNs = config.warmupNs();
  private final long durationNs = config.durationNs();

  JobRules(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    checkMeasured();
    checkNames();
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
        fault(Rule.JOB_ONCE, job, "job (%s) stands there twice", job.id);
      }
      if (!job.phase.equals("tail")) {
        indexMax = Math.max(indexMax, job.index);
      }
      if (!STATUSES.contains(job.status)) {
        fault(Rule.JOB_ONCE, job, "job (%s) ended as (%s)", job.id, job.status);
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
      judge(Rule.PROMISE, job, brokenPromise(job));
      judge(Rule.PHASE, job, otherPhase(job));
      judge(Rule.CLASS, job, otherClass(job));
      judge(Rule.KIND, job, otherKind(job));
      RunConfig workload = workloads.get(job.workload);
      if (workload != null) { // else the rule KIND says so
        judge(Rule.COST, job, otherCost(job, workload));
      }
    }
    checkNoneMissing(
        ids, folder.wasInterrupted() ? indexMax - config.whole("generators") : indexMax);
  }

  private void checkMeasured() {
    long measured = folder.jobs().stream().filter(Job::isMeasured).count();
    findings.looked(Rule.MEASURED, measured);
    if (measured == 0) {
      findings.fault(
          Rule.MEASURED,
          RunFolder.TRACE,
          "none of its (%d) jobs was measured",
          folder.jobs().size());
    }
    if (!(durationNs > warmupNs)) {
      findings.fault(
          Rule.MEASURED,
          RunFolder.CONFIG,
          "no job can be measured from warmup_seconds (%s) to duration_seconds (%s)"
              .formatted(config.text("warmup_seconds"), config.text("duration_seconds")));
    }
  }

  private void checkNames() {
    String runId = folder.summary().path("run_id").asText();
    String policy = config.text("scheduler_name");
    findings.looked(Rule.NAME, folder.jobs().size());
    for (Job job : folder.jobs()) {
      if (!job.runId.equals(runId) || !job.scheduler.equals(policy)) {
        fault(
            Rule.NAME,
            job,
            "it is of run (%s) under (%s), and the folder's is (%s) under (%s)"
                .formatted(job.runId, job.scheduler, runId, policy));
      }
    }
    same("scheduler_name", policy);
    same("run_name", config.text("run_name"));
    same("seed", config.text("seed"));
    same("request_digest", config.text("recorded", "request_digest"));
    same("config_digest", config.text("recorded", "config_digest"));
    same("scenario", config.scenario());
    for (String name : ORIGIN) {
      if (config.at("recorded", name) != null) { // an earlier Sluice does not say it
        same(name, config.text("recorded", name));
      }
    }
    String lanes = config.text("recorded", "lanes");
    for (String kind : List.of("emulated", "simulated")) {
      if (!lanes.isEmpty() && folder.summary().has(kind)) {
        same(kind, String.valueOf(lanes.equals(kind)));
      }
    }
  }

  private void same(String name, String wanted) {
    looked(Rule.NAME);
    String said = folder.summary().path(name).asText();
    if (!said.equals(wanted)) {
      findings.fault(
          Rule.NAME, "summary.json " + name, "it says (%s), and config.yaml (%s)", said, wanted);
    }
  }

  /** Each generator stops by itself at the end, and leaves a gap among the last jobs. */
  private void checkNoneMissing(Set<String> ids, long indexMax) {
    long[] missing =
        LongStream.rangeClosed(0, indexMax).filter(i -> !ids.contains("job-" + i)).toArray();
    if (!folder.explains(missing.length)) {
      for (long i : missing) {
        findings.fault(Rule.JOB_ONCE, RunFolder.TRACE, "job (job-%d) is missing", i);
      }
    }
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

  /** Sums of the job's own cells; its end is its batch's, and so is its service time. */
  private void checkSums(Job job) {
    looked(Rule.TIME);
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
    looked(Rule.ORDER);
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

  private static String brokenPromise(Job job) {
    return job.violation.equals(job.isInTime() ? "0" : "1")
        ? ""
        : "slo_violation is (%s), with e2e_ms (%s) and slo_ms (%s)"
            .formatted(
                job.violation, job.endToEndNs == NONE ? "none" : ms(job.endToEndNs), ms(job.sloNs));
  }

  private String otherPhase(Job job) {
    return job.phase.equals(phase(job.enqueueNs))
            || job.phase.equals(phase(job.enqueueNs - 2 * HALF_GRAIN_NS))
        ? ""
        : "phase is (%s), with enqueue_time (%s), warmup_seconds (%s) and duration_seconds (%s)"
            .formatted(
                job.phase,
                seconds(job.enqueueNs),
                config.text("warmup_seconds"),
                config.text("duration_seconds"));
  }

  private String phase(long intendedNs) {
    if (intendedNs < warmupNs) {
      return "warmup";
    }
    return intendedNs < durationNs ? "measured" : "tail";
  }

  private String otherClass(Job job) {
    RunConfig jobClass = classes.get(job.classType);
    if (jobClass == null) {
      return "class (%s) is none of config.yaml's %s".formatted(job.classType, classes.keySet());
    }
    double sloMs = jobClass.number("slo_ms");
    return drawn && !Double.isNaN(sloMs) && job.sloNs != Math.max(1, Math.round(sloMs * 1e6))
        ? "slo_ms is (%s), and class (%s) is promised (%s)"
            .formatted(ms(job.sloNs), job.classType, sloMs)
        : "";
  }

  private String otherKind(Job job) {
    RunConfig workload = workloads.get(job.workload);
    boolean known =
        workload != null
            && (!drawn
                || ((backends.contains(job.backend) || workload.hasOwnModel())
                    && precisions.contains(job.precision)
                    && sizes.contains(Long.toString(job.samples))));
    return known
        ? ""
        : "config.yaml asks for no job of (%d) samples of (%s, %s, %s)"
            .formatted(job.samples, job.workload, job.backend, job.precision);
  }

  private static String otherCost(Job job, RunConfig workload) {
    long tokens = workload.tokensOf(job.precision, job.samples);
    return job.tokens == tokens
        ? ""
        : "resource_cost_tokens is (%s), and (%d) samples of (%s, %s) cost (%d)"
            .formatted(
                job.tokens == NONE ? "none" : job.tokens,
                job.samples,
                job.workload,
                job.precision,
                tokens);
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }
}
