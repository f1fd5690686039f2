package dev.sluice.executor.latency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import smile.base.cart.InternalNode;
import smile.base.cart.Node;
import smile.base.cart.OrdinalNode;
import smile.base.cart.RegressionNode;
import smile.data.Tuple;
import smile.data.type.StructType;
import smile.regression.RegressionTree;

/**
 * A regression tree as three arrays, the root first. A split sends a row whose feature is not above
 * the value to the next node, and any other to {@code otherwise}; a leaf has {@link #LEAF} for its
 * feature and gives its value.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Tree(int[] features, double[] values, int[] otherwise) {
  private static final int LEAF = -1;

  /** Returns a copy of Smile's tree that predicts every row equally, to the last bit. */
  static Tree of(RegressionTree tree, StructType schema) {
    var nodes = new Walk(schema, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    nodes.add(tree.root());
    return new Tree(
        nodes.features.stream().mapToInt(Integer::intValue).toArray(),
        nodes.values.stream().mapToDouble(Double::doubleValue).toArray(),
        nodes.otherwise.stream().mapToInt(Integer::intValue).toArray());
  }

  private record Walk(
      StructType schema, List<Integer> features, List<Double> values, List<Integer> otherwise) {
    void add(Node node) {
      int index = features.size();
      if (node instanceof RegressionNode leaf) {
        features.add(LEAF);
        values.add(leaf.output());
        otherwise.add(0);
      } else if (node instanceof OrdinalNode split) {
        features.add(split.feature());
        values.add(threshold(split));
        otherwise.add(0);
        add(split.trueChild());
        otherwise.set(index, features.size());
        add(split.falseChild());
      } else {
        throw new IllegalStateException("a tree of numbers has a " + node.getClass());
      }
    }

    /**
     * Returns the largest number that goes to the true child. Smile does not reveal it, so a binary
     * search finds it among all doubles: the bits of doubles, read as whole numbers, have the order
     * of the doubles.
     */
    private double threshold(InternalNode split) {
      double[] row = new double[schema.length()];
      long low = ordered(Double.NEGATIVE_INFINITY);
      long high = ordered(Double.POSITIVE_INFINITY);
      while (low + 1 < high) {
        long middle = (low & high) + ((low ^ high) >> 1); // their mean, which does not overflow
        row[split.feature()] = number(middle);
        if (split.branch(Tuple.of(row, schema))) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return number(low);
    }

    private static long ordered(double number) {
      long bits = Double.doubleToLongBits(number);
      return bits >= 0 ? bits : Long.MIN_VALUE - bits;
    }

    private static double number(long ordered) {
      return Double.longBitsToDouble(ordered >= 0 ? ordered : Long.MIN_VALUE - ordered);
    }
  }

  double of(double[] row) {
    int node = 0;
    while (features[node] != LEAF) {
      node = row[features[node]] <= values[node] ? node + 1 : otherwise[node];
    }
    return values[node];
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(features.length);
    for (int i = 0; i < features.length; i++) {
      out.writeShort(features[i]);
      out.writeDouble(values[i]);
      if (features[i] != LEAF) {
        out.writeInt(otherwise[i]);
      }
    }
  }

  /** Reads a tree; refuses bytes of which a branch would lead outside the tree or in a circle. */
  static Tree read(DataInputStream in, int columns) throws IOException {
    int nodes = ModelFile.count(in, "nodes", 1);
    int[] features = new int[nodes];
    double[] values = new double[nodes];
    int[] otherwise = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      features[i] = in.readShort();
      values[i] = in.readDouble();
      if (features[i] == LEAF) {
        if (!Double.isFinite(values[i])) {
          throw new IOException("a leaf holds no number");
        }
        continue;
      }
      otherwise[i] = in.readInt();
      if (features[i] < 0
          || features[i] >= columns
          || otherwise[i] <= i + 1
          || otherwise[i] >= nodes) {
        throw new IOException("a split leads nowhere");
      }
    }
    if (features[nodes - 1] != LEAF) {
      throw new IOException("a tree ends in a split");
    }
    return new Tree(features, values, otherwise);
  }
}
