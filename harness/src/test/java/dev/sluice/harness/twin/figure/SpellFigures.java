package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Spells of slow batches: service_autocorrelation_lag_1 and _lag_10, over the batches that ended a
 * measured job as done, in the order of their starts. The value of a batch is ln(service time) less
 * its mean over the batches of equal workload, backend, precision and samples, so that the mix of
 * jobs does not count; a batch without its like is left out. Near 0 there are no spells. Null below
 * 20 batches, and where batches of one key differ by a nanosecond at most.
 */
final class SpellFigures implements Figure {
  private static final List<Integer> LAGS = List.of(1, 10);
  private static final int BATCHES_MIN = 20;

  private record Key(String workload, String backend, String precision, int samples) {
    static Key of(DispatchRow row) {
      return new Key(
          row.model().workload(),
          row.model().backend(),
          row.model().precision(),
          row.dispatch().work().samples());
    }
  }

  private static String name(int lag) {
    return "service_autocorrelation_lag_" + lag;
  }

  @Override
  public List<String> names() {
    return LAGS.stream().map(SpellFigures::name).toList();
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    double[] off = offTheMean(run.measuredDoneDispatches());
    for (int lag : LAGS) {
      summary.put(name(lag), off.length < BATCHES_MIN ? null : autocorrelation(off, lag));
    }
  }

  private static double[] offTheMean(List<DispatchRow> rows) {
    List<DispatchRow> sorted = new ArrayList<>(rows);
    sorted.removeIf(row -> row.serviceNs() < 1);
    sorted.sort(
        Comparator.comparingLong(DispatchRow::requireStartedAtNs).thenComparing(DispatchRow::key));
    Map<Key, double[]> countAndSum = new HashMap<>(); // looked up, never iterated
    for (DispatchRow row : sorted) {
      double[] sums = countAndSum.computeIfAbsent(Key.of(row), key -> new double[2]);
      sums[0]++;
      sums[1] += StrictMath.log((double) row.serviceNs());
    }
    Map<Key, Long> leastNs = new HashMap<>();
    sorted.forEach(row -> leastNs.merge(Key.of(row), row.serviceNs(), Math::min));
    if (sorted.stream().allMatch(row -> row.serviceNs() <= leastNs.get(Key.of(row)) + 1)) {
      return new double[0];
    }
    return sorted.stream()
        .filter(row -> countAndSum.getOrDefault(Key.of(row), new double[1])[0] > 1)
        .mapToDouble(
            row -> {
              double[] sums = countAndSum.getOrDefault(Key.of(row), new double[2]);
              return StrictMath.log((double) row.serviceNs()) - sums[1] / sums[0];
            })
        .toArray();
  }

  /** Sum of products a lag apart / sum of squares; the mean is 0. NaN if all are equal. */
  static double autocorrelation(double[] off, int lag) {
    double products = 0;
    double squares = 0;
    for (int i = 0; i < off.length; i++) {
      squares += off[i] * off[i];
      products += i >= lag ? off[i] * off[i - lag] : 0;
    }
    return products / squares;
  }
}
