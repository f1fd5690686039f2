package dev.sluice.harness.profile;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import dev.sluice.executor.latency.ErrorFigures;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.Method;
import dev.sluice.executor.latency.Reach;
import dev.sluice.executor.latency.Trainer.Trained;
import dev.sluice.executor.latency.Validation;
import dev.sluice.executor.profile.ProfileRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a training has found: lines for the terminal, figures for JSON, and a page, laid out by the
 * template {@value #FILE} beside this class.
 */
public final class TrainReport {
  public static final String FILE = "report.html";

  private static final double[] LEVELS = {0.95, 0.99};

  /** The pictures that the page shows after its parts, by name, with their words. */
  private static final Map<String, String> WORDS =
      Map.of(
          "errors", "Errors of all methods",
          "predicted_vs_actual", "Predicted and actual service times",
          "times_over_samples", "Service times over samples");

  /** The question that each reach stands for. */
  static final Map<Reach, String> QUESTIONS =
      Map.of(
          Reach.SEEN, "measured keys, on a pass held out",
          Reach.BETWEEN, "samples held out, between others",
          Reach.BEYOND, "samples held out, beyond the others");

  private static final String[][] ESCAPES = {
    {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}
  };

  private final String profile;
  private final LatencyModel model;
  private final Validation validation;

  /** A line for the terminal. */
  public record Line(String label, String text) {}

  /**
   * @param profile the file of the rows
   */
  public TrainReport(String profile, Trained trained) {
    this.profile = profile;
    this.model = trained.model();
    this.validation = trained.validation();
  }

  /** The report in a few lines. */
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
    for (double level : LEVELS) {
      lines.add(new Line(percentile(level), coverage(level)));
    }
    return lines;
  }

  private String summary() {
    return "%d rows, %d keys, %d passes, device kind %s"
        .formatted(
            model.rows().size(),
            model.rows().stream().map(ProfileRow::key).distinct().count(),
            model.rows().stream().map(ProfileRow::pass).distinct().count(),
            model.deviceKind());
  }

  private String choice(Reach reach) {
    Method method = model.choice().get(reach);
    ErrorFigures figures = validation.chosen(reach);
    return figures.rows() == 0
        ? method + ", untried: too few samples counts were measured to hold one out"
        : "%s, error %s, %s × its noise floor, over %d rows: %s"
            .formatted(
                method,
                decimals(figures.medianAbsoluteLog(), 4),
                decimals(ratio(reach, figures), 2),
                figures.rows(),
                QUESTIONS.get(reach));
  }

  private double ratio(Reach reach, ErrorFigures figures) {
    return figures.medianAbsoluteLog() / validation.noiseFloor(reach).medianAbsoluteLog();
  }

  private String coverage(double level) {
    Validation.Coverage coverage = validation.coverage(level);
    String name = percentile(level);
    List<String> without = without(level);
    String tried =
        coverage.rows() == 0
            ? "untried: too few rows in all passes but one"
            : "%s %% of a pass lay above what the other passes gave, %s %% promised"
                .formatted(decimals(100 * coverage.missRate(), 2), decimals(100 * (1 - level), 0));
    return without.isEmpty()
        ? tried
        : tried + "; no " + name + " for " + String.join(", ", without);
  }

  private static String percentile(double level) {
    return "p" + Math.round(100 * level);
  }

  /** The workloads and backends with too few calibration rows for a quantile. */
  private List<String> without(double level) {
    return model.rows().stream()
        .map(ProfileRow::key)
        .filter(key -> model.quantileNs(key, level).isEmpty())
        .map(key -> key.workload() + " on " + key.backend())
        .distinct()
        .toList();
  }

  /** The figures by name, for JSON. */
  public Map<String, @Nullable Object> figures() {
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("profile", profile);
    figures.put("rows", model.rows().size());
    figures.put("device_kind", model.deviceKind());
    figures.put("seed", model.seed());
    figures.put("version", model.version());
    for (Reach reach : Reach.values()) {
      Map<String, @Nullable Object> of = new LinkedHashMap<>();
      of.put("method", String.valueOf(model.choice().get(reach)));
      of.put("noise_floor", number(validation.noiseFloor(reach).medianAbsoluteLog()));
      validation
          .byMethod(reach)
          .forEach(
              (method, errors) -> of.put(method + "_error", number(errors.medianAbsoluteLog())));
      ErrorFigures chosen = validation.chosen(reach);
      of.put("rows", chosen.rows());
      of.put("error", number(chosen.medianAbsoluteLog()));
      of.put("mae_ms", number(chosen.maeMs()));
      of.put("mape", number(chosen.mape()));
      of.put("r_squared", number(chosen.rSquared()));
      figures.put(reach.toString(), of);
    }
    for (double level : LEVELS) {
      figures.put(percentile(level) + "_miss_rate", number(validation.coverage(level).missRate()));
    }
    return figures;
  }

  private static @Nullable Double number(double value) {
    return Double.isFinite(value) ? value : null;
  }

  /** Writes the page and its pictures. */
  public void write(Path folder) throws IOException {
    Map<String, byte[]> pictures = new TrainPictures(model, validation).byName();
    for (var picture : pictures.entrySet()) {
      Files.write(folder.resolve(picture.getKey() + ".png"), picture.getValue());
    }
    Files.writeString(folder.resolve(FILE), page(pictures));
  }

  /** A table of methods. */
  private record MethodsPart(
      String question, boolean isTried, String choice, List<MethodRow> rows) {}

  private record MethodRow(String name, String error, String ratio, Errors errors, String words) {}

  private record QuantileRow(String name, String text) {}

  /** A table by workload and samples. */
  private record WorkloadsPart(String question, List<WorkloadRow> rows) {}

  private record WorkloadRow(String workload, int samples, String error, Errors errors) {}

  /** The columns that every table ends with. */
  private record Errors(String mae, String mape, String rSquared, int rows) {}

  private record Image(String words, String base64) {}

  private String page(Map<String, byte[]> pictures) throws IOException {
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("deviceKind", model.deviceKind());
    page.put("summary", summary());
    page.put("profile", profile);
    page.put("seed", model.seed());
    page.put("version", model.version());
    page.put("methods", Arrays.stream(Reach.values()).map(this::methods).toList());
    page.put(
        "quantiles",
        Arrays.stream(LEVELS)
            .mapToObj(level -> new QuantileRow(percentile(level), coverage(level)))
            .toList());
    page.put(
        "workloads",
        Arrays.stream(Reach.values())
            .map(this::workloads)
            .filter(part -> !part.rows().isEmpty())
            .toList());
    WORDS.forEach(
        (name, words) ->
            page.put(
                name,
                new Image(
                    words,
                    Base64.getEncoder().encodeToString(pictures.getOrDefault(name, new byte[0])))));
    return template().execute(page);
  }

  private static Template template() throws IOException {
    try (var template = TrainReport.class.getResourceAsStream(FILE)) {
      if (template == null) {
        throw new IllegalStateException("the template of the page is missing");
      }
      return Mustache.compiler()
          .withEscaper(Escapers.simple(ESCAPES))
          .compile(new String(template.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private MethodsPart methods(Reach reach) {
    List<MethodRow> rows = new ArrayList<>();
    rows.add(row("noise floor", reach, validation.noiseFloor(reach), ""));
    Method chosen = model.choice().get(reach);
    validation
        .byMethod(reach)
        .forEach(
            (method, figures) ->
                rows.add(
                    row(
                        method + (method == chosen ? " (chosen)" : ""),
                        reach,
                        figures,
                        method.words())));
    return new MethodsPart(
        question(reach), validation.rows(reach) > 0, choice(reach), List.copyOf(rows));
  }

  private MethodRow row(String name, Reach reach, ErrorFigures figures, String words) {
    return new MethodRow(
        name,
        decimals(figures.medianAbsoluteLog(), 4),
        decimals(ratio(reach, figures), 2),
        errors(figures),
        words);
  }

  private WorkloadsPart workloads(Reach reach) {
    List<WorkloadRow> rows = new ArrayList<>();
    validation
        .chosenByWorkloadAndSamples(reach)
        .forEach(
            (workload, bySamples) ->
                bySamples.forEach(
                    (samples, figures) ->
                        rows.add(
                            new WorkloadRow(
                                workload,
                                samples,
                                decimals(figures.medianAbsoluteLog(), 4),
                                errors(figures)))));
    return new WorkloadsPart(question(reach), List.copyOf(rows));
  }

  private static Errors errors(ErrorFigures figures) {
    return new Errors(
        decimals(figures.maeMs(), 3),
        decimals(100 * figures.mape(), 2),
        decimals(figures.rSquared(), 4),
        figures.rows());
  }

  private static String question(Reach reach) {
    return QUESTIONS.getOrDefault(reach, "");
  }

  private static String decimals(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value)
        : "none";
  }
}
