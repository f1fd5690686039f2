package dev.sluice.executor.latency;

import static java.util.stream.Collectors.toMap;

import dev.sluice.contract.value.SplitMix64;
import dev.sluice.executor.latency.LatencyModel.Method;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import smile.base.cart.Loss;
import smile.data.DataFrame;
import smile.data.formula.Formula;
import smile.data.vector.DoubleVector;
import smile.math.MathEx;
import smile.regression.GradientTreeBoost;
import smile.regression.RandomForest;
import smile.regression.RegressionTree;

/**
 * Trees that together predict how far the logarithm of a time lies from its line: (first + factor ×
 * their sum) / divisor, added in their order. A tree is flat between and beyond the values that it
 * was fitted to, so trees fitted to the bare time could not predict samples that were not measured;
 * fitted to the distance from the line they can.
 *
 * <p>Random forest: Breiman (2001). Gradient boosting: Friedman (2001). Both are Smile's, fitted to
 * one median for each key and pass, since a leaf is a mean, which a single pause would move.
 */
record Ensemble(Features features, double first, double factor, double divisor, List<Tree> trees) {
  private static final int TREES = 200;
  private static final String TARGET = "ln_time_over_line";

  private static final int FOREST_DEPTH_MAX = 20;
  private static final int FOREST_NODE_SIZE_MIN = 2;

  private static final int BOOSTING_LEAVES_MAX = 6;
  private static final int BOOSTING_DEPTH_MAX = 6;
  private static final int BOOSTING_NODE_SIZE_MIN = 3;
  private static final double SHRINKAGE = 0.05;
  private static final double BOOSTING_SAMPLE = 0.7;

  /**
   * A key as numbers. There is one column for each workload, backend and precision, 1 where the key
   * has it, else 0; then the model's FLOPs per sample and parameters; then samples, busy lanes and
   * threads. Functions of the rows alone, in a fixed order.
   */
  static final class Features {
    private final Map<String, ToDoubleFunction<LatencyKey>> columns = new LinkedHashMap<>();

    Features(List<ProfileRow> rows) {
      addEach("workload_", rows, LatencyKey::workload);
      addEach("backend_", rows, LatencyKey::backend);
      addEach("precision_", rows, LatencyKey::precision);
      addSize("flops_per_sample", rows, ProfileRow::flopsPerSample);
      addSize("parameters", rows, ProfileRow::parameters);
      columns.put("samples", LatencyKey::samples);
      columns.put("busy_lanes", LatencyKey::busyLanes);
      columns.put("threads", LatencyKey::threads);
    }

    private void addEach(String prefix, List<ProfileRow> rows, Function<LatencyKey, String> of) {
      rows.stream()
          .map(row -> of.apply(row.key()))
          .distinct()
          .sorted()
          .forEach(name -> columns.put(prefix + name, key -> name.equals(of.apply(key)) ? 1 : 0));
    }

    private void addSize(String name, List<ProfileRow> rows, Function<ProfileRow, Long> of) {
      Map<String, Long> byWorkload =
          rows.stream().collect(toMap(row -> row.key().workload(), of, Math::max));
      columns.put(name, key -> byWorkload.getOrDefault(key.workload(), 0L));
    }

    List<String> names() {
      return List.copyOf(columns.keySet());
    }

    double[] of(LatencyKey key) {
      return columns.values().stream().mapToDouble(column -> column.applyAsDouble(key)).toArray();
    }
  }

  /**
   * @param lineLnNs ln ns of a key by its line
   */
  static Ensemble fit(
      Method method,
      List<Medians.OfPass> medians,
      Features features,
      ToDoubleFunction<LatencyKey> lineLnNs,
      long seed) {
    double[][] rows = medians.stream().map(m -> features.of(m.key())).toArray(double[][]::new);
    double[] target =
        medians.stream().mapToDouble(m -> m.lnNs() - lineLnNs.applyAsDouble(m.key())).toArray();
    DataFrame x = DataFrame.of(rows, features.names().toArray(String[]::new));
    DataFrame table = x.merge(DoubleVector.of(TARGET, target));
    if (method == Method.FOREST) {
      RegressionTree[] trees = onOneThread(() -> forest(table, medians.size(), seed)).trees();
      return new Ensemble(features, 0, 1, trees.length, trees(trees, x));
    }
    RegressionTree[] trees = onOneThread(() -> boosting(table, seed)).trees();
    double intercept = Loss.lad().intercept(target.clone());
    return new Ensemble(features, intercept, SHRINKAGE, 1, trees(trees, x));
  }

  private static List<Tree> trees(RegressionTree[] trees, DataFrame x) {
    return Stream.of(trees).map(tree -> Tree.of(tree, x.schema())).toList();
  }

  /**
   * Smile sorts the samples of a tree's node in parallel, for all features with the one buffer of
   * the tree. With two threads a tree is sometimes wrong, and differs from an earlier tree of equal
   * rows. The pool never replaces a worker that waits: it has one thread in all.
   */
  private static <T> T onOneThread(Callable<T> fit) {
    var pool =
        new ForkJoinPool(
            1,
            ForkJoinPool.defaultForkJoinWorkerThreadFactory,
            null,
            false,
            1,
            1,
            1,
            full -> true,
            1,
            TimeUnit.SECONDS);
    try {
      return pool.submit(fit).join();
    } finally {
      pool.shutdown();
    }
  }

  private static RandomForest forest(DataFrame table, int rows, long seed) {
    int features = table.ncols() - 1;
    return RandomForest.fit(
        Formula.lhs(TARGET),
        table,
        TREES,
        Math.max(1, features / 3),
        FOREST_DEPTH_MAX,
        Math.max(2, rows),
        FOREST_NODE_SIZE_MIN,
        1.0,
        LongStream.range(0, TREES).map(i -> treeSeed(seed, i)));
  }

  /**
   * Returns the seed of a forest's tree, above 1: Smile does not apply a smaller seed, and such a
   * tree would depend on the tree that was fitted before it.
   */
  static long treeSeed(long seed, long tree) {
    return Math.max(2, SplitMix64.derived(seed, tree) & Long.MAX_VALUE);
  }

  private static GradientTreeBoost boosting(DataFrame table, long seed) {
    MathEx.setSeed(SplitMix64.derived(seed, -1)); // for this thread, which draws the samples
    return GradientTreeBoost.fit(
        Formula.lhs(TARGET),
        table,
        Loss.lad(),
        TREES,
        BOOSTING_DEPTH_MAX,
        BOOSTING_LEAVES_MAX,
        BOOSTING_NODE_SIZE_MIN,
        SHRINKAGE,
        BOOSTING_SAMPLE);
  }

  /** Returns what the trees add to the ln ns of the key's line. */
  double overLine(LatencyKey key) {
    double[] row = features.of(key);
    double sum = first;
    for (Tree tree : trees) {
      sum += factor * tree.of(row);
    }
    return sum / divisor;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeDouble(first);
    out.writeDouble(factor);
    out.writeDouble(divisor);
    out.writeInt(trees.size());
    for (Tree tree : trees) {
      tree.write(out);
    }
  }

  /** Reads an ensemble that was written; the features must be those of the same rows. */
  static Ensemble read(DataInputStream in, Features features) throws IOException {
    double first = in.readDouble();
    double factor = in.readDouble();
    double divisor = in.readDouble();
    int count = ModelFile.count(in, "trees", 1);
    List<Tree> trees = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      trees.add(Tree.read(in, features.names().size()));
    }
    return new Ensemble(features, first, factor, divisor, trees);
  }
}
