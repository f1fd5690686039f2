package dev.sluice.executor.latency;

import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.Validation.ErrorFigures;
import dev.sluice.executor.latency.Validation.Held;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Figures and tables of a trained latency model: what it was trained on, how each method did on
 * held-out rows, and what a picture of it shows. It holds values only; its readers add words and
 * layout.
 */
public record TrainFigures(LatencyModel model, Validation validation) {
  /** Levels of the upper quantiles that are validated, ascending. */
  private static final List<Double> LEVELS = List.of(0.95, 0.99);

  /**
   * Errors of one method at one reach.
   *
   * @param method null: the noise floor
   * @param chosen true if the model answers with this method at that reach
   * @param timesNoiseFloor error divided by the noise floor's error; NaN without rows
   */
  public record MethodErrors(
      @Nullable Method method, boolean chosen, ErrorFigures figures, double timesNoiseFloor) {}

  /**
   * Upper quantile of one level, tried on held-out passes.
   *
   * @param without workloads and backends, as {@code vit on onnx}, with too few calibration rows
   */
  public record QuantileTrial(double level, Validation.Coverage coverage, List<String> without) {
    public String name() {
      return "p" + Math.round(100 * level);
    }
  }

  /**
   * Held-out batches of one workload.
   *
   * @param place index of the workload among all workloads in alphabetical order
   */
  public record Scatter(
      String workload, int place, int rows, List<Double> predictedMs, List<Double> actualMs) {}

  /**
   * Service times over samples beside no other busy lane.
   *
   * @param name workload and backend, with precision and threads where the profile has several
   * @param predictedMs predictions for 1, 2, … samples, up to the most measured
   */
  public record SamplesCurve(
      String name, List<Double> samples, List<Double> measuredMs, List<Double> predictedMs) {}

  public long keys() {
    return model.rows().stream().map(ProfileRow::key).distinct().count();
  }

  public long passes() {
    return model.rows().stream().map(ProfileRow::pass).distinct().count();
  }

  public MethodErrors chosen(Reach reach) {
    return errors(reach, model.choice().get(reach), validation.chosen(reach));
  }

  /** Returns the errors of the noise floor at a reach, then of each method that answered there. */
  public List<MethodErrors> methods(Reach reach) {
    List<MethodErrors> all = new ArrayList<>();
    all.add(errors(reach, null, validation.noiseFloor(reach)));
    validation.byMethod(reach).forEach((method, of) -> all.add(errors(reach, method, of)));
    return all;
  }

  private MethodErrors errors(Reach reach, @Nullable Method method, ErrorFigures figures) {
    return new MethodErrors(
        method,
        method != null && method == model.choice().get(reach),
        figures,
        figures.medianAbsoluteLog() / validation.noiseFloor(reach).medianAbsoluteLog());
  }

  public List<Reach> triedReaches() {
    return Stream.of(Reach.values()).filter(reach -> validation.rows(reach) > 0).toList();
  }

  /** At each of {@link #triedReaches}; NaN where a method had no answer. */
  public Map<Method, List<Double>> errorsByMethod() {
    Map<Method, List<Double>> errors = new EnumMap<>(Method.class);
    for (Reach reach : triedReaches()) {
      Map<Method, ErrorFigures> figures = validation.byMethod(reach);
      for (Method method : Method.values()) {
        ErrorFigures own = figures.get(method);
        errors
            .computeIfAbsent(method, m -> new ArrayList<>())
            .add(own == null ? Double.NaN : own.medianAbsoluteLog());
      }
    }
    return errors;
  }

  public List<QuantileTrial> quantiles() {
    return LEVELS.stream()
        .map(level -> new QuantileTrial(level, validation.coverage(level), without(level)))
        .toList();
  }

  private List<String> without(double level) {
    return model.rows().stream()
        .map(ProfileRow::key)
        .filter(key -> model.quantileNs(key, level).isEmpty())
        .map(key -> key.workload() + " on " + key.backend())
        .distinct()
        .toList();
  }

  /** Returns the figures by name, for JSON; null where a figure is not finite. */
  public Map<String, @Nullable Object> named(String profile) {
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("profile", profile);
    figures.put("rows", model.rows().size());
    figures.put("device_kind", model.deviceKind());
    figures.put("seed", model.seed());
    figures.put("version", model.version());
    for (Reach reach : Reach.values()) {
      Map<String, @Nullable Object> of = new LinkedHashMap<>();
      of.put("method", String.valueOf(model.choice().get(reach)));
      of.put("noise_floor", finite(validation.noiseFloor(reach).medianAbsoluteLog()));
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
    for (QuantileTrial trial : quantiles()) {
      figures.put(trial.name() + "_miss_rate", finite(trial.coverage().missRate()));
    }
    return figures;
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  /**
   * Returns the held-out batches of measured keys, by workload in alphabetical order. Where there
   * are more than {@code pointsMax}, each workload shows every second, third, … batch.
   */
  public List<Scatter> predictedAndActual(int pointsMax) {
    List<Held> rows = validation.at(Reach.SEEN);
    int step = (rows.size() + pointsMax - 1) / pointsMax;
    List<String> workloads =
        model.rows().stream().map(row -> row.key().workload()).distinct().sorted().toList();
    List<Scatter> scatters = new ArrayList<>();
    for (String workload : workloads) {
      List<Held> own =
          rows.stream().filter(held -> held.row().key().workload().equals(workload)).toList();
      List<Held> shown =
          IntStream.range(0, own.size()).filter(i -> i % step == 0).mapToObj(own::get).toList();
      if (!own.isEmpty()) {
        scatters.add(
            new Scatter(
                workload,
                workloads.indexOf(workload),
                own.size(),
                shown.stream().map(validation::predictedMs).toList(),
                shown.stream().map(held -> held.row().serviceNs() / 1e6).toList()));
      }
    }
    return scatters;
  }

  /** By name in alphabetical order. */
  public List<SamplesCurve> timesOverSamples() {
    long precisions = model.rows().stream().map(row -> row.key().precision()).distinct().count();
    long threads = model.rows().stream().map(row -> row.key().threads()).distinct().count();
    SortedMap<String, List<ProfileRow>> rowsByName = new TreeMap<>();
    for (ProfileRow row : model.rows()) {
      LatencyKey key = row.key();
      if (key.busyLanes() == 1) {
        String name =
            key.workload()
                + " on "
                + key.backend()
                + (precisions == 1 ? "" : " in " + key.precision())
                + (threads == 1 ? "" : ", threads " + key.threads());
        rowsByName.computeIfAbsent(name, n -> new ArrayList<>()).add(row);
      }
    }
    return rowsByName.entrySet().stream().map(e -> curve(e.getKey(), e.getValue())).toList();
  }

  private SamplesCurve curve(String name, List<ProfileRow> rows) {
    LatencyKey key = rows.get(0).key();
    int most = rows.stream().mapToInt(row -> row.key().samples()).max().orElseThrow();
    List<Double> predictedMs =
        IntStream.rangeClosed(1, most)
            .mapToObj(samples -> new LatencyKey(key.model(), key.threads(), samples, 1))
            .map(asked -> model.predictNs(asked) / 1e6)
            .toList();
    return new SamplesCurve(
        name,
        rows.stream().map(row -> (double) row.key().samples()).toList(),
        rows.stream().map(row -> row.serviceNs() / 1e6).toList(),
        predictedMs);
  }
}
