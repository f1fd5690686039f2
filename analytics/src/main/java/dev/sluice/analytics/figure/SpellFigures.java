package dev.sluice.analytics.figure;

import dev.sluice.analytics.column.IntColumn;
import dev.sluice.analytics.column.Interned;
import dev.sluice.analytics.column.LongColumn;
import dev.sluice.analytics.column.Order;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.summary.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

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

  /** Batches of one key. */
  private static final class Kind {
    private long batches;
    private double logs;
    private long leastNs = Long.MAX_VALUE;
    private long mostNs;

    void add(long serviceNs) {
      batches++;
      logs += StrictMath.log((double) serviceNs);
      leastNs = Math.min(leastNs, serviceNs);
      mostNs = Math.max(mostNs, serviceNs);
    }

    boolean varies() {
      return mostNs - leastNs > ROUNDING_NS;
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
    LongColumn off = offTheMean(run);
    for (int lag : LAGS) {
      boolean few = off.size() < BATCHES_MIN;
      summary.put(
          name(lag),
          few ? null : autocorrelation(off.size(), i -> Double.longBitsToDouble(off.get(i)), lag));
    }
    off.clear();
  }

  /** Values of the batches as the bits of numbers with a fraction; none if no kind varies. */
  private static LongColumn offTheMean(RunRows run) {
    Batches batches = run.batches();
    IntColumn sorted = byStart(run);
    var kinds = new Interned<Long>();
    var kindOf = new IntColumn(run.space(), 0);
    List<Kind> byKind = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      int batch = sorted.get(i);
      int kind =
          kinds.number((long) batches.modelNumber(batch) << Integer.SIZE | batches.samples(batch));
      kindOf.add(kind);
      if (kind == byKind.size()) {
        byKind.add(new Kind());
      }
      byKind.get(kind).add(batches.serviceNs(batch));
    }
    var off = new LongColumn(run.space(), 0);
    boolean varies = byKind.stream().anyMatch(Kind::varies);
    for (int i = 0; varies && i < sorted.size(); i++) {
      Kind kind = byKind.get(kindOf.get(i));
      if (kind.batches > 1) {
        double value =
            StrictMath.log((double) batches.serviceNs(sorted.get(i))) - kind.logs / kind.batches;
        off.add(Double.doubleToRawLongBits(value));
      }
    }
    sorted.clear();
    kindOf.clear();
    return off;
  }

  private static IntColumn byStart(RunRows run) {
    Batches batches = run.batches();
    IntColumn done = run.measuredDoneBatches();
    var rows = new IntColumn(run.space(), -1);
    for (int i = 0; i < done.size(); i++) {
      if (batches.serviceNs(done.get(i)) >= 1) {
        rows.add(done.get(i));
      }
    }
    return Order.sorted(
        run.space(),
        rows,
        (a, b) -> {
          int by = Long.compare(batches.startedAtNs(a), batches.startedAtNs(b));
          return by != 0 ? by : batches.compareByKey(a, b);
        });
  }

  /** Sum of products a lag apart / sum of squares; the mean is 0. NaN if all are equal. */
  static double autocorrelation(int size, IntToDoubleFunction off, int lag) {
    double products = 0;
    double squares = 0;
    for (int i = 0; i < size; i++) {
      double value = off.applyAsDouble(i);
      squares += value * value;
      products += i >= lag ? value * off.applyAsDouble(i - lag) : 0;
    }
    return products / squares;
  }
}
