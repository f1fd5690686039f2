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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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

  public static final List<String> COLUMNS;

  private static final Map<String, Function<Row, String>> CELLS = new LinkedHashMap<>();

  private record Row(MetricsWindow window, String name, Counts counts) {
    boolean isOfAll() {
      return name.equals(ALL);
    }
  }

  static {
    CELLS.put("second", row -> Long.toString(row.window().fromNs() / 1_000_000_000));
    CELLS.put("class_type", Row::name);
    CELLS.put("requested", row -> Long.toString(row.counts().requested()));
    CELLS.put("done", row -> Long.toString(row.counts().done()));
    CELLS.put("dropped", row -> Long.toString(row.counts().dropped()));
    CELLS.put("failed", row -> Long.toString(row.counts().failed()));
    CELLS.put("violations", row -> Long.toString(row.counts().violations()));
    CELLS.put("goodput_jobs_sec", row -> Decimals.plain(row.counts().goodputPerSecond()));
    CELLS.put("p50_e2e_ms", row -> percentile(row.counts(), row.counts().p50E2eMs()));
    CELLS.put("p95_e2e_ms", row -> percentile(row.counts(), row.counts().p95E2eMs()));
    CELLS.put("p99_e2e_ms", row -> percentile(row.counts(), row.counts().p99E2eMs()));
    CELLS.put(
        "waiting",
        row ->
            whole(row.isOfAll() ? Long.valueOf(row.window().waiting()) : row.counts().waiting()));
    ofTheRun("running", window -> Long.toString(window.running()));
    ofTheRun("lanes", window -> Integer.toString(window.lanes()));
    ofTheRun("lane_use", window -> number(window.laneUse()));
    for (Cause cause : Cause.values()) { // version 1 has neither causes nor predictions
      ofTheRun(
          "blocked_ms_" + cause.text(),
          window ->
              window.predictions() == null
                  ? ""
                  : Decimals.ms(window.blockedNs().getOrDefault(cause.text(), 0L)));
    }
    ofTheRun("tokens_in_use", window -> whole(window.tokensInUse()));
    ofTheRun("tokens", window -> whole(window.tokens()));
    ofTheRun("lateness_max_ms", window -> number(window.sendLatenessMsMax()));
    ofTheRun("lateness_p99_ms", window -> number(window.sendLatenessMsP99()));
    ofPredictions("prediction_count", predictions -> whole(predictions.batches()));
    ofPredictions("prediction_p95_misses", predictions -> whole(predictions.beyondP95()));
    ofPredictions("prediction_p99_misses", predictions -> whole(predictions.beyondP99()));
    ofPredictions("prediction_median_error", predictions -> number(predictions.medianError()));
    COLUMNS = List.copyOf(CELLS.keySet());
  }

  private static void ofTheRun(String name, Function<MetricsWindow, String> cell) {
    CELLS.put(name, row -> row.isOfAll() ? cell.apply(row.window()) : "");
  }

  private static void ofPredictions(String name, Function<MetricsWindow.Predictions, String> cell) {
    ofTheRun(name, window -> window.predictions() == null ? "" : cell.apply(window.predictions()));
  }

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

  /** Writes the rows of a second; throws UncheckedIOException if they cannot be written. */
  public void write(MetricsWindow window) {
    write(new Row(window, ALL, window.total()));
    window.byClass().forEach((name, counts) -> write(new Row(window, name, counts)));
  }

  private void write(Row row) {
    csv.writeRecord(CELLS.values().stream().map(cell -> cell.apply(row)).toList());
  }

  /** Hands over all that was written. */
  public void flush() throws IOException {
    csv.flush();
  }

  @Override
  public void close() throws IOException {
    csv.close();
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
