package dev.sluice.planning.split;

import java.util.Arrays;

/**
 * Numbers of used hosts by class, as indexes: hosts of a class are interchangeable, so that a
 * search need not know which are used. An index grows with each further host.
 */
final class CountVectors {
  private final int[] capacity;
  private final int[] strides;
  private final long size;

  CountVectors(int[] capacity) {
    this.capacity = capacity;
    strides = new int[capacity.length];
    long product = 1;
    for (int t = 0; t < capacity.length; t++) {
      strides[t] = (int) Math.min(product, Integer.MAX_VALUE);
      product = Math.min(product * (capacity[t] + 1), Integer.MAX_VALUE);
    }
    size = product;
  }

  /** Number of vectors; {@link Integer#MAX_VALUE} stands for that many and more. */
  long size() {
    return size;
  }

  /** What an index grows by with another host of the class. */
  int stride(int hostClass) {
    return strides[hostClass];
  }

  /** Returns the vector of the index. */
  int[] at(int index) {
    int[] used = new int[capacity.length];
    Arrays.setAll(used, t -> index / strides[t] % (capacity[t] + 1));
    return used;
  }

  /** Returns the number of hosts of the vector. */
  int hosts(int index) {
    int hosts = 0;
    for (int t = 0; t < capacity.length; t++) {
      hosts += index / strides[t] % (capacity[t] + 1);
    }
    return hosts;
  }

  /** Makes the vector that of the next index, and returns how many hosts it counts more or less. */
  int next(int[] used) {
    int more = 1;
    for (int t = 0; t < used.length; t++) {
      if (used[t] < capacity[t]) {
        used[t]++;
        return more;
      }
      more -= used[t];
      used[t] = 0;
    }
    return more - 1;
  }
}
