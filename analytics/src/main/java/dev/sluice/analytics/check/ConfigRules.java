package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Cells.NONE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds each row to config.yaml: names, phases, promises, models, tokens. */
final class ConfigRules {
  /** Intended arrivals have whole microseconds in the table. */
  private static final long GRAIN_NS = 1_000;

  /** Where and when a run was, which summary.json and config.yaml both tell. */
  private static final List<String> ORIGIN =
      List.of("started_at", "ended_at", "command_line", "commit", "host", "processor");

  private final RunFolder folder;
  private final RunConfig config;
  private final Findings findings;
  private final Map<String, RunConfig> workloads;
  private final Map<String, RunConfig> classes;
  private final Set<String> backends;
  private final Set<String> precisions;
  private final Set<String> sizes;
  private final boolean drawn;
  private final long warmupNs;
  private final long durationNs;

  ConfigRules(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.config = folder.config();
    this.findings = findings;
    this.workloads = config.workloads();
    this.classes = config.sectionsByName("classes");
    this.backends = new HashSet<>(config.texts("backends_enabled"));
    this.precisions = new HashSet<>(config.texts("precision_modes"));
    this.sizes = new HashSet<>(config.texts("batch_sizes"));
    this.drawn = !config.isReplayed();
    this.warmupNs = config.warmupNs();
    this.durationNs = config.durationNs();
  }

  /** Checks all rows. */
  void check() {
    checkMeasured();
    checkNames();
    for (Job job : folder.jobs()) {
      checkPhase(job);
      checkClass(job);
      checkKind(job);
      checkCost(job);
    }
    folder.batches().forEach(this::checkCost);
  }

  private void checkMeasured() {
    long measured = folder.jobs().stream().filter(Job::isMeasured).count();
    findings.looked(Rule.MEASURED, measured);
    if (measured == 0) {
      findings.fault(
          Rule.MEASURED,
          RunFolder.TRACE,
          "none of its (%d) jobs was measured".formatted(folder.jobs().size()));
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
    JsonNode summary = folder.summary();
    String runId = summary.path("run_id").asText();
    String policy = config.text("scheduler_name");
    for (Job job : folder.jobs()) {
      findings.looked(Rule.NAME, 1);
      if (!job.runId.equals(runId) || !job.scheduler.equals(policy)) {
        findings.fault(
            Rule.NAME,
            job.where,
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
    findings.looked(Rule.NAME, 1);
    String said = folder.summary().path(name).asText();
    if (!said.equals(wanted)) {
      findings.fault(
          Rule.NAME,
          "summary.json " + name,
          "it says (%s), and config.yaml (%s)".formatted(said, wanted));
    }
  }

  private void checkPhase(Job job) {
    findings.looked(Rule.PHASE, 1);
    if (!job.phase.equals(phase(job.enqueueNs))
        && !job.phase.equals(phase(job.enqueueNs - GRAIN_NS))) {
      findings.fault(
          Rule.PHASE,
          job.where,
          "phase is (%s), with enqueue_time (%s), warmup_seconds (%s) and duration_seconds (%s)"
              .formatted(
                  job.phase,
                  job.enqueueNs / 1e9,
                  config.text("warmup_seconds"),
                  config.text("duration_seconds")));
    }
  }

  private String phase(long intendedNs) {
    if (intendedNs < warmupNs) {
      return "warmup";
    }
    return intendedNs < durationNs ? "measured" : "tail";
  }

  private void checkClass(Job job) {
    RunConfig jobClass = classes.get(job.classType);
    findings.looked(Rule.CLASS, 1);
    if (jobClass == null) {
      findings.fault(
          Rule.CLASS,
          job.where,
          "class (%s) is none of config.yaml's %s".formatted(job.classType, classes.keySet()));
      return;
    }
    double sloMs = jobClass.number("slo_ms");
    if (drawn && !Double.isNaN(sloMs) && job.sloNs != Math.max(1, Math.round(sloMs * 1e6))) {
      findings.fault(
          Rule.CLASS,
          job.where,
          "slo_ms is (%s), and class (%s) is promised (%s)"
              .formatted(job.sloNs / 1e6, job.classType, sloMs));
    }
  }

  private void checkKind(Job job) {
    findings.looked(Rule.KIND, 1);
    boolean known =
        workloads.containsKey(job.workload)
            && (!drawn
                || (isBackend(job)
                    && precisions.contains(job.precision)
                    && sizes.contains(Long.toString(job.samples))));
    if (!known) {
      findings.fault(
          Rule.KIND,
          job.where,
          "config.yaml asks for no job of (%d) samples of (%s, %s, %s)"
              .formatted(job.samples, job.workload, job.backend, job.precision));
    }
  }

  /** A model file of the user's own runs on its own engine, of which the config does not tell. */
  private boolean isBackend(Job job) {
    RunConfig workload = workloads.get(job.workload);
    return backends.contains(job.backend) || (workload != null && workload.at("path") != null);
  }

  private void checkCost(Job job) {
    RunConfig workload = workloads.get(job.workload);
    if (workload == null) {
      return; // the rule KIND says so
    }
    findings.looked(Rule.COST, 1);
    long tokens = RunConfig.tokens(base(workload), job.precision, job.samples);
    if (job.tokens != tokens) {
      findings.fault(
          Rule.COST,
          job.where,
          "resource_cost_tokens is (%s), and (%d) samples of (%s, %s) cost (%d)"
              .formatted(
                  job.tokens == NONE ? "none" : job.tokens,
                  job.samples,
                  job.workload,
                  job.precision,
                  tokens));
    }
  }

  private void checkCost(Batch batch) {
    RunConfig workload = workloads.get(batch.workload);
    if (workload == null) {
      return;
    }
    findings.looked(Rule.COST, 1);
    long tokens = RunConfig.tokens(base(workload), batch.precision, batch.samples);
    boolean outsideBudget =
        batch.tokens == 0
            && config.flag("resources", "enabled")
            && config.flag("resources", "cpu_fallback")
            && tokens > config.number("resources", "total_tokens");
    boolean noBudget = batch.tokens == 0 && !config.flag("resources", "enabled");
    if (batch.tokens != tokens && !outsideBudget && !noBudget) {
      findings.fault(
          Rule.COST,
          batch.where,
          "tokens are (%d), and (%d) samples of (%s, %s) cost (%d)"
              .formatted(batch.tokens, batch.samples, batch.workload, batch.precision, tokens));
    }
  }

  private static long base(RunConfig workload) {
    return Math.round(workload.number("tokens"));
  }
}
