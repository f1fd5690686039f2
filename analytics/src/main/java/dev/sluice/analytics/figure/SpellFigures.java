package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.analytics.statistic.Order;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

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

  /** Batches of one workload, backend, precision and number of samples. */
  private static final class Kind {
    final int model;
    final int samples;
    private final @Nullable Kind next;
    private long batches;
    private double logs;
    private long leastNs = Long.MAX_VALUE;
    private long mostNs;
    private long lastNs = 1;
    private double lastLog;

    Kind(int model, int samples, @Nullable Kind next) {
      this.model = model;
      this.samples = samples;
      this.next = next;
    }

    boolean varies() {
      return mostNs - leastNs > ROUNDING_NS;
    }

    /** Logarithm of a service time; that of the last one is known. */
    double log(long serviceNs) {
      if (serviceNs != lastNs) {
        lastNs = serviceNs;
        lastLog = StrictMath.log((double) serviceNs);
      }
      return lastLog;
    }
  }

  /** Kinds by model and samples, found without an object for the key. */
  private static final class Kinds {
    private static final int HEADS = 1 << 8;
    private final @Nullable Kind[] heads = new @Nullable Kind[HEADS];

    Kind of(int model, int samples) {
      int head = (model * 31 + samples) & (HEADS - 1);
      for (Kind kind = heads[head]; kind != null; kind = kind.next) {
        if (kind.samples == samples && kind.model == model) {
          return kind;
        }
      }
      var kind = new Kind(model, samples, heads[head]);
      heads[head] = kind;
      return kind;
    }
  }

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
  public Fold begin(RunRows run) {
    return new Spells(run);
  }

  private static final class Spells implements OfDone {
    private final RunRows run;
    private final Batches batches;
    private final Kinds kinds = new Kinds();
    private boolean varies;

    Spells(RunRows run) {
      this.run = run;
      batches = run.batches();
    }

    @Override
    public void takeDone(BatchView batch) {
      long serviceNs = batch.serviceNs();
      if (serviceNs >= 1) {
        Kind kind = kinds.of(batch.modelNumber(), batch.samples());
        if (serviceNs < kind.leastNs || serviceNs > kind.mostNs) {
          kind.leastNs = Math.min(kind.leastNs, serviceNs);
          kind.mostNs = Math.max(kind.mostNs, serviceNs);
          varies |= kind.varies();
        }
      }
    }

    @Override
    public void addTo(Summary summary) {
      var off = new LongColumn(0);
      if (varies) {
        addOffTheMean(off);
      }
      for (int lag : LAGS) {
        boolean few = off.size() < BATCHES_MIN;
        summary.put(
            name(lag),
            few
                ? null
                : autocorrelation(off.size(), i -> Double.longBitsToDouble(off.get(i)), lag));
      }
    }

    /** Adds the values of the batches as the bits of numbers with a fraction. */
    private void addOffTheMean(LongColumn off) {
      IntColumn sorted = byStart();
      int size = sorted.size();
      for (int i = 0; i < size; i++) {
        Kind kind = kindOf(sorted.get(i));
        kind.batches++;
        kind.logs += kind.log(batches.serviceNs(sorted.get(i)));
      }
      for (int i = 0; i < size; i++) {
        Kind kind = kindOf(sorted.get(i));
        if (kind.batches > 1) {
          double value = kind.log(batches.serviceNs(sorted.get(i))) - kind.logs / kind.batches;
          off.add(Double.doubleToRawLongBits(value));
        }
      }
    }

    private Kind kindOf(int batch) {
      return kinds.of(batches.modelNumber(batch), batches.samples(batch));
    }

    private IntColumn byStart() {
      IntColumn done = run.measuredDoneBatches();
      var rows = new IntColumn(-1);
      for (int i = 0; i < done.size(); i++) {
        if (batches.serviceNs(done.get(i)) >= 1) {
          rows.add(done.get(i));
        }
      }
      return Order.sorted(
          rows,
          (a, b) -> {
            int by = Long.compare(batches.startedAtNs(a), batches.startedAtNs(b));
            return by != 0 ? by : batches.compareByKey(a, b);
          });
    }
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
