package dev.sluice.analytics.report;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
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

  private final Jobs jobs;
  private final Batches rows;
  private final TableWriter csv;

  /** Cells of each model: workload, backend and precision. */
  private final List<List<String>> models;

  private DispatchTable(RunRows run, TableWriter csv) {
    this.csv = csv;
    jobs = run.jobs();
    rows = run.batches();
    models =
        rows.models().stream().map(m -> List.of(m.workload(), m.backend(), m.precision())).toList();
  }

  static void write(RunRows run, Path file) throws IOException {
    TableWriter.write(file, COLUMNS, csv -> new DispatchTable(run, csv).write());
  }

  private void write() {
    for (int i = 0; i < rows.size(); i++) {
      write(rows.at(i));
    }
  }

  private void write(int batch) {
    boolean ran = rows.ran(batch);
    csv.text(rows.factOffset(batch) + "-" + rows.index(batch));
    csv.text(rows.laneId(batch));
    csv.text(jobIds(batch));
    csv.number(rows.samples(batch));
    csv.number(rows.tokens(batch));
    csv.number(rows.attempt(batch));
    csv.text(rows.result(batch));
    csv.seconds(rows.decidedAtNs(batch));
    csv.seconds(rows.startedAtNs(batch), Jobs.NONE);
    csv.seconds(rows.finishedAtNs(batch), Jobs.NONE);
    csv.ms(rows.predictedNs(batch));
    csv.text(rows.predictionSource(batch));
    csv.text(rows.scoreTerms(batch));
    csv.text(rows.cause(batch));
    csv.texts(models.get(rows.modelNumber(batch)));
    csv.ms(ran ? rows.serviceNs(batch) : Jobs.NONE, Jobs.NONE);
    csv.ms(ran ? rows.switchNs(batch) : Jobs.NONE, Jobs.NONE);
    csv.ms(rows.emulatedServiceNs(batch), Jobs.NONE);
    csv.seconds(rows.completedAtNs(batch), Jobs.NONE);
    csv.number(rows.shard(batch));
    csv.ms(rows.predictedQuantileNs(batch), Jobs.NONE);
    csv.ms(rows.predictedP95Ns(batch), Jobs.NONE);
    csv.ms(rows.predictedP99Ns(batch), Jobs.NONE);
    csv.text(rows.modelVersion(batch));
    csv.count(rows.predictedBusyLanes(batch));
    csv.count(rows.busyLanes(batch));
    csv.endLine();
  }

  private String jobIds(int batch) {
    int count = rows.jobCount(batch);
    if (count == 1) {
      return jobs.id(rows.job(batch, 0));
    }
    return IntStream.range(0, count)
        .mapToObj(place -> jobs.id(rows.job(batch, place)))
        .collect(Collectors.joining(" "));
  }
}
