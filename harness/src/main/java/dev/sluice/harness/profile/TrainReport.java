package dev.sluice.harness.profile;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
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
 * Report on a training: lines for the terminal, figures for JSON, and a page, laid out by the
 * template {@value #FILE} beside this class.
 */
public final class TrainReport {
  public static final String FILE = "report.html";

  /** Pages of trainings, as files that a command writes: the beginning of the template. */
  private static final OutputFile.Kind KIND =
      OutputFile.Kind.madeAgain(
          "report on a latency model",
          ("<!doctype html>\n"
                  + "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Latency model ")
              .getBytes(StandardCharsets.UTF_8));

  /** Captions of the pictures that the page shows after its parts, by picture. */
  private static final Map<String, String> WORDS =
      Map.of(
          "errors", "Errors of all methods",
          "predicted_vs_actual", "Predicted and actual service times",
          "times_over_samples", "Service times over samples");

  /** Questions that the reaches stand for. */
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
  private final TrainFigures figures;
  private final TrainPictures drawing;

  /** A line for the terminal. */
  public record Line(String label, String text) {}

  /**
   * @param profile name of the rows' file
   */
  public TrainReport(String profile, Trained trained) {
    this.profile = profile;
    this.model = trained.model();
    this.validation = trained.validation();
    this.figures = new TrainFigures(trained);
    this.drawing = new TrainPictures(trained, figures);
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

  /**
   * Refuses a folder in which another file stands in the place of the page.
   *
   * @throws UserMistakeException if {@link #write} would replace a file that is no such page
   */
  static void checkFolder(Path folder) throws UserMistakeException {
    OutputFile.check(folder.resolve(FILE), KIND, false);
  }

  /** Writes the page and its pictures. */
  public void write(Path folder) throws IOException {
    Map<String, byte[]> pictures = drawing.byName();
    for (var picture : pictures.entrySet()) {
      Files.write(folder.resolve(picture.getKey() + ".png"), picture.getValue());
    }
    OutputFile.write(folder.resolve(FILE), page(pictures).getBytes(StandardCharsets.UTF_8));
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
        figures.quantiles().stream()
            .map(trial -> new QuantileRow(trial.name(), coverage(trial)))
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
    boolean isTried = validation.rows(reach) > 0;
    return new MethodsPart(
        question(reach),
        isTried,
        choice(reach),
        isTried ? figures.methods(reach).stream().map(TrainReport::row).toList() : List.of());
  }

  private static MethodRow row(MethodErrors of) {
    Method method = of.method();
    return new MethodRow(
        method == null ? "noise floor" : method + (of.chosen() ? " (chosen)" : ""),
        decimals(of.figures().medianAbsoluteLog(), 4),
        decimals(of.timesNoiseFloor(), 2),
        errors(of.figures()),
        method == null ? "" : method.words());
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
