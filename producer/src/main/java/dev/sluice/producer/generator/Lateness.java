package dev.sluice.producer.generator;

import java.util.Arrays;

/** Lateness of each job of one generator: send call − intended arrival. All values are kept. */
final class Lateness {
  private final long[] latenessNs;
  private int count;

  Lateness(int jobsMax) {
    latenessNs = new long[jobsMax];
  }

  void add(long ns) {
    latenessNs[count++] = ns;
  }

  int count() {
    return count;
  }

  /**
   * Returns the smallest lateness that at least 99 % of the jobs do not exceed (nearest rank); 0
   * without jobs.
   */
  long p99Ns() {
    if (count == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(latenessNs, count);
    Arrays.sort(sorted);
    long rank = (99L * count + 99) / 100;
    return sorted[(int) rank - 1];
  }

  /** Returns the largest lateness; 0 without jobs. */
  long maxNs() {
    return Arrays.stream(latenessNs, 0, count).max().orElse(0);
  }
}
