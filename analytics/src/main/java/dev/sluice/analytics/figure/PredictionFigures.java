package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.UpperBound;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.BinomialTest;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.CompensatedSum;
import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
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
      numbers.add(Definition.of(name + "_count", COUNT).fewBelow(fewBelow));
      numbers.add(
          Definition.of(name + "_miss_rate", RATIO).within(Bounds.SHARE).fewBelow(fewBelow));
      numbers.add(Definition.of(name + "_pinball", RATIO).fewBelow(fewBelow));
      numbers.add(Definition.of(name + "_over_median", RATIO).fewBelow(fewBelow));
    }
    return numbers;
  }

  @Override
  public Fold begin(RunRows run) {
    return new Predictions(run);
  }

  private static final class Predictions implements OfDone {
    private final RunRows run;
    private final Batches batches;
    private final List<Group> ofWorkloads;
    private final Group[] ofModel;
    private final long[] partFromNs = new long[PARTS + 1];
    private final List<Group> ofParts;
    private final long[] byVersion;

    /** Losses of each bound over all batches, in their order: the sum depends on it. */
    private final CompensatedSum[] pinballs;

    private final Given[] given;
    private double lastRatio = 1;
    private double lastBias; // ln 1

    Predictions(RunRows run) {
      this.run = run;
      batches = run.batches();
      List<String> workloads = run.workloadNames();
      ofWorkloads = groups(workloads.size());
      Group ofNone = new Group();
      ofModel =
          batches.models().stream()
              .map(model -> workloads.indexOf(model.workload()))
              .map(place -> place < 0 ? ofNone : ofWorkloads.get(place))
              .toArray(Group[]::new);
      long lengthNs = run.windowEndNs() - run.windowStartNs();
      Arrays.setAll(partFromNs, part -> run.windowStartNs() + lengthNs * part / PARTS);
      ofParts = groups(PARTS);
      byVersion = new long[batches.names().size()];
      given = Arrays.stream(UpperBound.values()).map(Given::new).toArray(Given[]::new);
      pinballs = Arrays.stream(given).map(g -> new CompensatedSum()).toArray(CompensatedSum[]::new);
    }

    private List<Group> groups(int count) {
      return Stream.generate(Group::new).limit(count).toList();
    }

    @Override
    public void takeDone(BatchView batch) {
      if (batch.predictedNs() > 0 && batch.serviceNs() > 0) {
        takePredicted(batch);
      }
    }

    private void takePredicted(BatchView batch) {
      double bias = bias((double) batch.serviceNs() / batch.predictedNs());
      for (int i = 0; i < given.length; i++) {
        given[i].show(batches, batch);
        if (given[i].isGiven) {
          pinballs[i].add(given[i].pinball);
        }
      }
      ofModel[batch.modelNumber()].take(bias, given);
      int part = part(batch.finishedAtNs());
      if (part >= 0) {
        ofParts.get(part).take(bias, given);
      }
      int version = batches.modelVersionNumber(batch.batch());
      if (version >= 0) {
        byVersion[version]++;
      }
    }

    /** Logarithm of a ratio; that of the last one is known. */
    private double bias(double ratio) {
      if (ratio != lastRatio) {
        lastRatio = ratio;
        lastBias = Math.log(ratio);
      }
      return lastBias;
    }

    /** The part of the window in which a time lies; −1: none. */
    private int part(long ns) {
      for (int part = 0; part < PARTS; part++) {
        if (partFromNs[part] <= ns && ns < partFromNs[part + 1]) {
          return part;
        }
      }
      return -1;
    }

    @Override
    public void addTo(Summary summary) {
      figures(ofWorkloads, List.of(pinballs))
          .forEach((name, value) -> summary.put("prediction_" + name, value));
      Map<String, Object> byWorkload = new LinkedHashMap<>();
      for (int i = 0; i < ofWorkloads.size(); i++) {
        byWorkload.put(run.workloadNames().get(i), figures(ofWorkloads.get(i)));
      }
      ofWorkloads.forEach(Group::clear);
      summary.put("prediction_by_workload", byWorkload);
      summary.put("prediction_over_time", overTime());
      Map<String, Long> versions = new TreeMap<>();
      for (int i = 0; i < byVersion.length; i++) {
        if (byVersion[i] > 0) {
          versions.put(batches.names().get(i), byVersion[i]);
        }
      }
      summary.put("model_versions", versions);
      summary.put("broken_promises", brokenPromises(given));
    }

    private List<Map<String, @Nullable Object>> overTime() {
      List<Map<String, @Nullable Object>> parts = new ArrayList<>();
      for (int part = 0; part < PARTS; part++) {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("from_s", partFromNs[part] / 1e9);
        figures.put("to_s", partFromNs[part + 1] / 1e9);
        figures.putAll(figures(ofParts.get(part)));
        ofParts.get(part).clear();
        parts.add(figures);
      }
      return parts;
    }
  }

  @Override
  public String countBehind(String name) {
    return "prediction_p99_count";
  }

  /** Batches that the figures count. */
  public static IntColumn predicted(RunRows run) {
    Batches batches = run.batches();
    IntColumn done = run.measuredDoneBatches();
    var predicted = new IntColumn(0);
    for (int i = 0; i < done.size(); i++) {
      if (batches.predictedNs(done.get(i)) > 0 && batches.serviceNs(done.get(i)) > 0) {
        predicted.add(done.get(i));
      }
    }
    return predicted;
  }

  private static Map<String, @Nullable Object> figures(Group group) {
    return figures(List.of(group), group.bounded.stream().map(bound -> bound.pinball).toList());
  }

  /** The figures of some groups together. */
  private static Map<String, @Nullable Object> figures(
      List<Group> groups, List<CompensatedSum> pinballs) {
    List<LongBag> biases = groups.stream().map(group -> group.biases).toList();
    long count = biases.stream().mapToLong(LongBag::size).sum();
    long[] middle = count == 0 ? new long[0] : new long[] {NearestRank.of(50, count)};
    var bias = new CompensatedSum();
    LongBag.sortedRuns(biases, (value, times) -> bias.add(LongBag.asDouble(value), times));
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("count", count);
    figures.put("error_median", asDouble(LongBag.ofRanksWithoutSigns(biases, middle)));
    figures.put("bias", average(bias));
    figures.put("bias_median", asDouble(LongBag.ofRanks(biases, middle)));
    for (int i = 0; i < pinballs.size(); i++) {
      int place = i;
      List<Bounded> bounded = groups.stream().map(group -> group.bounded.get(place)).toList();
      addTo(figures, bounded, pinballs.get(i));
    }
    return figures;
  }

  private static void addTo(
      Map<String, @Nullable Object> figures, List<Bounded> bounded, CompensatedSum pinball) {
    String name = bounded.get(0).bound.text();
    List<LongBag> overs = bounded.stream().map(bound -> bound.overs).toList();
    long count = overs.stream().mapToLong(LongBag::size).sum();
    long misses = bounded.stream().mapToLong(bound -> bound.misses).sum();
    long[] middle = count == 0 ? new long[0] : new long[] {NearestRank.of(50, count)};
    figures.put(name + "_count", count);
    figures.put(name + "_miss_rate", orNull((double) misses / count));
    figures.put(name + "_pinball", average(pinball));
    figures.put(name + "_over_median", asDouble(LongBag.ofRanks(overs, middle)));
  }

  private static @Nullable Double asDouble(long[] values) {
    return values.length == 0 ? null : Double.valueOf(LongBag.asDouble(values[0]));
  }

  /** A bound of one batch after another, and how all of them kept it. */
  private static final class Given {
    private final UpperBound bound;
    private long count;
    private long misses;
    private boolean isGiven;
    private boolean isMissed;
    private double pinball;
    private double over;
    private double lastRatio = 1;
    private double lastLog; // ln 1

    Given(UpperBound bound) {
      this.bound = bound;
    }

    void show(Batches batches, BatchView batch) {
      long boundNs = bound.ns(batches, batch.batch());
      isGiven = boundNs != Jobs.NONE;
      if (isGiven) {
        isMissed = batch.serviceNs() > boundNs;
        count++;
        misses += isMissed ? 1 : 0;
        over = (double) boundNs / batch.predictedNs();
        pinball = pinball(batch.serviceNs() / (double) boundNs);
      }
    }

    private double pinball(double ratio) {
      if (ratio != lastRatio) {
        lastRatio = ratio;
        lastLog = Math.log(ratio);
      }
      return Math.max(bound.probability() * lastLog, (bound.probability() - 1) * lastLog);
    }
  }

  /** Batches of which the figures are asked. */
  private static final class Group {
    final LongBag biases;
    final List<Bounded> bounded;
    private final Bounded[] each;

    Group() {
      biases = new LongBag();
      bounded = Arrays.stream(UpperBound.values()).map(Bounded::new).toList();
      each = bounded.toArray(new Bounded[0]);
    }

    void take(double bias, Given[] given) {
      biases.add(bias);
      for (int i = 0; i < each.length; i++) {
        if (given[i].isGiven) {
          each[i].take(given[i]);
        }
      }
    }

    void clear() {
      biases.clear();
      bounded.forEach(bound -> bound.overs.clear());
    }
  }

  /** Batches that were given a bound. */
  private static final class Bounded {
    final UpperBound bound;
    final LongBag overs;
    final CompensatedSum pinball = new CompensatedSum();
    long misses;

    Bounded(UpperBound bound) {
      this.bound = bound;
      overs = new LongBag();
    }

    void take(Given given) {
      misses += given.isMissed ? 1 : 0;
      pinball.add(given.pinball);
      overs.add(given.over);
    }
  }

  private static List<String> brokenPromises(Given[] given) {
    List<String> broken = new ArrayList<>();
    for (Given each : given) {
      UpperBound bound = each.bound;
      long judged = each.count;
      long misses = each.misses;
      double promised = 1 - bound.probability();
      if (judged >= PROMISE_COUNT_MIN
          && BinomialTest.twoSided(misses, judged, promised) < PROMISE_LEVEL) {
        broken.add(
            String.format(
                Locale.ROOT,
                "the predicted %s was missed by %.2f %% of %d batches, and promised %.0f %%"
                    + " (binomial test, level %s)",
                bound.text(),
                100.0 * misses / judged,
                judged,
                100 * promised,
                PROMISE_LEVEL));
      }
    }
    return broken;
  }

  private static @Nullable Double average(CompensatedSum values) {
    return values.count() == 0 ? null : orNull(values.average());
  }

  private static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
