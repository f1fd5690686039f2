package dev.sluice.harness.profile;

import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.TrainFigures;
import dev.sluice.executor.latency.TrainFigures.MethodErrors;
import dev.sluice.executor.latency.TrainFigures.QuantileTrial;
import dev.sluice.executor.latency.Validation.ErrorFigures;
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
import java.util.stream.IntStream;

/** Report on a training: lines for the terminal, figures for JSON, and a page. */
record TrainReport(String profile, TrainFigures figures) {
  static final String FILE = "report.html";

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
        decimals(figures.validation().noiseFloor(Reach.SEEN).medianAbsoluteLog(), 4)
            + ": half of all times lie so far, as a difference of logarithms, from the median"
            + " of the other passes");
    for (Reach reach : Reach.values()) {
      console.item(reach.toString(), choice(reach));
    }
    for (QuantileTrial trial : figures.quantiles()) {
      console.item(trial.name(), coverage(trial));
    }
  }

  private String summary() {
    return "%d rows, %d keys, %d passes, device kind %s"
        .formatted(
            figures.model().rows().size(),
            figures.keys(),
            figures.passes(),
            figures.model().deviceKind());
  }

  private String choice(Reach reach) {
    MethodErrors chosen = figures.chosen(reach);
    return chosen.figures().rows() == 0
        ? chosen.method() + ", untried: too few samples counts were measured to hold one out"
        : "%s, error %s, %s × its noise floor, over %d rows: %s"
            .formatted(
                chosen.method(),
                decimals(chosen.figures().medianAbsoluteLog(), 4),
                decimals(chosen.timesNoiseFloor(), 2),
                chosen.figures().rows(),
                QUESTIONS.get(reach));
  }

  private static String coverage(QuantileTrial trial) {
    String tried =
        trial.coverage().rows() == 0
            ? "untried: too few rows in all passes but one"
            : "%s %% of a pass lay above what the other passes gave, %s %% promised"
                .formatted(
                    decimals(100 * trial.coverage().missRate(), 2),
                    decimals(100 * (1 - trial.level()), 0));
    return trial.without().isEmpty()
        ? tried
        : tried + "; no " + trial.name() + " for " + String.join(", ", trial.without());
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
    Html page = Html.page(TITLE + " · " + figures.model().deviceKind()).element("h1", TITLE);
    page.element(
        "p",
        "%s, from %s; seed %s, version %s."
            .formatted(summary(), profile, figures.model().seed(), figures.model().version()));
    page.element("p", ERROR);
    page.element("h2", "Which method answers");
    for (Reach reach : Reach.values()) {
      page.element("h3", QUESTIONS.get(reach));
      if (figures.validation().rows(reach) == 0) {
        page.element("p", choice(reach) + ".");
      } else {
        methods(page, reach);
      }
    }
    picture(page, "Errors of all methods", folder, "errors.png", errorBars());
    page.element("h2", "Upper quantiles");
    page.list(
        figures.quantiles().stream().map(trial -> trial.name() + ": " + coverage(trial)).toList());
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
    List<Reach> tried = figures.triedReaches();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put(
        "noise floor",
        tried.stream().map(r -> figures.validation().noiseFloor(r).medianAbsoluteLog()).toList());
    figures.errorsByMethod().forEach((method, errors) -> bars.put(method.toString(), errors));
    return Picture.bars(
        "Errors on what was held out · " + figures.model().deviceKind(),
        "median of |ln(actual / predicted)|",
        tried.stream().map(reach -> String.valueOf(QUESTIONS.get(reach))).toList(),
        bars);
  }

  private byte[] predictedAndActual() {
    var picture =
        new Picture(
            "Predicted and actual service times of a pass held out · "
                + figures.model().deviceKind(),
            "predicted service time, ms",
            "actual service time, ms");
    for (var scatter : figures.predictedAndActual(POINTS_MAX)) {
      picture.points(
          scatter.workload() + " (" + scatter.rows() + " batches)",
          scatter.place(),
          array(scatter.predictedMs()),
          array(scatter.actualMs()));
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
                + figures.model().deviceKind(),
            "samples",
            "service time, ms");
    int place = 0;
    for (var curve : figures.timesOverSamples()) {
      double[] samples =
          IntStream.rangeClosed(1, curve.predictedMs().size()).asDoubleStream().toArray();
      picture.points(curve.name(), place, array(curve.samples()), array(curve.measuredMs()));
      picture.curve(place, samples, array(curve.predictedMs()));
      place++;
    }
    return picture.logarithmicY().png();
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private void methods(Html page, Reach reach) {
    List<List<TableCell>> rows = new ArrayList<>();
    for (MethodErrors of : figures.methods(reach)) {
      Method method = of.method();
      List<TableCell> row = new ArrayList<>();
      row.add(
          TableCell.words(
              method == null ? "noise floor" : method + (of.chosen() ? " (chosen)" : "")));
      row.add(number(of.figures().medianAbsoluteLog(), 4));
      row.add(number(of.timesNoiseFloor(), 2));
      row.addAll(errors(of.figures()));
      row.add(TableCell.words(method == null ? "" : method.words()));
      rows.add(row);
    }
    page.table(
        List.of("method", "error", "× noise floor", "MAE, ms", "MAPE", "R²", "rows", "how"), rows);
  }

  private void workloads(Html page, Reach reach) {
    List<List<TableCell>> rows = new ArrayList<>();
    figures
        .validation()
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
