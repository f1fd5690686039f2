package dev.sluice.harness.profile;

import dev.sluice.analytics.plot.Picture;
import dev.sluice.executor.latency.ErrorFigures;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.Method;
import dev.sluice.executor.latency.Reach;
import dev.sluice.executor.latency.TrainFigures;
import dev.sluice.executor.latency.TrainFigures.MethodErrors;
import dev.sluice.executor.latency.TrainFigures.QuantileTrial;
import dev.sluice.executor.latency.Trainer.Trained;
import dev.sluice.executor.latency.Validation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is to be said of a model that was trained: for the terminal, as JSON, and as a page. */
public final class TrainReport {
  public static final String FILE = "report.html";

  private static final int POINTS_MAX = 3_000;

  private static final Map<Reach, String> QUESTIONS =
      Map.of(
          Reach.SEEN, "measured keys, on a pass held out",
          Reach.BETWEEN, "samples held out, between others",
          Reach.BEYOND, "samples held out, beyond the others");

  private final String profile;
  private final LatencyModel model;
  private final Validation validation;
  private final TrainFigures figures;

  /** One line of the checklist. */
  public record Line(String label, String text) {}

  /**
   * @param profile where the rows are from
   */
  public TrainReport(String profile, Trained trained) {
    this.profile = profile;
    this.model = trained.model();
    this.validation = trained.validation();
    this.figures = new TrainFigures(trained);
  }

  public List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line("profile", summary()));
    lines.add(
        new Line(
            "noise floor",
            decimals(validation.noiseFloor(Reach.SEEN).medianAbsoluteLog(), 4)
                + ": half of all times lie so far, as a difference of logarithms, from the median"
                + " of the other passes"));
    for (Reach reach : Reach.values()) {
      lines.add(new Line(reach.toString(), choice(reach)));
    }
    for (QuantileTrial trial : figures.quantiles()) {
      lines.add(new Line(trial.name(), coverage(trial)));
    }
    return lines;
  }

  private String summary() {
    return "%d rows, %d keys, %d passes, device kind %s"
        .formatted(model.rows().size(), figures.keys(), figures.passes(), model.deviceKind());
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

  /** The figures by name, for JSON. */
  public Map<String, @Nullable Object> figures() {
    return figures.named(profile);
  }

  /** Writes the page and its pictures. */
  public void write(Path folder) throws IOException {
    Map<String, byte[]> pictures = pictures();
    for (var picture : pictures.entrySet()) {
      Files.write(folder.resolve(picture.getKey() + ".png"), picture.getValue());
    }
    Files.writeString(folder.resolve(FILE), page(pictures));
  }

  private Map<String, byte[]> pictures() {
    Map<String, byte[]> pictures = new LinkedHashMap<>();
    pictures.put("errors", errorBars());
    pictures.put("predicted_vs_actual", predictedAndActual());
    pictures.put("times_over_samples", timesOverSamples());
    return pictures;
  }

  private byte[] errorBars() {
    List<Reach> tried = figures.triedReaches();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put(
        "noise floor",
        tried.stream().map(r -> validation.noiseFloor(r).medianAbsoluteLog()).toList());
    figures.errorsByMethod().forEach((method, errors) -> bars.put(method.toString(), errors));
    return Picture.bars(
        "Errors on what was held out · " + model.deviceKind(),
        "median of |ln(actual / predicted)|",
        tried.stream().map(reach -> String.valueOf(QUESTIONS.get(reach))).toList(),
        bars);
  }

  private byte[] predictedAndActual() {
    var picture =
        new Picture(
            "Predicted and actual service times of a pass held out · " + model.deviceKind(),
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
   * Beside no other lane: single times, and the prediction over all samples counts up to the most.
   */
  private byte[] timesOverSamples() {
    var picture =
        new Picture(
            "Service times beside no other busy lane, and the model's curves · "
                + model.deviceKind(),
            "samples",
            "service time, ms");
    int place = 0;
    for (var curve : figures.timesOverSamples()) {
      double[] samples =
          IntStream.rangeClosed(1, curve.predictedMs().size()).asDoubleStream().toArray();
      picture.points(curve.name(), place, array(curve.samples()), array(curve.measuredMs()));
      picture.curve(curve.name() + " ", place, samples, array(curve.predictedMs()));
      place++;
    }
    return picture.logarithmicY().png();
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private String page(Map<String, byte[]> pictures) {
    var html = new StringBuilder();
    html.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<title>Latency model · ")
        .append(escaped(model.deviceKind()))
        .append("</title>\n<style>body{font:16px/1.5 sans-serif;max-width:75rem;margin:2rem auto;")
        .append("padding:0 1rem;color:#222}table{border-collapse:collapse;margin:1rem 0}")
        .append("td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:right}")
        .append("td:first-child,th:first-child{text-align:left}img{max-width:100%}")
        .append("</style></head>\n<body>\n<h1>Latency model</h1>\n");
    html.append("<p>").append(escaped(summary())).append(", from ").append(escaped(profile));
    html.append("; seed ").append(model.seed()).append(", version ").append(model.version());
    html.append(
        ".</p>\n<p>The error is the median of |ln(actual / predicted)|: 0.01 is about 1 %. ");
    html.append(
        "The noise floor is the same error of the medians of each key in the other passes: ");
    html.append(
        "what a key's own past can say at best. Each row was predicted by what was fitted ");
    html.append(
        "without its pass and, where samples were held out, without its samples count.</p>\n");
    html.append("<h2>Which method answers</h2>\n");
    for (Reach reach : Reach.values()) {
      methods(html, reach);
    }
    image(html, pictures, "errors", "Errors of all methods");
    html.append("<h2>Upper quantiles</h2>\n<ul>\n");
    for (QuantileTrial trial : figures.quantiles()) {
      html.append("<li>")
          .append(trial.name())
          .append(": ")
          .append(escaped(coverage(trial)))
          .append("</li>\n");
    }
    html.append(
        "</ul>\n<p>They are split-conformal, from the residuals of passes held out: they keep ");
    html.append("their promise as far as the next pass is like these.</p>\n");
    html.append("<h2>By workload and samples</h2>\n");
    for (Reach reach : Reach.values()) {
      byWorkload(html, reach);
    }
    image(html, pictures, "predicted_vs_actual", "Predicted and actual service times");
    image(html, pictures, "times_over_samples", "Service times over samples");
    return html.append("</body></html>\n").toString();
  }

  private void methods(StringBuilder html, Reach reach) {
    html.append("<h3>").append(QUESTIONS.get(reach)).append("</h3>\n");
    if (validation.rows(reach) == 0) {
      html.append("<p>").append(escaped(choice(reach))).append(".</p>\n");
      return;
    }
    html.append("<table><tr><th>method</th><th>error</th><th>× noise floor</th><th>MAE, ms</th>");
    html.append("<th>MAPE</th><th>R²</th><th>rows</th><th>how</th></tr>\n");
    for (MethodErrors errors : figures.methods(reach)) {
      Method method = errors.method();
      row(
          html,
          method == null ? "noise floor" : method + (errors.chosen() ? " (chosen)" : ""),
          errors,
          method == null ? "" : method.words());
    }
    html.append("</table>\n");
  }

  private static void row(StringBuilder html, String name, MethodErrors errors, String words) {
    html.append("<tr><td>").append(escaped(name)).append("</td><td>");
    html.append(decimals(errors.figures().medianAbsoluteLog(), 4)).append("</td><td>");
    html.append(decimals(errors.timesNoiseFloor(), 2)).append("</td>");
    rest(html, errors.figures());
    html.append("<td style=\"text-align:left\">").append(escaped(words)).append("</td></tr>\n");
  }

  private static void rest(StringBuilder html, ErrorFigures figures) {
    html.append("<td>").append(decimals(figures.maeMs(), 3)).append("</td><td>");
    html.append(decimals(100 * figures.mape(), 2)).append(" %</td><td>");
    html.append(decimals(figures.rSquared(), 4)).append("</td><td>");
    html.append(figures.rows()).append("</td>");
  }

  private void byWorkload(StringBuilder html, Reach reach) {
    var byWorkload = validation.chosenByWorkloadAndSamples(reach);
    if (byWorkload.isEmpty()) {
      return;
    }
    html.append("<h3>").append(QUESTIONS.get(reach)).append("</h3>\n");
    html.append("<table><tr><th>workload</th><th>samples</th><th>error</th><th>MAE, ms</th>");
    html.append("<th>MAPE</th><th>R²</th><th>rows</th></tr>\n");
    byWorkload.forEach(
        (workload, bySamples) ->
            bySamples.forEach(
                (samples, figures) -> {
                  html.append("<tr><td>").append(escaped(workload)).append("</td><td>");
                  html.append(samples).append("</td><td>");
                  html.append(decimals(figures.medianAbsoluteLog(), 4)).append("</td>");
                  rest(html, figures);
                  html.append("</tr>\n");
                }));
    html.append("</table>\n");
  }

  private static void image(
      StringBuilder html, Map<String, byte[]> pictures, String name, String words) {
    html.append("<p><img alt=\"").append(words).append("\" src=\"data:image/png;base64,");
    html.append(Base64.getEncoder().encodeToString(pictures.getOrDefault(name, new byte[0])));
    html.append("\"></p>\n");
  }

  private static String decimals(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value)
        : "none";
  }

  private static String escaped(String text) {
    return text.codePoints()
        .mapToObj(
            c ->
                switch (c) {
                  case '&' -> "&amp;";
                  case '<' -> "&lt;";
                  case '>' -> "&gt;";
                  case '"' -> "&quot;";
                  default -> Character.toString(c);
                })
        .collect(Collectors.joining());
  }
}
