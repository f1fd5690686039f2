package dev.sluice.planning.split;

import dev.sluice.planning.split.Planner.ExactEnd;
import dev.sluice.planning.split.SearchSettings.OutOfTimeException;
import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The smallest latency. Of each count vector it keeps the least latency to each cut and last
 * bandwidth, as far as a bound on what follows leaves it within a limit. The limit rises until a
 * split is within it.
 */
final class LatencySearch {
  private static final int ROUNDS = 80;
  private static final double FIRST_STEP = 1e-4;
  private static final double STEP_GROWTH = 3;

  private final StageCosts costs;
  private final SearchSettings settings;
  private final CountVectors vectors;
  private final PricedLayers plain;
  private final PricedLayers priced;
  private final int bandwidths;
  private final int hostsMax;

  /** Cuts times bandwidths, plus the last bandwidth, of all vectors one behind the other. */
  private int[] keys = new int[1 << 12];

  private double[] seconds = new double[1 << 12];

  /** Place of each vector's first entry; it ends where that of the next one begins. */
  private final int[] at;

  private @Nullable Split best;
  private double lowerSeconds;
  private double bestSeconds;

  LatencySearch(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    this.costs = costs;
    this.settings = settings;
    this.vectors = vectors;
    plain = new PricedLayers(costs);
    priced = new PricedLayers(costs);
    bandwidths = plain.bandwidths.length;
    hostsMax = Math.min(settings.hostsMax(), costs.layers);
    at = new int[(int) vectors.size() + 1];
  }

  /** Searches until the end or until time is up. */
  ExactEnd run() {
    try {
      lowerSeconds = plain.bound(hostsMax);
      if (lowerSeconds < Double.POSITIVE_INFINITY) {
        priced.improve(hostsMax, ROUNDS);
        lowerSeconds = Math.max(lowerSeconds, priced.bound(hostsMax));
        search();
      }
      return new ExactEnd(best, lowerSeconds, true);
    } catch (OutOfTimeException e) {
      return new ExactEnd(best, lowerSeconds, false);
    }
  }

  private void search() {
    double step = FIRST_STEP;
    double limit = lowerSeconds * (1 + step);
    boolean cut = true;
    while (cut) {
      cut = fill(limit);
      if (bestSeconds <= limit) {
        lowerSeconds = bestSeconds;
        best = new FirstOfLeast().find();
        return;
      }
      if (limit == Double.MAX_VALUE) {
        return;
      }
      lowerSeconds = limit;
      step *= STEP_GROWTH;
      limit = step > 1e3 ? Double.MAX_VALUE : Math.max(limit, Double.MIN_NORMAL) * (1 + step);
    }
  }

  /** Fills what is within the limit; returns whether the limit left something out. */
  private boolean fill(double limit) {
    int layers = costs.layers;
    int states = (int) vectors.size();
    int[] used = new int[costs.classes];
    double[] set = new double[(layers + 1) * bandwidths];
    Arrays.fill(set, Double.POSITIVE_INFINITY);
    double[] starts = new double[layers];
    bestSeconds = Double.POSITIVE_INFINITY;
    keys[0] = 0;
    at[1] = 1;
    int hosts = 0;
    boolean cut = false;
    double most = limit;
    for (int index = 1; index < states; index++) {
      if ((index & 0xf) == 0) {
        settings.checkTime();
      }
      hosts += vectors.next(used);
      at[index + 1] = at[index];
      if (hosts > hostsMax) {
        continue;
      }
      double payments = priced.payments(used, hostsMax - hosts);
      boolean any = false;
      for (int t = 0; t < costs.classes; t++) {
        if (used[t] == 0) {
          continue;
        }
        int before = index - vectors.stride(t);
        Arrays.fill(starts, Double.POSITIVE_INFINITY);
        boolean linked = costs.bitsPerSecond[t] > 0;
        for (int place = at[before]; place < at[before + 1]; place++) {
          int from = keys[place] / bandwidths;
          if (from < layers && (linked || from == 0)) {
            double start =
                seconds[place] + plain.transferSeconds(from, keys[place] % bandwidths, t);
            starts[from] = Math.min(starts[from], start);
          }
        }
        int bandwidth = plain.bandwidthOf[t];
        for (int from = 0; from < layers; from++) {
          double start = starts[from];
          if (start == Double.POSITIVE_INFINITY) {
            continue;
          }
          if (start + plain.next(t, from) > most
              || start + priced.next(t, from) - payments > most) {
            cut = true;
            continue;
          }
          any = true;
          long[] fitting = costs.fitting(t, from);
          int last = Math.min(layers, (((from >> 6) + fitting.length) << 6) - 1);
          for (int to = linked ? from + 1 : layers; to <= last; to++) {
            if ((fitting[(to >> 6) - (from >> 6)] >>> to & 1) != 0) {
              int key = to * bandwidths + bandwidth;
              double value = start + costs.seconds(t, from, to);
              if (value < set[key]) {
                set[key] = value;
              }
            }
          }
        }
      }
      if (any) {
        cut |= keep(index, set, payments, most);
        most = Math.min(most, bestSeconds * (1 + 2 * StageCosts.EQUAL_SHARE));
      }
    }
    return cut;
  }

  private boolean keep(int index, double[] set, double payments, double limit) {
    boolean cut = false;
    int size = at[index];
    for (int key = 0; key < set.length; key++) {
      double value = set[key];
      if (value < Double.POSITIVE_INFINITY) {
        set[key] = Double.POSITIVE_INFINITY;
        int to = key / bandwidths;
        int bandwidth = key % bandwidths;
        if (value + plain.behind(to, bandwidth) > limit
            || value + priced.behind(to, bandwidth) - payments > limit) {
          cut = true;
          continue;
        }
        if (to == costs.layers) {
          bestSeconds = Math.min(bestSeconds, value);
        }
        if (size == keys.length) {
          keys = Arrays.copyOf(keys, 2 * size);
          seconds = Arrays.copyOf(seconds, 2 * size);
        }
        keys[size] = key;
        seconds[size++] = value;
      }
    }
    at[index + 1] = size;
    return cut;
  }

  /**
   * The first of all splits of the least latency: by hosts, then by bytes sent, then by (type's
   * place, last layer) stage by stage.
   */
  private final class FirstOfLeast {
    private final double limit = bestSeconds * (1 + StageCosts.EQUAL_SHARE);
    private final int fewestHosts = fewestHosts();

    /** Least latency behind each entry, with the fewest hosts. */
    private final double[] behind = new double[at[at.length - 1]];

    /** Fewest bytes sent behind each entry; {@link Long#MAX_VALUE} if it does not finish. */
    private final long[] bytes = new long[behind.length];

    Split find() {
      Arrays.fill(behind, Double.POSITIVE_INFINITY);
      Arrays.fill(bytes, Long.MAX_VALUE);
      int states = (int) vectors.size();
      int[] used = vectors.at(states - 1);
      int hosts = Arrays.stream(used).sum();
      for (int index = states - 1; index >= 0; index--) {
        if (hosts == fewestHosts) {
          for (int place = at[index]; place < at[index + 1]; place++) {
            if (keys[place] / bandwidths == costs.layers && seconds[place] <= limit) {
              behind[place] = 0;
              bytes[place] = 0;
            }
          }
        } else if (hosts < fewestHosts) {
          for (int t = 0; t < costs.classes; t++) {
            if (used[t] < vectors.capacity(t)) {
              extend(index, t);
            }
          }
        }
        hosts += vectors.previous(used);
      }
      return first();
    }

    private int fewestHosts() {
      int fewest = Integer.MAX_VALUE;
      for (int index = 0; index < at.length - 1; index++) {
        for (int place = at[index]; place < at[index + 1]; place++) {
          if (keys[place] / bandwidths == costs.layers && seconds[place] <= limit) {
            fewest = Math.min(fewest, Arrays.stream(vectors.at(index)).sum());
          }
        }
      }
      return fewest;
    }

    private void extend(int index, int hostClass) {
      int after = index + vectors.stride(hostClass);
      for (int ended = at[after]; ended < at[after + 1]; ended++) {
        if (bytes[ended] < Long.MAX_VALUE
            && keys[ended] % bandwidths == plain.bandwidthOf[hostClass]) {
          int to = keys[ended] / bandwidths;
          for (int place = at[index]; place < at[index + 1]; place++) {
            double stage = stageSeconds(place, hostClass, to) + behind[ended];
            if (seconds[place] + stage <= limit) {
              behind[place] = Math.min(behind[place], stage);
              bytes[place] = Math.min(bytes[place], bytes[ended] + sent(to));
            }
          }
        }
      }
    }

    /** Transfer and compute time of a stage behind the entry; infinite if there is none. */
    private double stageSeconds(int place, int hostClass, int to) {
      int from = keys[place] / bandwidths;
      boolean linked = costs.bitsPerSecond[hostClass] > 0 || (from == 0 && to == costs.layers);
      return from < to && linked && costs.fits(hostClass, from, to)
          ? plain.transferSeconds(from, keys[place] % bandwidths, hostClass)
              + costs.seconds(hostClass, from, to)
          : Double.POSITIVE_INFINITY;
    }

    private long sent(int cut) {
      return cut == costs.layers ? 0 : costs.cutBytes[cut];
    }

    private Split first() {
      List<Integer> splitClasses = new ArrayList<>();
      List<Integer> splitEnds = new ArrayList<>();
      int[] used = new int[costs.classes];
      int index = 0;
      int now = 0;
      for (int stage = 0; stage < fewestHosts; stage++) {
        int bestClass = -1;
        int bestEnded = -1;
        for (int t = 0; t < costs.classes; t++) {
          if (used[t] < vectors.capacity(t)
              && (bestClass < 0
                  || costs.typeOf(t, used[t]) < costs.typeOf(bestClass, used[bestClass]))) {
            int ended = firstEnded(now, t, index + vectors.stride(t));
            if (ended >= 0) {
              bestClass = t;
              bestEnded = ended;
            }
          }
        }
        splitClasses.add(bestClass);
        splitEnds.add(keys[bestEnded] / bandwidths);
        used[bestClass]++;
        index += vectors.stride(bestClass);
        now = bestEnded;
      }
      return new Split(splitClasses, splitEnds);
    }

    /**
     * Returns the entry of the first end of a stage that leads to the fewest bytes; -1 for none.
     */
    private int firstEnded(int now, int hostClass, int after) {
      for (int ended = at[after]; ended < at[after + 1]; ended++) {
        int to = keys[ended] / bandwidths;
        if (bytes[ended] < Long.MAX_VALUE
            && keys[ended] % bandwidths == plain.bandwidthOf[hostClass]
            && bytes[ended] + sent(to) == bytes[now]
            && seconds[now] + stageSeconds(now, hostClass, to) + behind[ended] <= limit) {
          return ended;
        }
      }
      return -1;
    }
  }
}
