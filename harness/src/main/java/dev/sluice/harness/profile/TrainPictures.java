package dev.sluice.harness.profile;

import dev.sluice.analytics.plot.Picture;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.TrainFigures;
import dev.sluice.executor.latency.Trainer.Trained;
import dev.sluice.executor.latency.Validation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The pictures of a trained model: its errors, predicted beside actual times, and its curves. */
final class TrainPictures {
  private static final int POINTS_MAX = 3_000;

  private final LatencyModel model;
  private final Validation validation;
  private final TrainFigures figures;

  TrainPictures(Trained trained, TrainFigures figures) {
    this.model = trained.model();
    this.validation = trained.validation();
    this.figures = figures;
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
    List<Reach> tried = figures.triedReaches();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put(
        "noise floor",
        tried.stream().map(r -> validation.noiseFloor(r).medianAbsoluteLog()).toList());
    figures.errorsByMethod().forEach((method, errors) -> bars.put(method.toString(), errors));
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
}
