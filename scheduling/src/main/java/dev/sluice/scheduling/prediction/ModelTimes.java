package dev.sluice.scheduling.prediction;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.prediction.Correction.Factor;
import dev.sluice.scheduling.prediction.DeviceTimes.PublishedTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The service times of one model on one kind of device. */
public final class ModelTimes {
  /** About what one processor core does in a convolutional network; used before any timing. */
  static final double ASSUMED_FLOPS_PER_SECOND = 1e11;

  private static final double NS_PER_SECOND = 1e9;

  /** Number of samples below which predictions are remembered. */
  private static final int REMEMBERED_SAMPLES = 1024;

  private record Mean(long count, double ns) {}

  /** A mean that rests on no table, at least 1 ns. */
  private record Guess(long meanNs, PredictionSource source) {
    static Guess of(double ns, PredictionSource source) {
      return new Guess(Math.max(1, Math.round(ns)), source);
    }
  }

  private final ModelKey key;

  final DeviceTimes device;

  private final DeviceTimes.Workload workload;

  private final boolean learns;

  /** The model's part of the published table; null: there is none. */
  private PublishedTable.@Nullable Row row;

  /** Corrections by samples that the table holds; null: not corrected yet. */
  private @Nullable Factor[] factors = {};

  private final NavigableMap<Integer, Mean> means = new TreeMap<>();

  private final NavigableMap<Integer, Long> warmUpsNs = new TreeMap<>();

  private boolean hasCapability;

  private long flopsPerSample;

  /** Guesses by samples, as they are since the last completion; null: not asked for since. */
  private @Nullable Guess[] remembered = new Guess[16];

  ModelTimes(ModelKey key, DeviceTimes device, boolean learns) {
    this.key = key;
    this.device = device;
    this.workload = device.workload(key.workload(), key.backend());
    this.learns = learns;
    findRow();
  }

  void findRow() {
    PublishedTable table = device.table;
    row = table == null ? null : table.row(key);
  }

  /** Returns a batch's mean time, at least 1 ns, with that many lanes busy, its own included. */
  public long meanNs(int samples, int busyLanes) {
    PublishedTable.Row published = row;
    return published == null
        ? guess(samples).meanNs()
        : corrected(published, published.meanNs(samples, busyLanes), samples);
  }

  /** Returns the least mean of a number of samples, whatever the busy lanes. */
  public long leastNs(int samples) {
    PublishedTable.Row published = row;
    return published == null
        ? guess(samples).meanNs()
        : corrected(published, published.leastNs(samples), samples);
  }

  private long corrected(PublishedTable.Row published, double tableNs, int samples) {
    int index = published.nearest(samples);
    Factor factor = index < factors.length ? factors[index] : null;
    double ofSamples = factor == null ? 1 : factor.value;
    return Math.max(1, Math.round(tableNs * workload.correctionFactor() * ofSamples));
  }

  /** Returns the upper bound by the settings' quantile, or the mean if there is none. */
  public long boundNs(int samples, int busyLanes) {
    long meanNs = meanNs(samples, busyLanes);
    Long boundNs = source(samples).learns() ? boundNs(meanNs, 0) : null;
    return boundNs == null ? meanNs : boundNs;
  }

  private @Nullable Long boundNs(long meanNs, int level) {
    double factor = learns ? workload.boundFactor(level) : Double.NaN;
    return Double.isNaN(factor)
        ? null
        : Long.valueOf(Math.max(1, (long) Math.ceil(meanNs * factor)));
  }

  private PredictionSource source(int samples) {
    if (row == null) {
      return guess(samples).source;
    }
    return row.holds(samples) ? PredictionSource.PUBLISHED : PredictionSource.PUBLISHED_NEAREST;
  }

  /** Returns all that is known in advance of a batch. */
  public Prediction predict(int samples, int busyLanes) {
    if (row == null) {
      Guess guess = guess(samples);
      return learns && guess.source.learns()
          ? withBounds(guess.meanNs(), guess.source, busyLanes, null)
          : Prediction.ofMean(guess.meanNs(), guess.source.text(), busyLanes);
    }
    PublishedTable table = device.table;
    return withBounds(
        meanNs(samples, busyLanes),
        source(samples),
        busyLanes,
        table == null ? null : table.fact.modelVersion());
  }

  private Prediction withBounds(
      long meanNs, PredictionSource source, int busyLanes, @Nullable String modelVersion) {
    return new Prediction(
        meanNs,
        source.text(),
        busyLanes,
        modelVersion,
        boundNs(meanNs, 0),
        boundNs(meanNs, 1),
        boundNs(meanNs, 2));
  }

  private Guess guess(int samples) {
    if (samples >= REMEMBERED_SAMPLES) {
      return compute(samples);
    }
    if (samples >= remembered.length) {
      remembered = Arrays.copyOf(remembered, Math.min(REMEMBERED_SAMPLES, 2 * samples));
    }
    Guess known = remembered[samples];
    if (known == null) {
      known = compute(samples);
      remembered[samples] = known;
    }
    return known;
  }

  private Guess compute(int samples) {
    Mean mean = means.get(samples);
    if (mean != null) {
      return Guess.of(mean.ns, PredictionSource.RUNNING_MEAN);
    }
    Long warmUpNs = warmUpsNs.get(samples);
    if (warmUpNs != null) {
      return Guess.of(warmUpNs, PredictionSource.WARM_UP);
    }
    Integer nearest = nearer(samples, nearest(samples, means), nearest(samples, warmUpsNs));
    if (nearest != null) {
      Mean near = means.get(nearest);
      double nearNs = near != null ? near.ns : warmUpsNs.getOrDefault(nearest, 0L);
      return Guess.of(nearNs * samples / nearest, PredictionSource.NEAREST_SAMPLES);
    }
    double operations = (double) flopsPerSample * samples;
    return Guess.of(operations / ASSUMED_FLOPS_PER_SECOND * NS_PER_SECOND, PredictionSource.FLOPS);
  }

  private static @Nullable Integer nearest(int samples, NavigableMap<Integer, ?> bySamples) {
    return nearer(samples, bySamples.floorKey(samples), bySamples.ceilingKey(samples));
  }

  private static @Nullable Integer nearer(int samples, @Nullable Integer a, @Nullable Integer b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    int difference = Integer.compare(Math.abs(a - samples), Math.abs(b - samples));
    if (difference == 0) {
      return Math.min(a, b);
    }
    return difference < 0 ? a : b;
  }

  /** Takes in the service time of a batch, beside what was predicted of it. */
  public void completed(Prediction predicted, int samples, long serviceNs) {
    Mean known = means.getOrDefault(samples, new Mean(0, 0));
    long count = known.count + 1;
    restore(samples, count, known.ns + (serviceNs - known.ns) / count);
    if (!learns) {
      return;
    }
    int busyLanes = requireNonNull(predicted.busyLanes(), "the core tells it of each batch");
    if (PredictionSource.learns(predicted.source())) {
      workload.observe(key.precision(), samples, busyLanes, predicted, serviceNs);
    }
    if (row != null) {
      double tableNs = row.meanNs(samples, busyLanes);
      workload.correct(tableNs, serviceNs, factorOf(row.nearest(samples)));
    }
  }

  Factor factorOf(int samplesInTable) {
    if (samplesInTable >= factors.length) {
      factors = Arrays.copyOf(factors, Math.max(2 * factors.length, samplesInTable + 1));
    }
    Factor known = factors[samplesInTable];
    if (known == null) {
      known = new Factor();
      factors[samplesInTable] = known;
    }
    return known;
  }

  void forgetCorrections() {
    factors = new Factor[0];
  }

  void addTo(List<CoreEntity> entities) {
    means.forEach(
        (samples, mean) ->
            entities.add(
                new CoreEntity.RunningMean(
                    device.deviceKind,
                    key.workload(),
                    key.backend(),
                    key.precision(),
                    samples,
                    mean.count,
                    mean.ns)));
    for (int samples = 0; samples < factors.length; samples++) {
      Factor factor = factors[samples];
      if (factor != null) {
        entities.add(
            new CoreEntity.SamplesCorrection(
                device.deviceKind,
                key.workload(),
                key.backend(),
                key.precision(),
                samples,
                factor.log));
      }
    }
  }

  void restore(int samples, long count, double meanNs) {
    means.put(samples, new Mean(count, meanNs));
    forgetPredictions();
  }

  void forgetCapability() {
    warmUpsNs.clear();
    hasCapability = false;
    flopsPerSample = 0;
    forgetPredictions();
  }

  void readCapability(Capability capability) {
    if (!hasCapability) {
      flopsPerSample = capability.flopsPerSample();
      hasCapability = true;
    }
    for (WarmUp warmUp : capability.warmUps()) {
      warmUpsNs.putIfAbsent(warmUp.samples(), warmUp.serviceNs());
    }
    forgetPredictions();
  }

  private void forgetPredictions() {
    Arrays.fill(remembered, null);
  }

  /** The sources of predictions, the best first. */
  public enum PredictionSource {
    /** The published table, as corrected by completions. */
    PUBLISHED,
    /** The published table, scaled from the most samples that it holds. */
    PUBLISHED_NEAREST,
    RUNNING_MEAN,
    WARM_UP,
    NEAREST_SAMPLES,
    FLOPS;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** Returns the source's word in events and tables. */
    public String text() {
      return text;
    }

    /** Returns whether completions correct predictions of this source. */
    public boolean learns() {
      return this == PUBLISHED || this == PUBLISHED_NEAREST || this == RUNNING_MEAN;
    }

    /** Returns whether completions correct predictions of the source with this word. */
    static boolean learns(String text) {
      return PUBLISHED.text.equals(text)
          || PUBLISHED_NEAREST.text.equals(text)
          || RUNNING_MEAN.text.equals(text);
    }
  }
}
