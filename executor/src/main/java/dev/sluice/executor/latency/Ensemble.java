package dev.sluice.executor.latency;

import dev.sluice.contract.value.SplitMix64;
import dev.sluice.executor.profile.LatencyKey;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import smile.base.cart.Loss;
import smile.data.DataFrame;
import smile.data.formula.Formula;
import smile.data.vector.DoubleVector;
import smile.math.MathEx;
import smile.regression.GradientTreeBoost;
import smile.regression.RandomForest;

/**
 * Trees that together predict how far the logarithm of a time lies from its line: (first + factor ×
 * their sum) / divisor, added in their order. A tree is flat between and beyond the values that it
 * was fitted to, so trees fitted to the bare time could not predict samples that were not measured;
 * fitted to the distance from the line they can.
 *
 * <p>Random forest: Breiman (2001). Gradient boosting: Friedman (2001). Both are Smile's, fitted to
 * one median for each key and pass, since a leaf is a mean, which a single pause would move.
 */
public final class Ensemble implements Estimator {
  private static final int TREES = 200;
  private static final String TARGET = "ln_time_over_line";

  private static final int FOREST_DEPTH_MAX = 20;
  private static final int FOREST_NODE_SIZE_MIN = 2;

  private static final int BOOSTING_LEAVES_MAX = 6;
  private static final int BOOSTING_DEPTH_MAX = 6;
  private static final int BOOSTING_NODE_SIZE_MIN = 3;
  private static final double SHRINKAGE = 0.05;
  private static final double BOOSTING_SAMPLE = 0.7;

  private final Features features;
  private final Lines lines;
  private final double first;
  private final double factor;
  private final double divisor;
  private final List<Tree> trees;

  private Ensemble(
      Features features,
      Lines lines,
      double first,
      double factor,
      double divisor,
      List<Tree> trees) {
    this.features = features;
    this.lines = lines;
    this.first = first;
    this.factor = factor;
    this.divisor = divisor;
    this.trees = List.copyOf(trees);
  }

  /** The rows that trees are fitted to. */
  private static final class Table {
    final DataFrame x;
    final DataFrame xAndTarget;
    final double[] target;

    Table(List<Medians.OfPass> medians, Features features, Lines lines) {
      double[][] rows =
          medians.stream().map(median -> features.of(median.key())).toArray(double[][]::new);
      target = medians.stream().mapToDouble(m -> m.lnNs() - lines.lnNs(m.key())).toArray();
      x = DataFrame.of(rows, features.names().toArray(String[]::new));
      xAndTarget = x.merge(DoubleVector.of(TARGET, target));
    }
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

  public static Ensemble forest(
      List<Medians.OfPass> medians, Features features, Lines lines, long seed) {
    var table = new Table(medians, features, lines);
    RandomForest forest =
        onOneThread(
            () ->
                RandomForest.fit(
                    Formula.lhs(TARGET),
                    table.xAndTarget,
                    TREES,
                    Math.max(1, features.names().size() / 3),
                    FOREST_DEPTH_MAX,
                    Math.max(2, medians.size()),
                    FOREST_NODE_SIZE_MIN,
                    1.0,
                    LongStream.range(0, TREES).map(i -> treeSeed(seed, i))));
    List<Tree> trees = new ArrayList<>();
    for (var tree : forest.trees()) {
      trees.add(Tree.of(tree, table.x.schema()));
    }
    return new Ensemble(features, lines, 0, 1, trees.size(), trees);
  }

  /**
   * Returns the seed of a forest's tree, above 1: Smile does not apply a smaller seed, and such a
   * tree would depend on the tree that was fitted before it.
   */
  static long treeSeed(long seed, long tree) {
    return Math.max(2, SplitMix64.derived(seed, tree) & Long.MAX_VALUE);
  }

  public static Ensemble boosting(
      List<Medians.OfPass> medians, Features features, Lines lines, long seed) {
    var table = new Table(medians, features, lines);
    GradientTreeBoost boosting =
        onOneThread(
            () -> {
              MathEx.setSeed(SplitMix64.derived(seed, -1)); // for the thread that draws the samples
              return GradientTreeBoost.fit(
                  Formula.lhs(TARGET),
                  table.xAndTarget,
                  Loss.lad(),
                  TREES,
                  BOOSTING_DEPTH_MAX,
                  BOOSTING_LEAVES_MAX,
                  BOOSTING_NODE_SIZE_MIN,
                  SHRINKAGE,
                  BOOSTING_SAMPLE);
            });
    List<Tree> trees = new ArrayList<>();
    for (var tree : boosting.trees()) {
      trees.add(Tree.of(tree, table.x.schema()));
    }
    double intercept = Loss.lad().intercept(table.target.clone());
    return new Ensemble(features, lines, intercept, SHRINKAGE, 1, trees);
  }

  @Override
  public boolean answers(LatencyKey key) {
    return lines.answers(key);
  }

  @Override
  public double lnNs(LatencyKey key) {
    return lines.lnNs(key) + overLine(features.of(key));
  }

  private double overLine(double[] row) {
    double sum = first;
    for (Tree tree : trees) {
      sum += factor * tree.of(row);
    }
    return sum / divisor;
  }

  public void write(DataOutputStream out) throws IOException {
    out.writeDouble(first);
    out.writeDouble(factor);
    out.writeDouble(divisor);
    out.writeInt(trees.size());
    for (Tree tree : trees) {
      tree.write(out);
    }
  }

  /** Reads an ensemble that was written; features and lines must be those of the same rows. */
  public static Ensemble read(DataInputStream in, Features features, Lines lines)
      throws IOException {
    double first = in.readDouble();
    double factor = in.readDouble();
    double divisor = in.readDouble();
    int count = ModelFile.count(in, "trees", 1);
    List<Tree> trees = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      trees.add(Tree.read(in, features.names().size()));
    }
    return new Ensemble(features, lines, first, factor, divisor, trees);
  }
}
