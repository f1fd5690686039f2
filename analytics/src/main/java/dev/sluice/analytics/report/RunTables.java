package dev.sluice.analytics.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.CsvWriter.CsvWriterRecord;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.fold.ModelStays.ModelStay;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tables trace.csv, dispatches.csv and loads.csv of a run.
 *
 * <p>Columns that end in {@code _time} are seconds since time zero with six decimals, those in
 * {@code _ms} milliseconds with six, which is exact. What is unknown is empty.
 */
final class RunTables {
  private static final int BUFFER = 1 << 16;

  private RunTables() {}

  /**
   * A column.
   *
   * @param cell its text in a row; null: empty
   */
  private record Column(String name, IntFunction<@Nullable String> cell) {}

  private static Column column(String name, IntFunction<@Nullable String> cell) {
    return new Column(name, cell);
  }

  private static Column number(String name, IntUnaryOperator value) {
    return column(name, row -> Integer.toString(value.applyAsInt(row)));
  }

  /** A number that there is not below 0. */
  private static Column count(String name, IntUnaryOperator value) {
    return column(
        name, row -> value.applyAsInt(row) < 0 ? null : Integer.toString(value.applyAsInt(row)));
  }

  /** Seconds, half up. */
  private static Column seconds(String name, IntToLongFunction ns) {
    return column(
        name,
        row -> ns.applyAsLong(row) == Jobs.NONE ? null : Decimals.seconds(ns.applyAsLong(row)));
  }

  private static Column ms(String name, IntToLongFunction ns) {
    return column(
        name, row -> ns.applyAsLong(row) == Jobs.NONE ? null : Decimals.ms(ns.applyAsLong(row)));
  }

  private static void write(Path file, IntStream rows, List<Column> columns) throws IOException {
    try (CsvWriter csv =
        CsvWriter.builder().bufferSize(BUFFER).lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(columns.stream().map(Column::name).toList());
      rows.forEach(
          row -> {
            CsvWriterRecord line = csv.writeRecord();
            columns.forEach(column -> line.writeField(column.cell().apply(row)));
            line.endRecord();
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Writes trace.csv: a row per job, by intended arrival.
   *
   * <p>Durations and throughput_sps are empty for jobs that are not done, even where start_time and
   * end_time are not. resource_cost_tokens is the job's cost alone: its model's tokens + 4 ×
   * samples, × 0.7 rounded up for fp16 and bf16; empty for a workload that the experiment does not
   * name. dispatch_id is unique within its shard; it names the attempt that ended the job, to which
   * start_time and end_time belong.
   */
  static void writeTrace(RunRows run, Path file) throws IOException {
    Jobs jobs = run.jobs();
    Batches batches = run.batches();
    Experiment experiment = run.context().experiment();
    String policy = experiment.scheduling().schedulerName();
    Map<String, Integer> tokens = new HashMap<>();
    experiment.jobs().workloads().forEach(one -> tokens.put(one.name(), one.tokens()));
    write(
        file,
        IntStream.range(0, jobs.size()).map(jobs::at),
        List.of(
            column("run_id", job -> run.context().runId()),
            column("scheduler_name", job -> policy),
            column("job_id", jobs::id),
            column("class_type", job -> jobs.kind(job).classType()),
            column("workload_name", job -> jobs.kind(job).workload()),
            column("backend", job -> jobs.kind(job).backend()),
            column("precision", job -> jobs.kind(job).precision()),
            number("batch_size", jobs::samples),
            seconds("enqueue_time", jobs::intendedAtNs),
            seconds("start_time", jobs::startedAtNs),
            seconds("end_time", jobs::finishedAtNs),
            ms("wait_ms", job -> jobs.isDone(job) ? jobs.waitNs(job) : Jobs.NONE),
            ms("service_ms", job -> jobs.isDone(job) ? jobs.serviceNs(job) : Jobs.NONE),
            ms("e2e_ms", job -> jobs.isDone(job) ? jobs.endToEndNs(job) : Jobs.NONE),
            column(
                "throughput_sps",
                job ->
                    jobs.isDone(job) && jobs.serviceNs(job) > 0
                        ? samplesPerSecond(jobs.samples(job), jobs.serviceNs(job))
                        : null),
            ms("slo_ms", jobs::sloNs),
            number("slo_violation", job -> jobs.isViolation(job) ? 1 : 0),
            column("lane_id", ofBatch(jobs, batches::laneId)),
            column("predicted_service_ms", ofBatch(jobs, b -> Decimals.ms(batches.predictedNs(b)))),
            column(
                "resource_cost_tokens",
                job -> {
                  Integer base = tokens.get(jobs.kind(job).workload());
                  String precision = jobs.kind(job).precision();
                  return base == null
                      ? null
                      : Long.toString(Experiment.tokens(base, precision, jobs.samples(job)));
                }),
            column("phase", job -> jobs.phase(job).text()),
            column("status", job -> jobs.status(job).text()),
            column("reason", jobs::reason),
            column("dispatch_id", ofBatch(jobs, batch -> batches.id(batch).toString())),
            column("dispatch_samples", ofBatch(jobs, b -> Integer.toString(batches.samples(b)))),
            ms("service_share_ms", job -> jobs.isDone(job) ? jobs.serviceShareNs(job) : Jobs.NONE),
            number("attempt", jobs::attempt),
            seconds("sent_time", jobs::sentAtNs),
            seconds("appended_time", jobs::appendedAtNs),
            column("decided_time", ofBatch(jobs, b -> Decimals.seconds(batches.decidedAtNs(b)))),
            seconds("observed_time", jobs::observedAtNs),
            number("shard", jobs::shard)));
  }

  private static String samplesPerSecond(int samples, long serviceNs) {
    return Decimals.plain(Math.round(samples * 1e12 / serviceNs) / 1e3);
  }

  /** A cell of the batch that ended a job; empty without one. */
  private static IntFunction<@Nullable String> ofBatch(Jobs jobs, IntFunction<String> cell) {
    return job -> jobs.batch(job) < 0 ? null : cell.apply(jobs.batch(job));
  }

  /**
   * Writes dispatches.csv: a row per dispatch and attempt, by decision.
   *
   * <p>job_ids are separated by spaces, the chosen one first; score_terms are {@code name=value} by
   * name, separated by semicolons. model_version names the published table behind the prediction;
   * predicted_quantile_ms is the upper bound of {@code predictor.quantile}. predicted_busy_lanes is
   * the number of busy lanes that the prediction assumed, busy_lanes the number that ran a batch
   * when this one began. completed_time is the broker's append of the completion, the earliest time
   * at which the scheduler could know of it. result is done, failed, refused, cancelled, open (no
   * completion yet), or lost: the dispatch ended none of its jobs, because it was never answered
   * (then start_time and end_time are empty) or only after they had ended by another attempt.
   */
  static void writeDispatches(RunRows run, Path file) throws IOException {
    Jobs jobs = run.jobs();
    Batches batches = run.batches();
    write(
        file,
        IntStream.range(0, batches.size()).map(batches::at),
        List.of(
            column("dispatch_id", batch -> batches.id(batch).toString()),
            column("lane_id", batches::laneId),
            column(
                "job_ids",
                batch ->
                    IntStream.of(batches.jobs(batch))
                        .mapToObj(jobs::id)
                        .collect(Collectors.joining(" "))),
            number("samples", batches::samples),
            number("tokens", batches::tokens),
            number("attempt", batches::attempt),
            column("result", batches::result),
            seconds("decided_time", batches::decidedAtNs),
            seconds("start_time", batches::startedAtNs),
            seconds("end_time", batches::finishedAtNs),
            ms("predicted_service_ms", batches::predictedNs),
            column("prediction_source", batches::predictionSource),
            column("score_terms", batches::scoreTerms),
            column("cause", batches::cause),
            column("workload_name", batch -> batches.model(batch).workload()),
            column("backend", batch -> batches.model(batch).backend()),
            column("precision", batch -> batches.model(batch).precision()),
            ms("service_ms", b -> batches.ran(b) ? batches.serviceNs(b) : Jobs.NONE),
            ms("switch_ms", b -> batches.ran(b) ? batches.switchNs(b) : Jobs.NONE),
            ms("emulated_service_ms", batches::emulatedServiceNs),
            seconds("completed_time", batches::completedAtNs),
            number("shard", batches::shard),
            ms("predicted_quantile_ms", batches::predictedQuantileNs),
            ms("predicted_p95_ms", batches::predictedP95Ns),
            ms("predicted_p99_ms", batches::predictedP99Ns),
            column("model_version", batches::modelVersion),
            count("predicted_busy_lanes", batches::predictedBusyLanes),
            count("busy_lanes", batches::busyLanes)));
  }

  /**
   * Writes loads.csv: a row per load of a model onto a lane, by its begin; only runs whose lanes
   * have a memory leave it.
   *
   * <p>memory_mb are 10^6 bytes. evicted_time is empty if the lane held the model to the end, and
   * cause says why a load failed.
   */
  static void writeLoads(List<ModelStay> stays, Path file) throws IOException {
    write(
        file,
        IntStream.range(0, stays.size()),
        List.of(
            column("dispatch_id", row -> stays.get(row).loaded().dispatchId().toString()),
            column("lane_id", row -> stays.get(row).laneId()),
            column("incarnation", row -> Long.toString(stays.get(row).loaded().incarnation())),
            column("workload_name", row -> stays.get(row).model().workload()),
            column("backend", row -> stays.get(row).model().backend()),
            column("precision", row -> stays.get(row).model().precision()),
            ms("memory_mb", row -> stays.get(row).bytes()),
            seconds("decided_time", row -> stays.get(row).decidedAtNs()),
            seconds("start_time", row -> stays.get(row).loaded().startedAtNs()),
            seconds("loaded_time", row -> stays.get(row).loaded().finishedAtNs()),
            seconds("evicted_time", row -> stays.get(row).evictedAtNs()),
            column("cause", row -> stays.get(row).loaded().cause())));
  }
}
