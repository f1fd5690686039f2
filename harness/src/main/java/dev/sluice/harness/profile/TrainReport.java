package dev.sluice.harness.profile;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.latency.Validation;
import dev.sluice.executor.latency.Validation.ErrorFigures;
import dev.sluice.executor.latency.Validation.Held;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Report on a training: what the model was trained on, and how each method did on held-out rows, as
 * lines for the terminal, figures for JSON, and a page.
 */
record TrainReport(String profile, LatencyModel model, Validation validation) {
  static final String FILE = "report.html";

  /** Levels of the upper quantiles that are validated, ascending. */
  private static final List<Double> LEVELS = List.of(0.95, 0.99);

  private static final int POINTS_MAX = 3_000;

  private static final String TITLE = "Latency model";
  private static final String ERROR =
      "The error is the median of |ln(actual / predicted)|: 0.01 is about 1 %. The noise floor is"
          + " the same error of the medians of each key in the other passes: what a key's own past"
          + " can say at best. Each row was predicted by what was fitted without its pass and,"
          + " where samples were held out, without its samples count.";

  /** Pages of trainings, as files that a command writes. */
  private static final OutputFile.Kind KIND = Html.kind("report on a latency model", TITLE);

  private static final Map<Reach, String> QUESTIONS =
      Map.of(
          Reach.SEEN, "measured keys, on a pass held out",
          Reach.BETWEEN, "samples held out, between others",
          Reach.BEYOND, "samples held out, beyond the others");

  void show(Console console) {
    console.item("profile", summary());
    console.item(
        "noise floor",
        decimals(noiseFloor(Reach.SEEN), 4)
            + ": half of all times lie so far, as a difference of logarithms, from the median"
            + " of the other passes");
    for (Reach reach : Reach.values()) {
      console.item(reach.toString(), choice(reach));
    }
    for (double level : LEVELS) {
      console.item(name(level), coverage(level));
    }
  }

  /** Returns the figures by name, for JSON; null where a figure is not finite. */
  Map<String, @Nullable Object> named() {
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("profile", profile);
    figures.put("rows", model.rows().size());
    figures.put("device_kind", model.deviceKind());
    figures.put("seed", model.seed());
    figures.put("version", model.version());
    for (Reach reach : Reach.values()) {
      Map<String, @Nullable Object> of = new LinkedHashMap<>();
      of.put("method", String.valueOf(model.choice().get(reach)));
      of.put("noise_floor", finite(noiseFloor(reach)));
      validation
          .byMethod(reach)
          .forEach(
              (method, errors) -> of.put(method + "_error", finite(errors.medianAbsoluteLog())));
      ErrorFigures chosen = validation.chosen(reach);
      of.put("rows", chosen.rows());
      of.put("error", finite(chosen.medianAbsoluteLog()));
      of.put("mae_ms", finite(chosen.maeMs()));
      of.put("mape", finite(chosen.mape()));
      of.put("r_squared", finite(chosen.rSquared()));
      figures.put(reach.toString(), of);
    }
    for (double level : LEVELS) {
      figures.put(name(level) + "_miss_rate", finite(validation.coverage(level).missRate()));
    }
    return figures;
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private static String name(double level) {
    return "p" + Math.round(100 * level);
  }

  private double noiseFloor(Reach reach) {
    return validation.noiseFloor(reach).medianAbsoluteLog();
  }

  private String summary() {
    return "%d rows, %d keys, %d passes, device kind %s"
        .formatted(
            model.rows().size(),
            distinct(ProfileRow::key).count(),
            distinct(ProfileRow::pass).count(),
            model.deviceKind());
  }

  private <T> Stream<T> distinct(Function<ProfileRow, T> of) {
    return model.rows().stream().map(of).distinct();
  }

  private String choice(Reach reach) {
    Method method = model.choice().get(reach);
    ErrorFigures errors = validation.chosen(reach);
    return errors.rows() == 0
        ? method + ", untried: too few samples counts were measured to hold one out"
        : "%s, error %s, %s × its noise floor, over %d rows: %s"
            .formatted(
                method,
                decimals(errors.medianAbsoluteLog(), 4),
                decimals(errors.medianAbsoluteLog() / noiseFloor(reach), 2),
                errors.rows(),
                QUESTIONS.get(reach));
  }

  /** The trial of an upper quantile, and workloads on backends with too few rows for it. */
  private String coverage(double level) {
    Validation.Coverage coverage = validation.coverage(level);
    String tried =
        coverage.rows() == 0
            ? "untried: too few rows in all passes but one"
            : "%s %% of a pass lay above what the other passes gave, %s %% promised"
                .formatted(decimals(100 * coverage.missRate(), 2), decimals(100 * (1 - level), 0));
    List<String> without =
        distinct(ProfileRow::key)
            .filter(key -> model.quantileNs(key, level).isEmpty())
            .map(key -> key.workload() + " on " + key.backend())
            .distinct()
            .toList();
    return without.isEmpty()
        ? tried
        : tried + "; no " + name(level) + " for " + String.join(", ", without);
  }

  /** Refuses a folder in which another file stands in the place of the page. */
  static void checkFolder(Path folder) throws UserMistakeException {
    OutputFile.check(folder.resolve(FILE), KIND, false);
  }

  void write(Path folder) throws IOException {
    OutputFile.write(folder.resolve(FILE), page(folder).getBytes(StandardCharsets.UTF_8));
  }

  /** The page, beside whose text each picture is written as a file of its own. */
  private String page(Path folder) throws IOException {
    Html page = Html.page(TITLE + " · " + model.deviceKind()).element("h1", TITLE);
    page.element(
        "p",
        "%s, from %s; seed %s, version %s."
            .formatted(summary(), profile, model.seed(), model.version()));
    page.element("p", ERROR);
    page.element("h2", "Which method answers");
    for (Reach reach : Reach.values()) {
      page.element("h3", QUESTIONS.get(reach));
      if (validation.at(reach).isEmpty()) {
        page.element("p", choice(reach) + ".");
      } else {
        methods(page, reach);
      }
    }
    picture(page, "Errors of all methods", folder, "errors.png", errorBars());
    page.element("h2", "Upper quantiles");
    page.list(LEVELS.stream().map(level -> name(level) + ": " + coverage(level)).toList());
    page.element(
        "p",
        "They are split-conformal, from the residuals of passes held out: they keep their promise"
            + " as far as the next pass is like these.");
    page.element("h2", "By workload and samples");
    for (Reach reach : Reach.values()) {
      workloads(page, reach);
    }
    picture(
        page,
        "Predicted and actual service times",
        folder,
        "predicted_vs_actual.png",
        predictedAndActual());
    picture(
        page, "Service times over samples", folder, "times_over_samples.png", timesOverSamples());
    return page.end();
  }

  private static void picture(Html page, String words, Path folder, String file, byte[] png)
      throws IOException {
    Files.write(folder.resolve(file), png);
    page.picture(words, png);
  }

  private byte[] errorBars() {
    List<Reach> tried =
        Stream.of(Reach.values()).filter(reach -> !validation.at(reach).isEmpty()).toList();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put("noise floor", tried.stream().map(this::noiseFloor).toList());
    for (Reach reach : tried) {
      Map<Method, ErrorFigures> byMethod = validation.byMethod(reach);
      for (Method method : Method.values()) {
        ErrorFigures own = byMethod.get(method);
        bars.computeIfAbsent(method.toString(), m -> new ArrayList<>())
            .add(own == null ? Double.NaN : own.medianAbsoluteLog());
      }
    }
    return Picture.bars(
        "Errors on what was held out · " + model.deviceKind(),
        "median of |ln(actual / predicted)|",
        tried.stream().map(reach -> String.valueOf(QUESTIONS.get(reach))).toList(),
        bars);
  }

  /**
   * Draws the held-out batches of measured keys. Where there are more than {@value #POINTS_MAX},
   * each workload shows every second, third, … batch.
   */
  private byte[] predictedAndActual() {
    var picture =
        new Picture(
            "Predicted and actual service times of a pass held out · " + model.deviceKind(),
            "predicted service time, ms",
            "actual service time, ms");
    List<Held> rows = validation.at(Reach.SEEN);
    int step = (rows.size() + POINTS_MAX - 1) / POINTS_MAX;
    List<String> workloads = distinct(row -> row.key().workload()).sorted().toList();
    for (String workload : workloads) {
      List<Held> own =
          rows.stream().filter(held -> held.row().key().workload().equals(workload)).toList();
      List<Held> shown =
          IntStream.range(0, own.size()).filter(i -> i % step == 0).mapToObj(own::get).toList();
      if (!own.isEmpty()) {
        picture.points(
            workload + " (" + own.size() + " batches)",
            workloads.indexOf(workload),
            array(shown, validation::predictedMs),
            array(shown, held -> held.row().serviceNs() / 1e6));
      }
    }
    return picture.withDiagonal("as predicted").png();
  }

  /**
   * Draws each time measured beside no other busy lane, and the prediction over all samples counts.
   */
  private byte[] timesOverSamples() {
    var picture =
        new Picture(
            "Service times beside no other busy lane, and the model's curves · "
                + model.deviceKind(),
            "samples",
            "service time, ms");
    boolean onePrecision = distinct(row -> row.key().precision()).count() == 1;
    boolean oneOfThreads = distinct(row -> row.key().threads()).count() == 1;
    SortedMap<String, List<ProfileRow>> rowsByName = new TreeMap<>();
    for (ProfileRow row : model.rows()) {
      LatencyKey key = row.key();
      if (key.busyLanes() == 1) {
        String name =
            key.workload()
                + " on "
                + key.backend()
                + (onePrecision ? "" : " in " + key.precision())
                + (oneOfThreads ? "" : ", threads " + key.threads());
        rowsByName.computeIfAbsent(name, n -> new ArrayList<>()).add(row);
      }
    }
    int place = 0;
    for (var named : rowsByName.entrySet()) {
      List<ProfileRow> rows = named.getValue();
      LatencyKey key = rows.get(0).key();
      int most = rows.stream().mapToInt(row -> row.key().samples()).max().orElseThrow();
      List<LatencyKey> asked =
          IntStream.rangeClosed(1, most)
              .mapToObj(samples -> new LatencyKey(key.model(), key.threads(), samples, 1))
              .toList();
      picture.points(
          named.getKey(),
          place,
          array(rows, row -> row.key().samples()),
          array(rows, row -> row.serviceNs() / 1e6));
      picture.curve(
          place, array(asked, LatencyKey::samples), array(asked, of -> model.predictNs(of) / 1e6));
      place++;
    }
    return picture.logarithmicY().png();
  }

  private static <T> double[] array(List<T> values, ToDoubleFunction<T> of) {
    return values.stream().mapToDouble(of).toArray();
  }

  private void methods(Html page, Reach reach) {
    List<List<TableCell>> rows = new ArrayList<>();
    rows.add(row(reach, "noise floor", validation.noiseFloor(reach), ""));
    validation
        .byMethod(reach)
        .forEach(
            (method, errors) ->
                rows.add(
                    row(
                        reach,
                        method + (method == model.choice().get(reach) ? " (chosen)" : ""),
                        errors,
                        method.words())));
    page.table(
        List.of("method", "error", "× noise floor", "MAE, ms", "MAPE", "R²", "rows", "how"), rows);
  }

  private List<TableCell> row(Reach reach, String name, ErrorFigures errors, String how) {
    List<TableCell> row = new ArrayList<>();
    row.add(TableCell.words(name));
    row.add(number(errors.medianAbsoluteLog(), 4));
    row.add(number(errors.medianAbsoluteLog() / noiseFloor(reach), 2));
    row.addAll(errors(errors));
    row.add(TableCell.words(how));
    return row;
  }

  private void workloads(Html page, Reach reach) {
    List<List<TableCell>> rows = new ArrayList<>();
    validation
        .chosenByWorkloadAndSamples(reach)
        .forEach(
            (workload, bySamples) ->
                bySamples.forEach(
                    (samples, figures) -> {
                      List<TableCell> row = new ArrayList<>();
                      row.add(TableCell.words(workload));
                      row.add(TableCell.number(Integer.toString(samples)));
                      row.add(number(figures.medianAbsoluteLog(), 4));
                      row.addAll(errors(figures));
                      rows.add(row);
                    }));
    if (!rows.isEmpty()) {
      page.element("h3", QUESTIONS.get(reach));
      page.table(List.of("workload", "samples", "error", "MAE, ms", "MAPE", "R²", "rows"), rows);
    }
  }

  private static List<TableCell> errors(ErrorFigures figures) {
    return List.of(
        number(figures.maeMs(), 3),
        TableCell.number(decimals(100 * figures.mape(), 2) + " %"),
        number(figures.rSquared(), 4),
        TableCell.number(Integer.toString(figures.rows())));
  }

  private static TableCell number(double value, int decimals) {
    return TableCell.number(decimals(value, decimals));
  }

  private static String decimals(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value)
        : "none";
  }
}
