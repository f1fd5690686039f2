package dev.sluice.planning.split;

import java.util.Arrays;

/**
 * Stages whose compute time and whose transfers at both ends are at most a limit, and which fit.
 *
 * <p>A cut passes a class if its bandwidth carries the cut within the limit. A link passes where
 * both of its classes pass, so that a stage asks only for its own bandwidth at both ends, and the
 * next class is no part of a search's state.
 */
final class StageEnds {
  private final StageCosts costs;
  private final int classes;
  private final int layers;

  /** Limit on each compute and transfer time. */
  private double limit;

  /** Sets of the cuts that pass, by class; the model's input and output always do. */
  final long[][] passing;

  /** Numbers of the different sets of passing cuts. */
  private int passes;

  /** Number of its set of passing cuts, by class. */
  final int[] passOf;

  private final int[] classOfPass;

  /** Last cuts by compute time alone, by class and first cut. */
  private final int[][] computeEnd;

  /**
   * Farthest last cuts of stages, by class and first cut, and by the set that the cut must pass.
   */
  private final int[][] farthest;

  /** Last cuts of stages as words of sets, by class; see {@link #rowAt}. */
  private final long[][] rows;

  /** Place of a first cut's row in its class's rows, one more than cuts. */
  private final int[][] rowAt;

  StageEnds(StageCosts costs) {
    this.costs = costs;
    classes = costs.classes;
    layers = costs.layers;
    passing = new long[classes][costs.words];
    passOf = new int[classes];
    classOfPass = new int[classes];
    computeEnd = new int[classes][layers];
    farthest = new int[classes][];
    rows = new long[classes][0];
    rowAt = new int[classes][layers + 1];
  }

  /** Takes in another limit. Rows are those of the limit before, until {@link #fillRows}. */
  void limitTo(double seconds) {
    limit = seconds;
    for (int t = 0; t < classes; t++) {
      fillPassing(t);
      int end = 0;
      for (int from = 0; from < layers; from++) {
        end = Math.max(end, from);
        while (end < layers && costs.seconds(t, from, end + 1) <= limit) {
          end++;
        }
        computeEnd[t][from] = end;
      }
    }
    passes = 0;
    for (int t = 0; t < classes; t++) {
      int pass = 0;
      while (pass < passes && !Arrays.equals(passing[classOfPass[pass]], passing[t])) {
        pass++;
      }
      if (pass == passes) {
        classOfPass[passes++] = t;
      }
      passOf[t] = pass;
    }
    for (int t = 0; t < classes; t++) {
      if (farthest[t] == null || farthest[t].length != layers * passes) {
        farthest[t] = new int[layers * passes];
      }
      for (int from = 0; from < layers; from++) {
        for (int pass = 0; pass < passes; pass++) {
          farthest[t][from * passes + pass] =
              passes(t, from) ? highest(t, from, passing[classOfPass[pass]]) : -1;
        }
      }
    }
  }

  double limit() {
    return limit;
  }

  /** Number of different sets of passing cuts. */
  int passes() {
    return passes;
  }

  /** Returns whether the cut passes the class. */
  boolean passes(int hostClass, int cut) {
    return (passing[hostClass][cut >> 6] >>> cut & 1) != 0;
  }

  /** The farthest last cut of a stage, by first cut times passes plus pass; -1 for none. */
  int[] farthest(int hostClass) {
    return farthest[hostClass];
  }

  /** The farthest last cut of a stage that begins at the cut; -1 for none. */
  int farthest(int hostClass, int from) {
    return farthest[hostClass][from * passes + passOf[hostClass]];
  }

  /** The last cut of a stage that begins at the cut, by compute time alone. */
  int computeEnd(int hostClass, int from) {
    return computeEnd[hostClass][from];
  }

  /** The largest compute or transfer time of any stage that is within the limit; 0 for none. */
  double largestSeconds() {
    double largest = 0;
    for (int t = 0; t < classes; t++) {
      for (int from = 0; from < layers; from++) {
        if (computeEnd[t][from] > from) {
          largest = Math.max(largest, costs.seconds(t, from, computeEnd[t][from]));
        }
        if (from > 0 && passes(t, from)) {
          largest = Math.max(largest, costs.transferSeconds(t, from));
        }
      }
    }
    return largest;
  }

  /** Fills the rows of the limit. */
  void fillRows() {
    for (int t = 0; t < classes; t++) {
      int at = 0;
      for (int from = 0; from < layers; from++) {
        rowAt[t][from] = at;
        int last = farthest(t, from);
        if (last < 0) {
          continue;
        }
        int base = from >> 6;
        int length = (last >> 6) - base + 1;
        if (at + length > rows[t].length) {
          rows[t] = Arrays.copyOf(rows[t], Math.max(2 * rows[t].length, at + length));
        }
        long[] fits = costs.fitting(t, from);
        for (int word = 0; word < length; word++) {
          rows[t][at + word] = fits[word] & passing[t][base + word];
        }
        rows[t][at + length - 1] &= -1L >>> (63 - (last & 63));
        at += length;
      }
      rowAt[t][layers] = at;
    }
  }

  /** Words of the sets of last cuts; a row's first word is that of its first cut. */
  long[] rows(int hostClass) {
    return rows[hostClass];
  }

  /** Place of each first cut's row; it ends where the next one begins. */
  int[] rowAt(int hostClass) {
    return rowAt[hostClass];
  }

  /** Returns whether the stage is within the limit and fits; rows must be filled. */
  boolean allows(int hostClass, int from, int to) {
    int at = rowAt[hostClass][from] + (to >> 6) - (from >> 6);
    return at < rowAt[hostClass][from + 1] && (rows[hostClass][at] >>> to & 1) != 0;
  }

  private void fillPassing(int t) {
    long[] set = passing[t];
    Arrays.fill(set, 0);
    set[0] |= 1;
    set[layers >> 6] |= 1L << layers;
    for (int cut = 1; cut < layers; cut++) {
      if (costs.bitsPerSecond[t] > 0 && costs.transferSeconds(t, cut) <= limit) {
        set[cut >> 6] |= 1L << cut;
      }
    }
  }

  private int highest(int t, int from, long[] alsoPassing) {
    long[] fits = costs.fitting(t, from);
    int base = from >> 6;
    int end = computeEnd[t][from];
    int word = Math.min(end >> 6, base + fits.length - 1);
    long mask = word == end >> 6 ? -1L >>> (63 - (end & 63)) : -1L;
    for (; word >= base; word--, mask = -1L) {
      long bits = fits[word - base] & passing[t][word] & alsoPassing[word] & mask;
      if (bits != 0) {
        return (word << 6) + 63 - Long.numberOfLeadingZeros(bits);
      }
    }
    return -1;
  }
}
