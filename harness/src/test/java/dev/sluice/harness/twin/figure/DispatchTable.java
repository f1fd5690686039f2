package dev.sluice.harness.twin.figure;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.Prediction;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
public final class DispatchTable {
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

  private DispatchTable() {}

  public static void write(RunRows run, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(COLUMNS);
      for (DispatchRow row : run.dispatches()) {
        csv.writeRecord(cells(row));
      }
    }
  }

  private static List<String> cells(DispatchRow row) {
    BatchDispatched dispatch = row.dispatch();
    BatchCompleted completion = row.completion();
    Long emulatedServiceNs = row.emulatedServiceNs();
    BatchDispatched.Work work = dispatch.work();
    Prediction prediction = dispatch.prediction();
    List<String> cells = new ArrayList<>(COLUMNS.size());
    cells.add(dispatch.dispatchId().toString());
    cells.add(row.laneId());
    cells.add(
        work.jobs().stream()
            .map(BatchDispatched.DispatchedJob::jobId)
            .collect(Collectors.joining(" ")));
    cells.add(Integer.toString(work.samples()));
    cells.add(Integer.toString(work.tokens()));
    cells.add(Integer.toString(work.attempt()));
    cells.add(row.result());
    cells.add(Decimals.seconds(dispatch.decision().decidedAtNs()));
    cells.add(Decimals.seconds(row.startedAtNs()));
    cells.add(Decimals.seconds(row.finishedAtNs()));
    cells.add(Decimals.ms(prediction.meanNs()));
    cells.add(prediction.source());
    cells.add(terms(dispatch.decision().scoreTerms()));
    cells.add(completion == null || completion.cause() == null ? "" : completion.cause());
    cells.add(work.model().workload());
    cells.add(work.model().backend());
    cells.add(work.model().precision());
    cells.add(row.ran() ? Decimals.ms(row.serviceNs()) : "");
    cells.add(completion == null || !row.ran() ? "" : Decimals.ms(completion.switchNs()));
    cells.add(emulatedServiceNs == null ? "" : Decimals.ms(emulatedServiceNs));
    cells.add(Decimals.seconds(row.completedAtNs()));
    cells.add(Integer.toString(row.shard()));
    cells.add(msOrEmpty(prediction.quantileNs()));
    cells.add(msOrEmpty(prediction.p95Ns()));
    cells.add(msOrEmpty(prediction.p99Ns()));
    cells.add(Objects.requireNonNullElse(prediction.modelVersion(), ""));
    cells.add(countOrEmpty(prediction.busyLanes()));
    cells.add(countOrEmpty(completion == null ? null : completion.busyLanes()));
    return cells;
  }

  private static String msOrEmpty(@Nullable Long ns) {
    return ns == null ? "" : Decimals.ms(ns);
  }

  private static String countOrEmpty(@Nullable Integer count) {
    return count == null ? "" : Integer.toString(count);
  }

  private static String terms(Map<String, Double> terms) {
    return new TreeMap<>(terms)
        .entrySet().stream()
            .map(term -> term.getKey() + "=" + Decimals.plain(term.getValue()))
            .collect(Collectors.joining(";"));
  }
}
