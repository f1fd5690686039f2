package dev.sluice.harness.twin.figure;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
public final class TraceTable {
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

  private TraceTable() {}

  public static void write(RunRows run, Path file) throws IOException {
    Experiment experiment = run.context().experiment();
    Map<String, Integer> tokens = new HashMap<>();
    for (WorkloadChoice workload : experiment.jobs().workloads()) {
      tokens.put(workload.name(), workload.tokens());
    }
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(COLUMNS);
      for (JobRow job : run.jobs()) {
        csv.writeRecord(
            cells(run.context().runId(), experiment.scheduling().schedulerName(), job, tokens));
      }
    }
  }

  private static List<String> cells(
      String runId, String schedulerName, JobRow job, Map<String, Integer> tokens) {
    JobRequested request = job.request();
    DispatchRow dispatch = job.dispatch();
    boolean done = job.isDone();
    List<String> cells = new ArrayList<>(COLUMNS.size());
    cells.add(runId);
    cells.add(schedulerName);
    cells.add(request.jobId());
    cells.add(request.classType());
    cells.add(request.workload());
    cells.add(request.backend());
    cells.add(request.precision());
    cells.add(Integer.toString(request.samples()));
    cells.add(Decimals.seconds(request.intendedAtNs()));
    cells.add(Decimals.seconds(job.startedAtNs()));
    cells.add(Decimals.seconds(job.finishedAtNs()));
    cells.add(done ? Decimals.ms(job.waitNs()) : "");
    cells.add(done ? Decimals.ms(job.serviceNs()) : "");
    cells.add(done ? Decimals.ms(job.endToEndNs()) : "");
    cells.add(done && job.serviceNs() > 0 ? samplesPerSecond(job) : "");
    cells.add(Decimals.ms(request.sloNs()));
    cells.add(job.isViolation() ? "1" : "0");
    cells.add(dispatch == null ? "" : dispatch.laneId());
    cells.add(dispatch == null ? "" : Decimals.ms(dispatch.prediction().meanNs()));
    cells.add(cost(request, tokens));
    cells.add(job.phase().text());
    cells.add(job.status().text());
    cells.add(job.reason() == null ? "" : job.reason());
    cells.add(dispatch == null ? "" : dispatch.dispatch().dispatchId().toString());
    cells.add(dispatch == null ? "" : Integer.toString(dispatch.dispatch().work().samples()));
    cells.add(done ? Decimals.ms(job.serviceShareNs()) : "");
    cells.add(Integer.toString(job.attempt()));
    cells.add(Decimals.seconds(request.sentAtNs()));
    cells.add(Decimals.seconds(job.appendedAtNs()));
    cells.add(
        dispatch == null ? "" : Decimals.seconds(dispatch.dispatch().decision().decidedAtNs()));
    cells.add(Decimals.seconds(job.observedAtNs()));
    cells.add(Integer.toString(job.shard()));
    return cells;
  }

  private static String samplesPerSecond(JobRow job) {
    return Decimals.plain(Math.round(job.request().samples() * 1e12 / job.serviceNs()) / 1e3);
  }

  private static String cost(JobRequested request, Map<String, Integer> tokens) {
    Integer base = tokens.get(request.workload());
    if (base == null) {
      return "";
    }
    return Long.toString(Experiment.tokens(base, request.precision(), request.samples()));
  }
}
