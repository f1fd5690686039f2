package dev.sluice.analytics.report;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobKind;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * trace.csv: a row per job, by intended arrival.
 *
 * <p>Columns that end in {@code _time} are seconds since time zero with six decimals, those in
 * {@code _ms} milliseconds with six, which is exact. Durations and throughput_sps are empty for
 * jobs that are not done, even where start_time and end_time are not. resource_cost_tokens is the
 * job's cost alone: its model's tokens + 4 × samples, × 0.7 rounded up for fp16 and bf16; empty for
 * a workload that the experiment does not name. dispatch_id is unique within its shard; it names
 * the attempt that ended the job, to which start_time and end_time belong.
 */
final class TraceTable {
  static final List<String> COLUMNS =
      List.of(
          "run_id",
          "scheduler_name",
          "job_id",
          "class_type",
          "workload_name",
          "backend",
          "precision",
          "batch_size",
          "enqueue_time",
          "start_time",
          "end_time",
          "wait_ms",
          "service_ms",
          "e2e_ms",
          "throughput_sps",
          "slo_ms",
          "slo_violation",
          "lane_id",
          "predicted_service_ms",
          "resource_cost_tokens",
          "phase",
          "status",
          "reason",
          "dispatch_id",
          "dispatch_samples",
          "service_share_ms",
          "attempt",
          "sent_time",
          "appended_time",
          "decided_time",
          "observed_time",
          "shard");

  private final Jobs jobs;
  private final Batches batches;
  private final TableWriter csv;

  private final List<String> runAndPolicy;

  /** Cells of each kind of job: class, workload, backend and precision. */
  private final List<List<String>> kinds = new ArrayList<>();

  /** Tokens of each kind's model; null: the experiment does not name it. */
  private final List<@Nullable Integer> tokens = new ArrayList<>();

  private TraceTable(RunRows run, TableWriter csv) {
    this.csv = csv;
    jobs = run.jobs();
    batches = run.batches();
    runAndPolicy =
        List.of(run.context().runId(), run.context().experiment().scheduling().schedulerName());
    Map<String, Integer> byWorkload = new HashMap<>();
    for (WorkloadChoice workload : run.context().experiment().jobs().workloads()) {
      byWorkload.put(workload.name(), workload.tokens());
    }
    for (JobKind kind : jobs.kinds()) {
      kinds.add(List.of(kind.classType(), kind.workload(), kind.backend(), kind.precision()));
      tokens.add(byWorkload.get(kind.workload()));
    }
  }

  static void write(RunRows run, Path file) throws IOException {
    TableWriter.write(file, COLUMNS, csv -> new TraceTable(run, csv).write());
  }

  private void write() {
    for (int i = 0; i < jobs.size(); i++) {
      write(jobs.at(i));
    }
  }

  private void write(int job) {
    int batch = jobs.batch(job);
    boolean done = jobs.isDone(job);
    int kind = jobs.kindNumber(job);
    csv.texts(runAndPolicy);
    csv.text(jobs.id(job));
    csv.texts(kinds.get(kind));
    csv.number(jobs.samples(job));
    csv.seconds(jobs.intendedAtNs(job));
    csv.seconds(jobs.startedAtNs(job), Jobs.NONE);
    csv.seconds(jobs.finishedAtNs(job), Jobs.NONE);
    ms(done, done ? jobs.waitNs(job) : 0);
    ms(done, done ? jobs.serviceNs(job) : 0);
    ms(done, done ? jobs.endToEndNs(job) : 0);
    if (done && jobs.serviceNs(job) > 0) {
      samplesPerSecond(jobs.samples(job), jobs.serviceNs(job));
    } else {
      csv.empty();
    }
    csv.ms(jobs.sloNs(job));
    csv.number(jobs.isViolation(job) ? 1 : 0);
    csv.text(batch < 0 ? null : batches.laneId(batch));
    ms(batch >= 0, batch < 0 ? 0 : batches.predictedNs(batch));
    Integer base = tokens.get(kind);
    if (base == null) {
      csv.empty();
    } else {
      csv.number(Experiment.tokens(base, jobs.kind(job).precision(), jobs.samples(job)));
    }
    csv.text(jobs.phase(job).text());
    csv.text(jobs.status(job).text());
    csv.text(jobs.reason(job));
    if (batch < 0) {
      csv.empty().empty();
    } else {
      csv.text(batches.factOffset(batch) + "-" + batches.index(batch));
      csv.number(batches.samples(batch));
    }
    ms(done, done ? jobs.serviceShareNs(job) : 0);
    csv.number(jobs.attempt(job));
    csv.seconds(jobs.sentAtNs(job));
    csv.seconds(jobs.appendedAtNs(job));
    csv.seconds(batch < 0 ? Jobs.NONE : batches.decidedAtNs(batch), Jobs.NONE);
    csv.seconds(jobs.observedAtNs(job), Jobs.NONE);
    csv.number(jobs.shard(job));
    csv.endLine();
  }

  private void ms(boolean known, long ns) {
    if (known) {
      csv.ms(ns);
    } else {
      csv.empty();
    }
  }

  private void samplesPerSecond(int samples, long serviceNs) {
    csv.text(Decimals.plain(Math.round(samples * 1e12 / serviceNs) / 1e3));
  }
}
