package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.analytics.figure.Figures;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs that differ in their seed alone, with each figure as a mean over the runs and its interval.
 * The figures are those of {@link Figures#numbers}, whatever became of the runs. A figure without a
 * finite value in some run has no mean: leaving that run out would flatter it.
 */
public final class Repeats {
  /** Ends of the names of figures that the table shows, in its order; the files hold the others. */
  private static final List<String> SHOWN =
      List.of("_p50_e2e_ms", "_p99_e2e_ms", "_goodput_jobs_sec", "_slo_violation_rate");

  private static final TextTable TABLE = new TextTable("%-34s %10s   %s");

  private final List<FinishedRun> runs;
  private final List<Long> seeds;
  private final Map<String, List<@Nullable Double>> valuesByFigure = new LinkedHashMap<>();

  private Repeats(List<FinishedRun> runs, List<Long> seeds) {
    this.runs = runs;
    this.seeds = seeds;
    JsonNode first = runs.get(0).summary();
    for (String figure :
        Figures.numbers(HeadlineFigure.classes(first), HeadlineFigure.workloads(first))) {
      List<@Nullable Double> values = new ArrayList<>();
      for (FinishedRun run : runs) {
        values.add(HeadlineFigure.value(run.summary(), figure));
      }
      valuesByFigure.put(figure, values);
    }
  }

  /**
   * Reads the runs' folders.
   *
   * @param seedByFolder seed of each run by its folder, in the order of the runs
   */
  public static Repeats read(Map<Path, Long> seedByFolder) throws IOException {
    List<FinishedRun> runs = new ArrayList<>();
    for (Path folder : seedByFolder.keySet()) {
      runs.add(FinishedRun.of(folder));
    }
    return new Repeats(runs, List.copyOf(seedByFolder.values()));
  }

  public List<String> notComparable() {
    return runs.stream()
        .filter(run -> !run.notComparable().isEmpty())
        .map(FinishedRun::name)
        .toList();
  }

  /** A figure over all runs; null if some run lacks it. */
  @Nullable MeanInterval interval(String figure) {
    List<@Nullable Double> values = valuesByFigure.getOrDefault(figure, List.of());
    return values.isEmpty() || values.contains(null)
        ? null
        : MeanInterval.of(values, Figures.bounds(figure));
  }

  /** Writes repeats.csv, a row per run, and summary.json, each figure with its interval. */
  public void write(Path folder) throws IOException {
    try (CsvWriter csv =
        CsvWriter.builder()
            .lineDelimiter(LineDelimiter.LF)
            .build(Files.newBufferedWriter(folder.resolve(FolderFiles.REPEATS)))) {
      List<String> head = new ArrayList<>(List.of("run_id", "seed"));
      head.addAll(valuesByFigure.keySet());
      csv.writeRecord(head);
      for (int i = 0; i < runs.size(); i++) {
        List<String> row = new ArrayList<>();
        row.add(runs.get(i).name());
        row.add(Long.toString(seeds.get(i)));
        for (List<@Nullable Double> values : valuesByFigure.values()) {
          Double value = values.get(i);
          row.add(value == null ? "" : Decimals.plain(value));
        }
        csv.writeRecord(row);
      }
    }
    Files.writeString(folder.resolve(FolderFiles.SUMMARY), toJson());
  }

  public String toJson() {
    Map<String, @Nullable Object> top = new LinkedHashMap<>();
    top.put("repeats", runs.size());
    top.put("confidence", MeanInterval.CONFIDENCE);
    top.put("run_ids", runs.stream().map(FinishedRun::name).toList());
    top.put("seeds", seeds);
    top.put(Summary.NOT_COMPARABLE, notComparable());
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    for (String figure : valuesByFigure.keySet()) {
      figures.put(figure, tree(figure));
    }
    top.put("figures", figures);
    return Summary.json(top);
  }

  private Map<String, @Nullable Object> tree(String figure) {
    MeanInterval interval = interval(figure);
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("mean", interval == null ? null : interval.mean());
    tree.put("low", interval == null ? null : interval.low());
    tree.put("high", interval == null ? null : interval.high());
    tree.put("sd", interval == null ? null : interval.sd());
    long without =
        valuesByFigure.getOrDefault(figure, List.of()).stream().filter(v -> v == null).count();
    if (without > 0) {
      tree.put("runs_without", without);
    }
    return tree;
  }

  /** The closing table: fixed-width text for a terminal. */
  public String render() {
    String interval =
        String.format(
            Locale.ROOT,
            "%.0f %% interval of the mean over %d runs",
            100 * MeanInterval.CONFIDENCE,
            runs.size());
    var text = new StringBuilder(TABLE.row("figure", "mean", interval)).append('\n');
    for (String end : SHOWN) {
      for (String figure : valuesByFigure.keySet()) {
        if (figure.endsWith(end) && !figure.contains(".")) {
          text.append(row(figure)).append('\n');
        }
      }
    }
    return text.toString();
  }

  private String row(String figure) {
    MeanInterval interval = interval(figure);
    if (interval == null) {
      return TABLE.row(figure, "none", "some run has none");
    }
    String ends =
        interval.hasEnds()
            ? Decimals.short3(interval.low()) + " to " + Decimals.short3(interval.high())
            : "one run has no interval";
    return TABLE.row(figure, Decimals.short3(interval.mean()), ends);
  }
}
