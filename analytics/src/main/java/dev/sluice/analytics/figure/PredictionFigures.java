package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.jspecify.annotations.Nullable;

/**
 * Accuracy of predicted service times, over the dispatches that ended measured jobs as done, each
 * once; dispatches whose prediction or service time is 0 are left out. Logarithms are natural, so
 * that 0.1 is about 10 %; medians are by nearest rank.
 *
 * <ul>
 *   <li>prediction_count: number of these dispatches; prediction_error_median: median of
 *       |ln(service / predicted)|; prediction_bias, prediction_bias_median: mean and median of
 *       ln(service / predicted), above 0 where services took longer than predicted.
 *   <li>For p95 and p99, over the dispatches with that bound, prediction_p95_count of them:
 *       prediction_p95_miss_rate: the share that took longer than the bound;
 *       prediction_p95_pinball: mean pinball loss of ln(service / bound);
 *       prediction_p95_over_median: median of bound / predicted.
 *   <li>prediction_by_workload: these figures for each workload. prediction_over_time: these
 *       figures for ten equal parts of the measured window, by end.
 *   <li>model_versions: number of these dispatches that each published table predicted.
 *   <li>broken_promises: a line for each bound whose miss rate, over at least {@value
 *       #PROMISE_COUNT_MIN} batches, differs from what it promises by more than chance: two-sided
 *       binomial test at the level {@value #PROMISE_LEVEL}.
 * </ul>
 */
public final class PredictionFigures implements Figure {
  static final int PROMISE_COUNT_MIN = 1000;
  static final double PROMISE_LEVEL = 0.001;

  private static final int PARTS = 10;

  /** An upper bound that a dispatch's prediction promised, and how batches kept it. */
  public enum UpperBound {
    P95(0.95),
    P99(0.99);

    private final double probability;

    UpperBound(double probability) {
      this.probability = probability;
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Probability with which a batch keeps the bound. */
    public double probability() {
      return probability;
    }

    public boolean isGiven(BatchRow batch) {
      return ns(batch) != Jobs.NONE;
    }

    /** True if a batch took longer than its bound. */
    public boolean isMissed(BatchRow batch) {
      return batch.serviceNs() > ns(batch);
    }

    /** The bound that the batch was given; {@link Jobs#NONE}: none. */
    public long ns(BatchRow batch) {
      return switch (this) {
        case P95 -> batch.upperNs().p95Ns();
        case P99 -> batch.upperNs().p99Ns();
      };
    }
  }

  @Override
  public List<Definition> numbers() {
    List<Definition> numbers =
        new ArrayList<>(
            List.of(
                Definition.of("prediction_count", COUNT),
                Definition.of("prediction_error_median", RATIO),
                Definition.of("prediction_bias", RATIO).within(Bounds.NONE),
                Definition.of("prediction_bias_median", RATIO).within(Bounds.NONE)));
    for (UpperBound bound : UpperBound.values()) {
      String name = "prediction_" + bound.text();
      int fewBelow = bound == UpperBound.P99 ? NearestRank.COUNT_FOR_P99 : 0;
      Stream.of(
              Definition.of(name + "_count", COUNT),
              Definition.of(name + "_miss_rate", RATIO).within(Bounds.SHARE),
              Definition.of(name + "_pinball", RATIO),
              Definition.of(name + "_over_median", RATIO))
          .map(number -> number.fewBelow(fewBelow, name + "_count"))
          .forEach(numbers::add);
    }
    return numbers;
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    var all = new Group();
    List<Group> ofWorkloads = groups(run.workloadNames().size());
    List<Group> ofParts = groups(PARTS);
    long[] partFromNs = partFromNs(run);
    Map<String, Long> versions = new TreeMap<>();
    for (BatchRow batch : predicted(run)) {
      all.take(batch);
      int workload = run.workloadNames().indexOf(batch.kind().model().workload());
      if (workload >= 0) {
        ofWorkloads.get(workload).take(batch);
      }
      long endNs = batch.finishedAtNs();
      for (int part = 0; part < PARTS; part++) {
        if (partFromNs[part] <= endNs && endNs < partFromNs[part + 1]) {
          ofParts.get(part).take(batch);
        }
      }
      String version = batch.kind().modelVersion();
      if (version != null) {
        versions.merge(version, 1L, Long::sum);
      }
    }
    all.figures().forEach((name, value) -> summary.put("prediction_" + name, value));
    Map<String, Object> byWorkload = new LinkedHashMap<>();
    for (int i = 0; i < ofWorkloads.size(); i++) {
      byWorkload.put(run.workloadNames().get(i), ofWorkloads.get(i).figures());
    }
    summary.put("prediction_by_workload", byWorkload);
    List<Map<String, @Nullable Object>> overTime = new ArrayList<>();
    for (int part = 0; part < PARTS; part++) {
      Map<String, @Nullable Object> figures = new LinkedHashMap<>();
      figures.put("from_s", partFromNs[part] / 1e9);
      figures.put("to_s", partFromNs[part + 1] / 1e9);
      figures.putAll(ofParts.get(part).figures());
      overTime.add(figures);
    }
    summary.put("prediction_over_time", overTime);
    summary.put("model_versions", versions);
    summary.put(
        "broken_promises",
        all.bounded.stream().filter(Bounded::isBroken).map(Bounded::inWords).toList());
  }

  private static List<Group> groups(int count) {
    return Stream.generate(Group::new).limit(count).toList();
  }

  /** Beginnings of the parts, and the end of the last one. */
  private static long[] partFromNs(RunRows run) {
    long windowNs = run.windowEndNs() - run.windowStartNs();
    return LongStream.rangeClosed(0, PARTS)
        .map(part -> run.windowStartNs() + windowNs * part / PARTS)
        .toArray();
  }

  public static List<BatchRow> predicted(RunRows run) {
    return run.measuredDoneBatches().stream()
        .filter(batch -> batch.predictedNs() > 0 && batch.serviceNs() > 0)
        .toList();
  }

  /** Batches of which the figures are asked. */
  private static final class Group {
    private final LongBag biases = new LongBag();
    private final LongBag errors = new LongBag();
    final List<Bounded> bounded = Arrays.stream(UpperBound.values()).map(Bounded::new).toList();

    void take(BatchRow batch) {
      double bias = Math.log((double) batch.serviceNs() / batch.predictedNs());
      biases.add(bias);
      errors.add(Math.abs(bias));
      for (Bounded bound : bounded) {
        bound.take(batch);
      }
    }

    Map<String, @Nullable Object> figures() {
      var bias = new DoubleSummaryStatistics();
      Arrays.stream(biases.sorted()).mapToDouble(LongBag::asDouble).forEach(bias);
      Map<String, @Nullable Object> figures = new LinkedHashMap<>();
      figures.put("count", bias.getCount());
      figures.put("error_median", median(errors));
      figures.put("bias", average(bias));
      figures.put("bias_median", median(biases));
      bounded.forEach(bound -> bound.addTo(figures));
      return figures;
    }
  }

  /** Batches that were given a bound. */
  private static final class Bounded {
    private final UpperBound bound;
    private final LongBag overs = new LongBag();
    private final DoubleSummaryStatistics pinball = new DoubleSummaryStatistics();
    private long misses;

    Bounded(UpperBound bound) {
      this.bound = bound;
    }

    void take(BatchRow batch) {
      if (bound.isGiven(batch)) {
        double boundNs = bound.ns(batch);
        double log = Math.log(batch.serviceNs() / boundNs);
        misses += bound.isMissed(batch) ? 1 : 0;
        overs.add(boundNs / batch.predictedNs());
        pinball.accept(Math.max(bound.probability() * log, (bound.probability() - 1) * log));
      }
    }

    void addTo(Map<String, @Nullable Object> figures) {
      figures.put(bound.text() + "_count", pinball.getCount());
      figures.put(
          bound.text() + "_miss_rate", JobFigures.orNull((double) misses / pinball.getCount()));
      figures.put(bound.text() + "_pinball", average(pinball));
      figures.put(bound.text() + "_over_median", median(overs));
    }

    boolean isBroken() {
      return pinball.getCount() >= PROMISE_COUNT_MIN
          && binomialTest(misses, pinball.getCount(), 1 - bound.probability()) < PROMISE_LEVEL;
    }

    String inWords() {
      return String.format(
          Locale.ROOT,
          "the predicted %s was missed by %.2f %% of %d batches, and promised %.0f %%"
              + " (binomial test, level %s)",
          bound.text(),
          100.0 * misses / pinball.getCount(),
          pinball.getCount(),
          100 * (1 - bound.probability()),
          PROMISE_LEVEL);
    }
  }

  /**
   * Returns the two-sided p-value of a number of misses in independent trials: twice the smaller of
   * the probabilities of at most and of at least that number, but not above 1.
   *
   * @param probability in (0, 1)
   */
  static double binomialTest(long misses, long count, double probability) {
    var distribution = BinomialDistribution.of(Math.toIntExact(count), probability);
    int seen = Math.toIntExact(misses);
    double atMost = distribution.cumulativeProbability(seen);
    double atLeast = distribution.survivalProbability(seen - 1);
    return Math.min(1, 2 * Math.min(atMost, atLeast));
  }

  private static @Nullable Double median(LongBag values) {
    long[] sorted = values.sorted();
    return sorted.length == 0
        ? null
        : Double.valueOf(LongBag.asDouble(sorted[(int) NearestRank.of(50, sorted.length) - 1]));
  }

  private static @Nullable Double average(DoubleSummaryStatistics values) {
    return values.getCount() == 0 ? null : JobFigures.orNull(values.getAverage());
  }
}
