package dev.sluice.harness.profile;

import dev.sluice.analytics.plot.Picture;
import dev.sluice.executor.latency.ErrorFigures;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.Method;
import dev.sluice.executor.latency.Reach;
import dev.sluice.executor.latency.Validation;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The pictures of a trained model: its errors, predicted beside actual times, and its curves. */
final class TrainPictures {
  private static final int POINTS_MAX = 3_000;

  private final LatencyModel model;
  private final Validation validation;

  TrainPictures(LatencyModel model, Validation validation) {
    this.model = model;
    this.validation = validation;
  }

  /** Each picture (PNG) by the name of its file, less the ending. */
  Map<String, byte[]> byName() {
    Map<String, byte[]> pictures = new LinkedHashMap<>();
    pictures.put("errors", errorBars());
    pictures.put("predicted_vs_actual", predictedAndActual());
    pictures.put("times_over_samples", timesOverSamples());
    return pictures;
  }

  private byte[] errorBars() {
    List<Reach> tried = new ArrayList<>();
    for (Reach reach : Reach.values()) {
      if (validation.rows(reach) > 0) {
        tried.add(reach);
      }
    }
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put(
        "noise floor",
        tried.stream().map(r -> validation.noiseFloor(r).medianAbsoluteLog()).toList());
    for (Method method : Method.values()) {
      bars.put(
          method.toString(),
          tried.stream()
              .map(
                  reach -> {
                    ErrorFigures figures = validation.byMethod(reach).get(method);
                    return figures == null ? Double.NaN : figures.medianAbsoluteLog();
                  })
              .toList());
    }
    return Picture.bars(
        "Errors on what was held out · " + model.deviceKind(),
        "median of |ln(actual / predicted)|",
        tried.stream().map(reach -> String.valueOf(TrainReport.QUESTIONS.get(reach))).toList(),
        bars);
  }

  private byte[] predictedAndActual() {
    var picture =
        new Picture(
            "Predicted and actual service times of a pass held out · " + model.deviceKind(),
            "predicted service time, ms",
            "actual service time, ms");
    List<Validation.Point> points = validation.points(Reach.SEEN);
    int step = (points.size() + POINTS_MAX - 1) / POINTS_MAX;
    List<String> workloads = workloads();
    for (String workload : workloads) {
      List<Validation.Point> own =
          points.stream().filter(point -> point.key().workload().equals(workload)).toList();
      int count = (own.size() + step - 1) / step;
      double[] predicted = new double[count];
      double[] actual = new double[count];
      for (int i = 0; i < count; i++) {
        predicted[i] = own.get(i * step).predictedMs();
        actual[i] = own.get(i * step).actualMs();
      }
      if (count > 0) {
        picture.points(
            workload + " (" + own.size() + " batches)",
            workloads.indexOf(workload),
            predicted,
            actual);
      }
    }
    return picture.withDiagonal("as predicted").png();
  }

  private List<String> workloads() {
    return model.rows().stream().map(row -> row.key().workload()).distinct().sorted().toList();
  }

  /**
   * Draws, for batches beside no other busy lane, each time measured and the prediction over all
   * samples counts up to the largest.
   */
  private byte[] timesOverSamples() {
    var picture =
        new Picture(
            "Service times beside no other busy lane, and the model's curves · "
                + model.deviceKind(),
            "samples",
            "service time, ms");
    long precisions = model.rows().stream().map(row -> row.key().precision()).distinct().count();
    long threads = model.rows().stream().map(row -> row.key().threads()).distinct().count();
    Map<String, List<ProfileRow>> curves = new TreeMap<>();
    for (ProfileRow row : model.rows()) {
      LatencyKey key = row.key();
      if (key.busyLanes() == 1) {
        curves
            .computeIfAbsent(
                key.workload()
                    + " on "
                    + key.backend()
                    + (precisions == 1 ? "" : " in " + key.precision())
                    + (threads == 1 ? "" : ", threads " + key.threads()),
                name -> new ArrayList<>())
            .add(row);
      }
    }
    List<String> names = List.copyOf(curves.keySet());
    curves.forEach(
        (name, rows) -> {
          LatencyKey key = rows.get(0).key();
          int place = names.indexOf(name);
          int most = rows.stream().mapToInt(row -> row.key().samples()).max().orElseThrow();
          double[] xs = new double[most];
          double[] ys = new double[most];
          for (int samples = 1; samples <= most; samples++) {
            xs[samples - 1] = samples;
            ys[samples - 1] =
                model.predictNs(
                        new LatencyKey(
                            key.workload(),
                            key.backend(),
                            key.precision(),
                            key.threads(),
                            samples,
                            1))
                    / 1e6;
          }
          picture.points(
              name,
              place,
              rows.stream().mapToDouble(row -> row.key().samples()).toArray(),
              rows.stream().mapToDouble(row -> row.serviceNs() / 1e6).toArray());
          picture.curve(name + " ", place, xs, ys);
        });
    return picture.logarithmicY().png();
  }
}
