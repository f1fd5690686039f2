package dev.sluice.analytics.live;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.Blocked.Cause;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * metrics.csv: of each second a row for all classes together, and one for each class. The columns
 * from {@code running} on are of the run, not of a class, and are empty in the rows of classes.
 *
 * <p>A cell without a value is empty, a percentile that falls on a job without a done outcome is
 * {@code inf}. docs/results.md says what each column means.
 */
public final class MetricsCsv implements Closeable {
  /** Class of the rows of all classes together. */
  public static final String ALL = "all";

  private static final List<String> OF_EACH =
      List.of(
          "second",
          "class_type",
          "requested",
          "done",
          "dropped",
          "failed",
          "violations",
          "goodput_jobs_sec",
          "p50_e2e_ms",
          "p95_e2e_ms",
          "p99_e2e_ms",
          "waiting");

  private static final List<String> OF_THE_RUN =
      Stream.of(
              Stream.of("running", "lanes", "lane_use"),
              Stream.of(Cause.values()).map(cause -> "blocked_ms_" + cause.text()),
              Stream.of(
                  "tokens_in_use",
                  "tokens",
                  "lateness_max_ms",
                  "lateness_p99_ms",
                  "prediction_count",
                  "prediction_p95_misses",
                  "prediction_p99_misses",
                  "prediction_median_error"))
          .flatMap(names -> names)
          .toList();

  /** Names of the columns, in their order. */
  public static final List<String> COLUMNS =
      Stream.of(OF_EACH, OF_THE_RUN).flatMap(List::stream).toList();

  private final CsvWriter csv;

  private MetricsCsv(CsvWriter csv) {
    this.csv = csv;
    csv.writeRecord(COLUMNS);
  }

  /** Writes a file, beginning with the names of the columns. */
  public static MetricsCsv to(Path file) throws IOException {
    return new MetricsCsv(CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file));
  }

  /** Writes the names of the columns at once, and then rows. */
  public static MetricsCsv to(Writer text) {
    return new MetricsCsv(CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text));
  }

  /**
   * Writes the rows of a second.
   *
   * @throws java.io.UncheckedIOException if they cannot be written
   */
  public void write(MetricsWindow window) {
    csv.writeRecord(row(window, ALL, window.total(), ofTheRun(window)));
    List<String> none = Collections.nCopies(OF_THE_RUN.size(), "");
    window.byClass().forEach((name, counts) -> csv.writeRecord(row(window, name, counts, none)));
  }

  /** Hands over all that was written. */
  public void flush() throws IOException {
    csv.flush();
  }

  @Override
  public void close() throws IOException {
    csv.close();
  }

  private static List<String> row(
      MetricsWindow window, String name, Counts counts, List<String> ofTheRun) {
    List<String> cells = new ArrayList<>(COLUMNS.size());
    cells.add(Long.toString(window.fromNs() / 1_000_000_000));
    cells.add(name);
    cells.add(Long.toString(counts.requested()));
    cells.add(Long.toString(counts.done()));
    cells.add(Long.toString(counts.dropped()));
    cells.add(Long.toString(counts.failed()));
    cells.add(Long.toString(counts.violations()));
    cells.add(Decimals.plain(counts.goodputPerSecond()));
    cells.add(percentile(counts, counts.p50E2eMs()));
    cells.add(percentile(counts, counts.p95E2eMs()));
    cells.add(percentile(counts, counts.p99E2eMs()));
    cells.add(whole(name.equals(ALL) ? Long.valueOf(window.waiting()) : counts.waiting()));
    cells.addAll(ofTheRun);
    return cells;
  }

  private static List<String> ofTheRun(MetricsWindow window) {
    List<String> cells = new ArrayList<>(OF_THE_RUN.size());
    cells.add(Long.toString(window.running()));
    cells.add(Integer.toString(window.lanes()));
    cells.add(number(window.laneUse()));
    var predictions = window.predictions(); // version 1 has neither these nor causes
    for (Cause cause : Cause.values()) {
      long blockedNs = window.blockedNs().getOrDefault(cause.text(), 0L);
      cells.add(predictions == null ? "" : Decimals.ms(blockedNs));
    }
    cells.add(whole(window.tokensInUse()));
    cells.add(whole(window.tokens()));
    cells.add(number(window.sendLatenessMsMax()));
    cells.add(number(window.sendLatenessMsP99()));
    cells.add(predictions == null ? "" : Long.toString(predictions.batches()));
    cells.add(predictions == null ? "" : Long.toString(predictions.beyondP95()));
    cells.add(predictions == null ? "" : Long.toString(predictions.beyondP99()));
    cells.add(predictions == null ? "" : number(predictions.medianError()));
    return cells;
  }

  private static String percentile(Counts counts, @Nullable Double ms) {
    return ms != null ? Decimals.plain(ms) : counts.ended() > 0 ? "inf" : "";
  }

  private static String number(@Nullable Double value) {
    return value == null ? "" : Decimals.plain(value);
  }

  private static String whole(@Nullable Long value) {
    return value == null ? "" : Long.toString(value);
  }
}
