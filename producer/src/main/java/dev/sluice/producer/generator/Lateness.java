package dev.sluice.producer.generator;

import java.util.Arrays;

/** How late one generator sent each of its jobs: send call − intended arrival. All are kept. */
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
   * The smallest lateness that at least 99 % of the jobs do not exceed (nearest rank); 0 of none.
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

  /** The largest; 0 of none. */
  long maxNs() {
    return Arrays.stream(latenessNs, 0, count).max().orElse(0);
  }
}
