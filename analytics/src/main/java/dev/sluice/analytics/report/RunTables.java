package dev.sluice.analytics.report;

import dev.sluice.analytics.fold.ModelStays.ModelStay;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables trace.csv, dispatches.csv and loads.csv of a run.
 *
 * <p>Columns that end in {@code _time} are seconds since time zero with six decimals, those in
 * {@code _ms} milliseconds with six, which is exact. What is unknown is empty. docs/results.md says
 * what each column means.
 */
final class RunTables {
  private RunTables() {}

  /** A column, with its cell in a row. */
  private record Column<R>(String name, Cell<R> cell) {}

  private interface Cell<R> {
    void write(R row, TableFile to);
  }

  /** A text; null: empty. */
  private static <R> Column<R> column(String name, Function<R, @Nullable String> text) {
    return new Column<>(name, (row, to) -> to.text(text.apply(row)));
  }

  private static <R> Column<R> number(String name, ToIntFunction<R> value) {
    return new Column<>(name, (row, to) -> to.number(value.applyAsInt(row)));
  }

  /** A number that there is not below 0. */
  private static Column<BatchRow> count(String name, ToIntFunction<BatchRow> value) {
    return new Column<>(
        name,
        (row, to) -> {
          int count = value.applyAsInt(row);
          if (count < 0) {
            to.text(null);
          } else {
            to.number(count);
          }
        });
  }

  /** Seconds, half up. */
  private static <R> Column<R> seconds(String name, ToLongFunction<R> ns) {
    return ms(
        name,
        row -> {
          long exactNs = ns.applyAsLong(row);
          return exactNs == Jobs.NONE ? Jobs.NONE : Math.floorDiv(exactNs + 500, 1000L);
        });
  }

  private static <R> Column<R> ms(String name, ToLongFunction<R> ns) {
    return new Column<>(
        name,
        (row, to) -> {
          long millionths = ns.applyAsLong(row);
          if (millionths == Jobs.NONE) {
            to.text(null);
          } else {
            to.millionths(millionths);
          }
        });
  }

  private static Column<JobRow> msIfDone(String name, ToLongFunction<JobRow> ns) {
    return ms(name, job -> job.isDone() ? ns.applyAsLong(job) : Jobs.NONE);
  }

  /** The cell of a column of the batch that ended a job; empty without one. */
  private static Column<JobRow> ofBatch(Column<BatchRow> column) {
    return new Column<>(
        column.name,
        (job, to) -> {
          BatchRow batch = job.batch();
          if (batch == null) {
            to.text(null);
          } else {
            column.cell.write(batch, to);
          }
        });
  }

  private static <R> void write(Path file, List<R> rows, List<Column<R>> columns)
      throws IOException {
    try (var table = new TableFile(file)) {
      columns.forEach(column -> table.text(column.name));
      table.endLine();
      for (R row : rows) {
        for (int i = 0; i < columns.size(); i++) {
          columns.get(i).cell.write(row, table);
        }
        table.endLine();
      }
    }
  }

  /** Writes trace.csv: a row per job, by intended arrival. */
  static void writeTrace(RunRows run, Path file) throws IOException {
    Experiment experiment = run.context().experiment();
    String policy = experiment.scheduling().schedulerName();
    Map<String, Integer> tokens = new HashMap<>();
    experiment.jobs().workloads().forEach(one -> tokens.put(one.name(), one.tokens()));
    write(
        file,
        run.jobs().all(),
        List.of(
            column("run_id", job -> run.context().runId()),
            column("scheduler_name", job -> policy),
            column("job_id", JobRow::id),
            column("class_type", job -> job.kind().classType()),
            column("workload_name", job -> job.kind().workload()),
            column("backend", job -> job.kind().backend()),
            column("precision", job -> job.kind().precision()),
            number("batch_size", JobRow::samples),
            seconds("enqueue_time", JobRow::intendedAtNs),
            seconds("start_time", JobRow::startedAtNs),
            seconds("end_time", JobRow::finishedAtNs),
            msIfDone("wait_ms", JobRow::waitNs),
            msIfDone("service_ms", JobRow::serviceNs),
            msIfDone("e2e_ms", JobRow::endToEndNs),
            column(
                "throughput_sps",
                job ->
                    job.isDone() && job.serviceNs() > 0
                        ? samplesPerSecond(job.samples(), job.serviceNs())
                        : null),
            ms("slo_ms", JobRow::sloNs),
            number("slo_violation", job -> job.isViolation() ? 1 : 0),
            ofBatch(column("lane_id", BatchRow::laneId)),
            ofBatch(ms("predicted_service_ms", BatchRow::predictedNs)),
            column(
                "resource_cost_tokens",
                job -> {
                  Integer base = tokens.get(job.kind().workload());
                  String precision = job.kind().precision();
                  return base == null
                      ? null
                      : Long.toString(Experiment.tokens(base, precision, job.samples()));
                }),
            column("phase", job -> job.phase().text()),
            column("status", job -> job.status().text()),
            column("reason", JobRow::reason),
            ofBatch(column("dispatch_id", batch -> batch.id().toString())),
            ofBatch(number("dispatch_samples", BatchRow::samples)),
            msIfDone("service_share_ms", JobRow::serviceShareNs),
            number("attempt", JobRow::attempt),
            seconds("sent_time", JobRow::sentAtNs),
            seconds("appended_time", JobRow::appendedAtNs),
            ofBatch(seconds("decided_time", BatchRow::decidedAtNs)),
            seconds("observed_time", JobRow::observedAtNs),
            number("shard", JobRow::shard)));
  }

  private static String samplesPerSecond(int samples, long serviceNs) {
    return Decimals.plain(Math.round(samples * 1e12 / serviceNs) / 1e3);
  }

  /** Writes dispatches.csv: a row per dispatch and attempt, by decision. */
  static void writeDispatches(RunRows run, Path file) throws IOException {
    write(
        file,
        run.batches().all(),
        List.of(
            column("dispatch_id", batch -> batch.id().toString()),
            column("lane_id", BatchRow::laneId),
            column(
                "job_ids",
                batch ->
                    batch.jobs().length == 1
                        ? batch.jobs()[0].id()
                        : Arrays.stream(batch.jobs())
                            .map(JobRow::id)
                            .collect(Collectors.joining(" "))),
            number("samples", BatchRow::samples),
            number("tokens", BatchRow::tokens),
            number("attempt", BatchRow::attempt),
            column("result", BatchRow::result),
            seconds("decided_time", BatchRow::decidedAtNs),
            seconds("start_time", BatchRow::startedAtNs),
            seconds("end_time", BatchRow::finishedAtNs),
            ms("predicted_service_ms", BatchRow::predictedNs),
            column("prediction_source", batch -> batch.kind().predictionSource()),
            column("score_terms", BatchRow::scoreTerms),
            column("cause", BatchRow::cause),
            column("workload_name", batch -> batch.kind().model().workload()),
            column("backend", batch -> batch.kind().model().backend()),
            column("precision", batch -> batch.kind().model().precision()),
            ms("service_ms", b -> b.ran() ? b.serviceNs() : Jobs.NONE),
            ms("switch_ms", b -> b.ran() ? b.switchNs() : Jobs.NONE),
            ms("emulated_service_ms", BatchRow::emulatedServiceNs),
            seconds("completed_time", BatchRow::completedAtNs),
            number("shard", BatchRow::shard),
            ms("predicted_quantile_ms", batch -> batch.upperNs().quantileNs()),
            ms("predicted_p95_ms", batch -> batch.upperNs().p95Ns()),
            ms("predicted_p99_ms", batch -> batch.upperNs().p99Ns()),
            column("model_version", batch -> batch.kind().modelVersion()),
            count("predicted_busy_lanes", BatchRow::predictedBusyLanes),
            count("busy_lanes", BatchRow::busyLanes)));
  }

  /** Writes loads.csv: a row per load of a model onto a lane, by its begin. */
  static void writeLoads(List<ModelStay> stays, Path file) throws IOException {
    write(
        file,
        stays,
        List.of(
            column("dispatch_id", stay -> stay.loaded().dispatchId().toString()),
            column("lane_id", ModelStay::laneId),
            column("incarnation", stay -> Long.toString(stay.loaded().incarnation())),
            column("workload_name", stay -> stay.model().workload()),
            column("backend", stay -> stay.model().backend()),
            column("precision", stay -> stay.model().precision()),
            ms("memory_mb", ModelStay::bytes),
            seconds("decided_time", ModelStay::decidedAtNs),
            seconds("start_time", stay -> stay.loaded().startedAtNs()),
            seconds("loaded_time", stay -> stay.loaded().finishedAtNs()),
            seconds("evicted_time", ModelStay::evictedAtNs),
            column("cause", stay -> stay.loaded().cause())));
  }
}
