package dev.sluice.planning.split;

import dev.sluice.planning.split.SearchSettings.OutOfTimeException;
import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least value of a plan, and the first of all plans that have it. Of each count vector it keeps
 * the least value to each cut and last bandwidth, as far as a bound on what follows leaves it
 * within a limit.
 */
abstract class ExactSearch {
  final StageCosts costs;
  final SearchSettings settings;
  final CountVectors vectors;

  /** The most hosts that a plan may use. */
  int hostsMax;

  /** Best split known; null if none is. */
  @Nullable Split best;

  /** Bound that no plan's bottleneck (or latency, by objective) is below. */
  double lowerSeconds;

  /** Cut, place of the last bandwidth, and value of entries, of all vectors one after another. */
  private int[] cuts = new int[1 << 12];

  private int[] links = new int[1 << 12];
  private double[] values = new double[1 << 12];

  /** Place of each vector's first entry; it ends where that of the next one begins. */
  private final int[] at;

  /** Least value of a plan that was filled; infinite if none was. */
  double leastSeconds = Double.POSITIVE_INFINITY;

  ExactSearch(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    this.costs = costs;
    this.settings = settings;
    this.vectors = vectors;
    hostsMax = Math.min(settings.hostsMax(), costs.layers);
    at = new int[(int) vectors.size() + 1];
  }

  /**
   * Searches until the end or until time is up.
   *
   * @return whether the best split is proved to be the first of all optimal ones, or that there is
   *     none
   */
  boolean run() {
    try {
      search();
      return true;
    } catch (OutOfTimeException e) {
      return false;
    }
  }

  abstract void search();

  /** The value of two parts of a plan, one behind the other. */
  abstract double joined(double before, double behind);

  /** Takes in the hosts of the vector that the next questions are about. */
  abstract void take(int[] used, int hostsLeft);

  /**
   * The first cut at which a stage may end that begins with the value before it, so that a plan
   * within the limit may follow; beyond all cuts if there is none.
   */
  abstract int firstEnd(int hostClass, int from, double value, double limit);

  /** Whether a stage that ends with the value up to it may lead to a plan within the limit. */
  abstract boolean mayEnd(int cut, int bandwidth, double value, double limit);

  /**
   * Fills what is within the limit.
   *
   * @param allEqual true: all plans within the limit are equal, so that fewer hosts win
   */
  void fill(double limit, boolean allEqual) {
    int layers = costs.layers;
    int states = (int) vectors.size();
    int[] used = new int[costs.classes];
    double[][] set = new double[layers + 1][costs.bandwidths.length];
    for (double[] ofCut : set) {
      Arrays.fill(ofCut, Double.POSITIVE_INFINITY);
    }
    leastSeconds = Double.POSITIVE_INFINITY;
    cuts[0] = 0;
    at[1] = 1;
    int hosts = 0;
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
      take(used, hostsMax - hosts);
      boolean any = false;
      for (int t = 0; t < costs.classes; t++) {
        if (used[t] == 0) {
          continue;
        }
        int before = index - vectors.stride(t);
        int link = costs.bandwidthOf[t];
        for (int place = at[before]; place < at[before + 1]; place++) {
          int from = cuts[place];
          if (from == layers) {
            continue;
          }
          double sent = costs.transferSeconds(from, links[place], t);
          double start = joined(values[place], sent);
          int last = costs.lastEnd(t, from);
          for (int to = firstEnd(t, from, start, most); to <= last; to++) {
            double value = joined(start, costs.seconds(t, from, to));
            if (value > most) {
              break;
            }
            if (value < set[to][link] && costs.fits(t, from, to)) {
              set[to][link] = value;
              any = true;
            }
          }
        }
      }
      if (any) {
        keep(index, set, most);
        most = Math.min(most, leastSeconds * (1 + 2 * Pricing.EQUAL_SHARE));
        if (allEqual && at[index + 1] > at[index] && isWhole(at[index + 1] - 1)) {
          hostsMax = hosts;
        }
      }
    }
  }

  private void keep(int index, double[][] set, double limit) {
    int size = at[index];
    for (int cut = 1; cut <= costs.layers; cut++) {
      for (int link = 0; link < costs.bandwidths.length; link++) {
        double value = set[cut][link];
        set[cut][link] = Double.POSITIVE_INFINITY;
        if (value < Double.POSITIVE_INFINITY && mayEnd(cut, link, value, limit)) {
          if (size == cuts.length) {
            cuts = Arrays.copyOf(cuts, 2 * size);
            links = Arrays.copyOf(links, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
          }
          cuts[size] = cut;
          links[size] = link;
          values[size++] = value;
          if (cut == costs.layers) {
            leastSeconds = Math.min(leastSeconds, value);
          }
        }
      }
    }
    at[index + 1] = size;
  }

  private boolean isWhole(int place) {
    return cuts[place] == costs.layers;
  }

  /** Takes the first of all plans of the least value, if any was filled. */
  void takeFirst() {
    if (leastSeconds < Double.POSITIVE_INFINITY) {
      lowerSeconds = leastSeconds;
      best = new FirstOfLeast().find();
    }
  }

  /**
   * The first of all splits of the least value: by hosts, then by bytes sent, then by (type's
   * place, last layer) stage by stage.
   */
  private final class FirstOfLeast {
    private final double limit = leastSeconds * (1 + Pricing.EQUAL_SHARE);
    private final int fewestHosts = fewestHosts();

    /** Least value behind each entry, with the fewest hosts. */
    private final double[] behind = new double[at[at.length - 1]];

    /** Fewest bytes sent behind each entry; {@link Long#MAX_VALUE} if it does not finish. */
    private final long[] bytes = new long[behind.length];

    Split find() {
      Arrays.fill(behind, Double.POSITIVE_INFINITY);
      Arrays.fill(bytes, Long.MAX_VALUE);
      for (int index = at.length - 2; index >= 0; index--) {
        if ((index & 0xf) == 0 && best != null) {
          settings.checkTime(); // the best known plan is given then
        }
        if (at[index] == at[index + 1]) {
          continue;
        }
        int hosts = vectors.hosts(index);
        if (hosts == fewestHosts) {
          int last = at[index + 1] - 1;
          for (int place = at[index]; place <= last; place++) {
            if (isWhole(place) && values[place] <= limit) {
              behind[place] = 0;
              bytes[place] = 0;
            }
          }
        } else if (hosts < fewestHosts) {
          int[] used = vectors.at(index);
          for (int t = 0; t < costs.classes; t++) {
            if (used[t] < costs.capacity[t]) {
              extend(index, t);
            }
          }
        }
      }
      return first();
    }

    private int fewestHosts() {
      int fewest = Integer.MAX_VALUE;
      for (int index = 0; index < at.length - 1; index++) {
        for (int place = at[index]; place < at[index + 1]; place++) {
          if (isWhole(place) && values[place] <= limit) {
            fewest = Math.min(fewest, vectors.hosts(index));
          }
        }
      }
      return fewest;
    }

    private void extend(int index, int hostClass) {
      int after = index + vectors.stride(hostClass);
      for (int ended = at[after]; ended < at[after + 1]; ended++) {
        if (bytes[ended] < Long.MAX_VALUE && links[ended] == costs.bandwidthOf[hostClass]) {
          int to = cuts[ended];
          for (int place = at[index]; place < at[index + 1] && cuts[place] < to; place++) {
            double rest = joined(stageSeconds(place, hostClass, to), behind[ended]);
            if (joined(values[place], rest) <= limit) {
              behind[place] = Math.min(behind[place], rest);
              bytes[place] = Math.min(bytes[place], bytes[ended] + sent(to));
            }
          }
        }
      }
    }

    /** Value of a stage behind the entry, with its transfer; infinite if there is none. */
    private double stageSeconds(int place, int hostClass, int to) {
      int from = cuts[place];
      return costs.fits(hostClass, from, to)
          ? joined(
              costs.transferSeconds(from, links[place], hostClass),
              costs.seconds(hostClass, from, to))
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
          if (used[t] < costs.capacity[t]
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
        splitEnds.add(cuts[bestEnded]);
        used[bestClass]++;
        index += vectors.stride(bestClass);
        now = bestEnded;
      }
      return new Split(splitClasses, splitEnds);
    }

    /** The entry of the first end of a stage that leads to the fewest bytes; -1 for none. */
    private int firstEnded(int now, int hostClass, int after) {
      for (int ended = at[after]; ended < at[after + 1]; ended++) {
        int to = cuts[ended];
        double rest = joined(stageSeconds(now, hostClass, to), behind[ended]);
        if (bytes[ended] < Long.MAX_VALUE
            && links[ended] == costs.bandwidthOf[hostClass]
            && bytes[ended] + sent(to) == bytes[now]
            && joined(values[now], rest) <= limit) {
          return ended;
        }
      }
      return -1;
    }
  }
}
