package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** How good predictions were, and what the policy's scores were made of. */
final class PredictionNumbers extends Numbers {
  private static final int PARTS = 10;

  private final List<Batch> predicted =
      folder.measuredBatches().stream()
          .filter(batch -> batch.predictedNs > 0 && batch.serviceNs > 0)
          .toList();

  PredictionNumbers(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    figures("prediction_", predicted);
    for (String workload : config.workloads().keySet()) {
      figures(
          "prediction_by_workload/" + escaped(workload) + "/",
          predicted.stream().filter(batch -> batch.workload.equals(workload)).toList());
    }
    long lengthNs = toNs - fromNs;
    for (int part = 0; part < PARTS; part++) {
      long beginNs = fromNs + lengthNs * part / PARTS;
      long endNs = fromNs + lengthNs * (part + 1) / PARTS;
      String path = "prediction_over_time/" + part + "/";
      equal(path + "from_s", beginNs / 1e9);
      equal(path + "to_s", endNs / 1e9);
      figures(path, endedWithin(beginNs, endNs, path));
    }
    equalEach(
        "model_versions",
        predicted.stream()
            .map(batch -> batch.modelVersion)
            .filter(version -> !version.isEmpty())
            .collect(
                Collectors.groupingBy(version -> version, TreeMap::new, Collectors.counting())));
    equalEach("score_term_shares", termShares());
  }

  /** Of batches that ended at an edge, as far as rounded times tell, as many as the part counts. */
  private List<Batch> endedWithin(long beginNs, long endNs, String path) {
    List<Batch> ended = new ArrayList<>();
    List<Batch> atEdge = new ArrayList<>();
    for (Batch batch : predicted) {
      if (isAt(batch.endNs, beginNs) || isAt(batch.endNs, endNs)) {
        atEdge.add(batch);
      } else if (beginNs <= batch.endNs && batch.endNs < endNs) {
        ended.add(batch);
      }
    }
    double wanted = statedNumber(path + "count") - ended.size();
    atEdge.stream().limit((long) Math.max(0, wanted)).forEach(ended::add);
    return ended;
  }

  private void figures(String path, List<Batch> batches) {
    double[] biases = sortedReal(batches, PredictionNumbers::bias);
    equal(path + "count", batches.size());
    equal(path + "error_median", median(sortedReal(batches, batch -> Math.abs(bias(batch)))));
    equal(path + "bias", mean(biases));
    equal(path + "bias_median", median(biases));
    bound(path + "p95", 0.95, batches, batch -> batch.p95Ns);
    bound(path + "p99", 0.99, batches, batch -> batch.p99Ns);
  }

  private void bound(
      String path, double promised, List<Batch> batches, ToLongFunction<Batch> bound) {
    List<Batch> judged =
        batches.stream().filter(batch -> bound.applyAsLong(batch) != Row.NONE).toList();
    equal(path + "_count", judged.size());
    double misses =
        judged.stream().filter(batch -> batch.serviceNs > bound.applyAsLong(batch)).count();
    equal(path + "_miss_rate", misses / judged.size());
    equal(
        path + "_pinball",
        mean(
            judged.stream()
                .mapToDouble(
                    batch -> {
                      double above = Math.log((double) batch.serviceNs / bound.applyAsLong(batch));
                      return above > 0 ? promised * above : (promised - 1) * above;
                    })
                .toArray()));
    equal(
        path + "_over_median",
        median(sortedReal(judged, batch -> (double) bound.applyAsLong(batch) / batch.predictedNs)));
  }

  private static double bias(Batch batch) {
    return Math.log((double) batch.serviceNs / batch.predictedNs);
  }

  /** Mean of |term| / sum of |terms| over the batches with a score. */
  private Map<String, Double> termShares() {
    Map<String, Double> sums = new HashMap<>();
    int scored = 0;
    for (Batch batch : folder.measuredBatches()) {
      Map<String, Double> terms = terms(batch.scoreTerms);
      double all = terms.values().stream().mapToDouble(Double::doubleValue).sum();
      if (all > 0) {
        scored++;
        terms.forEach((name, term) -> sums.merge(name, term / all, Double::sum));
      }
    }
    int count = scored;
    sums.replaceAll((name, sum) -> sum / count);
    return sums;
  }

  private static Map<String, Double> terms(String text) {
    Map<String, Double> terms = new HashMap<>();
    for (String term : text.split(";", -1)) {
      int equals = term.indexOf('=');
      if (equals > 0) {
        try {
          terms.put(
              term.substring(0, equals), Math.abs(Double.parseDouble(term.substring(equals + 1))));
        } catch (NumberFormatException e) {
          terms.put(term.substring(0, equals), Double.NaN); // then the share differs, and says so
        }
      }
    }
    return terms;
  }
}
