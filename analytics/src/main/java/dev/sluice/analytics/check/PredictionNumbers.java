package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** How good predictions were, and what the policy's scores were made of. */
record PredictionNumbers(Recount recount, List<Batch> predicted) {
  private static final int PARTS = 10;

  static PredictionNumbers of(Recount recount) {
    return new PredictionNumbers(
        recount,
        recount.measuredBatches.stream()
            .filter(batch -> batch.predictedNs > 0 && batch.serviceNs > 0)
            .toList());
  }

  void count() {
    figures("prediction_", predicted);
    for (String workload : recount.config.workloads().keySet()) {
      figures(
          "prediction_by_workload/" + Recount.escaped(workload) + "/",
          predicted.stream().filter(batch -> batch.workload.equals(workload)).toList());
    }
    long lengthNs = recount.toNs - recount.fromNs;
    for (int part = 0; part < PARTS; part++) {
      long fromNs = recount.fromNs + lengthNs * part / PARTS;
      long toNs = recount.fromNs + lengthNs * (part + 1) / PARTS;
      String path = "prediction_over_time/" + part + "/";
      recount.equal(path + "from_s", fromNs / 1e9);
      recount.equal(path + "to_s", toNs / 1e9);
      figures(path, endedWithin(fromNs, toNs, path));
    }
    recount.equalEach(
        "model_versions",
        predicted.stream()
            .map(batch -> batch.modelVersion)
            .filter(version -> !version.isEmpty())
            .collect(
                Collectors.groupingBy(version -> version, TreeMap::new, Collectors.counting())));
    recount.equalEach("score_term_shares", termShares());
  }

  /** Of batches that ended at an edge, as far as rounded times tell, as many as the part counts. */
  private List<Batch> endedWithin(long fromNs, long toNs, String path) {
    List<Batch> ended = new ArrayList<>();
    List<Batch> atEdge = new ArrayList<>();
    for (Batch batch : predicted) {
      if (Recount.isAt(batch.endNs, fromNs) || Recount.isAt(batch.endNs, toNs)) {
        atEdge.add(batch);
      } else if (fromNs <= batch.endNs && batch.endNs < toNs) {
        ended.add(batch);
      }
    }
    double wanted = recount.statedNumber(path + "count") - ended.size();
    atEdge.stream().limit((long) Math.max(0, wanted)).forEach(ended::add);
    return ended;
  }

  private void figures(String path, List<Batch> batches) {
    double[] biases = Recount.sortedReal(batches, PredictionNumbers::bias);
    recount.equal(path + "count", batches.size());
    recount.equal(
        path + "error_median",
        Recount.median(Recount.sortedReal(batches, batch -> Math.abs(bias(batch)))));
    recount.equal(path + "bias", Recount.mean(biases));
    recount.equal(path + "bias_median", Recount.median(biases));
    bound(path + "p95", 0.95, batches, batch -> batch.p95Ns);
    bound(path + "p99", 0.99, batches, batch -> batch.p99Ns);
  }

  private void bound(
      String path, double promised, List<Batch> batches, ToLongFunction<Batch> bound) {
    List<Batch> judged =
        batches.stream().filter(batch -> bound.applyAsLong(batch) != Row.NONE).toList();
    recount.equal(path + "_count", judged.size());
    double misses =
        judged.stream().filter(batch -> batch.serviceNs > bound.applyAsLong(batch)).count();
    recount.equal(path + "_miss_rate", misses / judged.size());
    recount.equal(
        path + "_pinball",
        Recount.mean(
            judged.stream()
                .mapToDouble(
                    batch -> {
                      double above = Math.log((double) batch.serviceNs / bound.applyAsLong(batch));
                      return above > 0 ? promised * above : (promised - 1) * above;
                    })
                .toArray()));
    recount.equal(
        path + "_over_median",
        Recount.median(
            Recount.sortedReal(
                judged, batch -> (double) bound.applyAsLong(batch) / batch.predictedNs)));
  }

  private static double bias(Batch batch) {
    return Math.log((double) batch.serviceNs / batch.predictedNs);
  }

  /** Mean of |term| / sum of |terms| over the batches with a score. */
  private Map<String, Double> termShares() {
    Map<String, Double> sums = new HashMap<>();
    int scored = 0;
    for (Batch batch : recount.measuredBatches) {
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
