package dev.sluice.scheduling;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.CoreFact.Capability;
import dev.sluice.scheduling.CoreFact.WarmUp;
import dev.sluice.scheduling.Prediction.Source;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Predicts service times, per device kind and model. In this order: the running mean of completed
 * batches of equal joined samples; their time at warm-up; the nearest samples that have either,
 * scaled in proportion to samples (of two equally near ones the fewer); the model's floating-point
 * operations at {@link #ASSUMED_FLOPS_PER_SECOND}. A published table would come before all of them.
 */
final class ServiceTimes {
  /** About what one processor core does in a convolutional network; used before any timing. */
  static final double ASSUMED_FLOPS_PER_SECOND = 1e11;

  private static final double NS_PER_SECOND = 1e9;

  private final Map<ModelKey, Model> models = new HashMap<>();

  private record ModelKey(String deviceKind, String workload, String backend, String precision) {}

  Model model(String deviceKind, String workload, String backend, String precision) {
    return models.computeIfAbsent(
        new ModelKey(deviceKind, workload, backend, precision), Model::new);
  }

  /** Takes the warm-up times and operations from the executors; the first of a kind counts. */
  void readCapabilities(List<ExecutorLanes> executors) {
    models.values().forEach(Model::forgetCapability);
    for (ExecutorLanes executor : executors) {
      for (Capability capability : executor.report.capabilities()) {
        model(
                executor.report.deviceKind(),
                capability.workload(),
                capability.backend(),
                capability.precision())
            .readCapability(capability);
      }
    }
  }

  void restore(CoreEntity.RunningMean mean) {
    model(mean.deviceKind(), mean.workload(), mean.backend(), mean.precision())
        .restore(mean.samples(), mean.count(), mean.meanNs());
  }

  /** The service times of one model on one kind of device. */
  static final class Model {
    /** Predictions of so many samples are remembered. */
    private static final int REMEMBERED_SAMPLES = 1024;

    private static final class Mean {
      private long count;
      private double ns;

      Prediction toPrediction() {
        return prediction(ns, Source.RUNNING_MEAN);
      }
    }

    private final ModelKey key;
    private final NavigableMap<Integer, Mean> means = new TreeMap<>();
    private final NavigableMap<Integer, Long> warmUpsNs = new TreeMap<>();
    private boolean hasCapability;

    /** Whether a remembered prediction was scaled from other samples. */
    private boolean scales;

    private long flopsPerSample;
    private @Nullable Prediction[] remembered = new Prediction[16];

    /** The means among them, so that neither a completion nor its prediction searches the map. */
    private @Nullable Mean[] meanOf = new Mean[16];

    private long version;

    Model(ModelKey key) {
      this.key = key;
    }

    Prediction predict(int samples) {
      if (samples >= REMEMBERED_SAMPLES) {
        return compute(samples);
      }
      if (samples >= remembered.length) {
        int longer = Math.min(REMEMBERED_SAMPLES, Math.max(2 * samples, 16));
        remembered = Arrays.copyOf(remembered, longer);
        meanOf = Arrays.copyOf(meanOf, longer);
      }
      Prediction known = remembered[samples];
      if (known == null) {
        Mean mean = meanOf[samples];
        known = mean != null ? mean.toPrediction() : compute(samples);
        remembered[samples] = known;
      }
      return known;
    }

    private Prediction compute(int samples) {
      Mean mean = means.get(samples);
      if (mean != null) {
        return mean.toPrediction();
      }
      Long warmUpNs = warmUpsNs.get(samples);
      if (warmUpNs != null) {
        return prediction(warmUpNs, Source.WARM_UP);
      }
      Integer nearest = nearer(samples, nearest(samples, means), nearest(samples, warmUpsNs));
      if (nearest != null) {
        Mean near = means.get(nearest);
        double nearNs = near != null ? near.ns : warmUpsNs.getOrDefault(nearest, 0L);
        scales = true;
        return prediction(nearNs * samples / nearest, Source.NEAREST_SAMPLES);
      }
      double operations = (double) flopsPerSample * samples;
      return prediction(operations / ASSUMED_FLOPS_PER_SECOND * NS_PER_SECOND, Source.FLOPS);
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

    private static Prediction prediction(double ns, Source source) {
      return new Prediction(Math.max(1, Math.round(ns)), source);
    }

    /** Takes in the service time of a batch. */
    void completed(int samples, long serviceNs) {
      Mean mean = mean(samples);
      mean.count++;
      mean.ns += (serviceNs - mean.ns) / mean.count;
      if (scales || mean.count == 1) {
        forgetPredictions();
      } else {
        forgetPrediction(samples);
      }
    }

    private Mean mean(int samples) {
      Mean known = samples < meanOf.length ? meanOf[samples] : means.get(samples);
      if (known != null) {
        return known;
      }
      Mean mean = means.computeIfAbsent(samples, unused -> new Mean());
      if (samples < meanOf.length) {
        meanOf[samples] = mean;
      }
      return mean;
    }

    /** The running mean of so many samples, of which a batch has completed. */
    CoreEntity.RunningMean toEntity(int samples) {
      Mean mean = requireNonNull(means.get(samples));
      return new CoreEntity.RunningMean(
          key.deviceKind(),
          key.workload(),
          key.backend(),
          key.precision(),
          samples,
          mean.count,
          mean.ns);
    }

    private void restore(int samples, long count, double meanNs) {
      Mean mean = mean(samples);
      mean.count = count;
      mean.ns = meanNs;
      forgetPredictions();
    }

    private void forgetCapability() {
      warmUpsNs.clear();
      hasCapability = false;
      flopsPerSample = 0;
      forgetPredictions();
    }

    private void readCapability(Capability capability) {
      if (!hasCapability) {
        flopsPerSample = capability.flopsPerSample();
        hasCapability = true;
      }
      for (WarmUp warmUp : capability.warmUps()) {
        warmUpsNs.putIfAbsent(warmUp.samples(), warmUp.serviceNs());
      }
      forgetPredictions();
    }

    /** Rises whenever a prediction may have changed. */
    long version() {
      return version;
    }

    private void forgetPrediction(int samples) {
      version++;
      if (samples < remembered.length) {
        remembered[samples] = null;
      }
    }

    private void forgetPredictions() {
      version++;
      scales = false;
      Arrays.fill(remembered, null);
    }
  }
}
