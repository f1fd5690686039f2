package dev.sluice.analytics.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.value.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * dispatches.csv: a row per dispatch and attempt, by decision.
 *
 * <p>Units as in trace.csv. job_ids are separated by spaces, the chosen one first; score_terms are
 * {@code name=value} by name, separated by semicolons. model_version names the published table
 * behind the prediction; predicted_quantile_ms is the upper bound of {@code predictor.quantile}; an
 * unknown bound is empty. predicted_busy_lanes is the number of busy lanes that the prediction
 * assumed, busy_lanes the number that ran a batch when this one began. completed_time is the
 * broker's append of the completion, the earliest time at which the scheduler could know of it.
 * result is done, failed, refused, open (no completion yet), or lost: the dispatch ended none of
 * its jobs, because it was never answered (then start_time and end_time are empty) or only after
 * they had ended by another attempt.
 */
final class DispatchTable {
  static final List<String> COLUMNS =
      List.of(
          "dispatch_id",
          "lane_id",
          "job_ids",
          "samples",
          "tokens",
          "attempt",
          "result",
          "decided_time",
          "start_time",
          "end_time",
          "predicted_service_ms",
          "prediction_source",
          "score_terms",
          "cause",
          "workload_name",
          "backend",
          "precision",
          "service_ms",
          "switch_ms",
          "emulated_service_ms",
          "completed_time",
          "shard",
          "predicted_quantile_ms",
          "predicted_p95_ms",
          "predicted_p99_ms",
          "model_version",
          "predicted_busy_lanes",
          "busy_lanes");

  private static final byte[] JOB = JobId.PREFIX.getBytes(UTF_8);
  private static final byte[] NOTHING = {};

  private final Jobs jobs;
  private final Batches rows;
  private final CsvBytes csv;

  /** Cells of each model: workload, backend and precision. */
  private final List<byte[]> models;

  private DispatchTable(RunRows run, CsvBytes csv) {
    this.csv = csv;
    jobs = run.jobs();
    rows = run.batches();
    models =
        rows.models().stream()
            .map(m -> CsvBytes.joined(List.of(m.workload(), m.backend(), m.precision())))
            .toList();
  }

  static void write(RunRows run, Path file) throws IOException {
    try (CsvBytes csv = CsvBytes.to(file, COLUMNS)) {
      new DispatchTable(run, csv).write();
    }
  }

  private void write() throws IOException {
    for (int i = 0; i < rows.size(); i++) {
      write(rows.at(i));
    }
  }

  private void write(int batch) throws IOException {
    boolean ran = rows.ran(batch);
    csv.number(rows.factOffset(batch)).more('-', NOTHING, rows.index(batch));
    csv.text(rows.laneId(batch));
    jobIds(batch);
    csv.number(rows.samples(batch));
    csv.number(rows.tokens(batch));
    csv.number(rows.attempt(batch));
    csv.text(rows.result(batch));
    csv.seconds(rows.decidedAtNs(batch));
    seconds(rows.startedAtNs(batch));
    seconds(rows.finishedAtNs(batch));
    csv.ms(rows.predictedNs(batch));
    csv.text(rows.predictionSource(batch));
    if (rows.termNames(batch).isEmpty()) {
      csv.empty();
    } else {
      csv.rareText(rows.scoreTerms(batch));
    }
    csv.text(rows.cause(batch));
    csv.bytes(models.get(rows.modelNumber(batch)));
    ms(ran ? rows.serviceNs(batch) : Jobs.NONE);
    ms(ran ? rows.switchNs(batch) : Jobs.NONE);
    ms(rows.emulatedServiceNs(batch));
    seconds(rows.completedAtNs(batch));
    csv.number(rows.shard(batch));
    ms(rows.predictedQuantileNs(batch));
    ms(rows.predictedP95Ns(batch));
    ms(rows.predictedP99Ns(batch));
    csv.text(rows.modelVersion(batch));
    count(rows.predictedBusyLanes(batch));
    count(rows.busyLanes(batch));
    csv.endLine();
  }

  private void jobIds(int batch) throws IOException {
    int count = rows.jobCount(batch);
    for (int i = 0; i < count; i++) {
      if (jobs.idNumber(rows.job(batch, i)) < 0) {
        csv.rareText(
            IntStream.range(0, count)
                .mapToObj(place -> jobs.id(rows.job(batch, place)))
                .collect(Collectors.joining(" ")));
        return;
      }
    }
    for (int i = 0; i < count; i++) {
      int number = jobs.idNumber(rows.job(batch, i));
      if (i == 0) {
        csv.named(JOB, number);
      } else {
        csv.more(' ', JOB, number);
      }
    }
  }

  private void seconds(long ns) throws IOException {
    if (ns == Jobs.NONE) {
      csv.empty();
    } else {
      csv.seconds(ns);
    }
  }

  private void ms(long ns) throws IOException {
    if (ns == Jobs.NONE) {
      csv.empty();
    } else {
      csv.ms(ns);
    }
  }

  private void count(int count) throws IOException {
    if (count < 0) {
      csv.empty();
    } else {
      csv.number(count);
    }
  }
}
