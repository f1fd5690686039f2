package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Spells of slow batches: service_autocorrelation_lag_1 and _lag_10, over the batches that ended a
 * measured job as done, in the order of their starts. The value of a batch is ln(service time) less
 * its mean over the batches of equal workload, backend, precision and samples, so that the mix of
 * jobs does not count; a batch without its like is left out. Near 0 there are no spells. Null below
 * 20 batches, and where equal batches differ by a nanosecond at most: the figure would be that of
 * their rounding.
 */
final class SpellFigures implements Figure {
  private static final List<Integer> LAGS = List.of(1, 10);
  private static final int BATCHES_MIN = 20;

  /** Service times are whole nanoseconds, so that equal ones may differ by this much. */
  private static final long ROUNDING_NS = 1;

  private static String name(int lag) {
    return "service_autocorrelation_lag_" + lag;
  }

  @Override
  public List<Definition> numbers() {
    return LAGS.stream()
        .map(lag -> Definition.of(name(lag), RATIO).within(Bounds.CORRELATION))
        .toList();
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    double[] off = offTheMean(run);
    for (int lag : LAGS) {
      summary.put(name(lag), off.length < BATCHES_MIN ? null : autocorrelation(off, lag));
    }
  }

  /** Batches of one model and number of samples. */
  private static final class Kind {
    final LongSummaryStatistics timesNs = new LongSummaryStatistics();
    double logs;
  }

  /** The values of the batches, by start; none if equal batches differ by their rounding alone. */
  private static double[] offTheMean(RunRows run) {
    List<BatchRow> byStart = new ArrayList<>(run.measuredDoneBatches());
    byStart.removeIf(batch -> batch.serviceNs() < 1);
    byStart.sort(Comparator.comparingLong(BatchRow::startedAtNs).thenComparing(Batches.BY_KEY));
    Map<List<Object>, Kind> kinds = new HashMap<>();
    Kind[] kindOf = new Kind[byStart.size()];
    double[] logs = new double[byStart.size()];
    for (int i = 0; i < byStart.size(); i++) {
      BatchRow batch = byStart.get(i);
      kindOf[i] =
          kinds.computeIfAbsent(List.of(batch.kind().model(), batch.samples()), any -> new Kind());
      kindOf[i].timesNs.accept(batch.serviceNs());
      logs[i] = StrictMath.log((double) batch.serviceNs());
      kindOf[i].logs += logs[i];
    }
    if (kinds.values().stream()
        .allMatch(kind -> kind.timesNs.getMax() - kind.timesNs.getMin() <= ROUNDING_NS)) {
      return new double[0];
    }
    return IntStream.range(0, byStart.size())
        .filter(i -> kindOf[i].timesNs.getCount() > 1)
        .mapToDouble(i -> logs[i] - kindOf[i].logs / kindOf[i].timesNs.getCount())
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
