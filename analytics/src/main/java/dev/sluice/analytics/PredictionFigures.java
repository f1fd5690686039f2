package dev.sluice.analytics;

import java.util.Arrays;
import java.util.List;

/**
 * How well service times were predicted, over the dispatches that ended measured jobs as done, each
 * once: prediction_error_median = median (nearest rank) of |ln(service / predicted)|, so 0.1 is
 * about 10 % off; prediction_bias = mean of ln(service / predicted), above 0 where services took
 * longer than predicted. Dispatches whose prediction or service time is 0 are left out.
 */
final class PredictionFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of("prediction_error_median", "prediction_bias");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    double[] logRatios =
        run.measuredDoneDispatches().stream()
            .filter(row -> row.dispatch().predictedServiceNs() > 0 && row.serviceNs() > 0)
            .mapToDouble(
                row -> Math.log((double) row.serviceNs() / row.dispatch().predictedServiceNs()))
            .toArray();
    double[] errors = Arrays.stream(logRatios).map(Math::abs).sorted().toArray();
    summary.put("prediction_count", errors.length);
    summary.put(
        "prediction_error_median",
        errors.length == 0 ? Double.NaN : errors[(int) NearestRank.of(50, errors.length) - 1]);
    summary.put("prediction_bias", Arrays.stream(logRatios).average().orElse(Double.NaN));
  }
}
