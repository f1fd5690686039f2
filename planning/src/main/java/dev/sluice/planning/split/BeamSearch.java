package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A search that keeps, of each number of stages, a bounded number of beginnings: those of the best
 * scores. It proves nothing.
 */
final class BeamSearch {
  private final StageCosts costs;
  private final SearchSettings settings;
  private final int stagesMax;

  /** Random numbers by class: a beginning's hosts are told apart by their sum. */
  private final long[] marks;

  private final Beginnings next = new Beginnings();

  BeamSearch(StageCosts costs, SearchSettings settings) {
    this.costs = costs;
    this.settings = settings;
    int hosts = Arrays.stream(costs.capacity).sum();
    stagesMax = Math.min(Math.min(settings.hostsMax(), hosts), costs.layers);
    var random = new SplittableRandom(1);
    marks = random.longs(costs.classes).toArray();
  }

  /**
   * Returns a split within the limit, or null if none was found.
   *
   * @param weights those of a bound: beginnings are best whose hosts left can take most beyond what
   *     is left
   */
  @Nullable Split searchWithin(StageEnds ends, LayerWeights weights, int width) {
    Beginning[] kept = {new Beginning(null, -1, 0, new int[costs.classes], 0, 0, 0)};
    for (int stage = 1; stage <= stagesMax && kept.length > 0; stage++) {
      settings.checkTime();
      next.size = 0;
      for (int i = 0; i < kept.length; i++) {
        for (int t = 0; t < costs.classes; t++) {
          if (kept[i].used[t] == costs.capacity[t] || !ends.passes(t, kept[i].cut)) {
            continue;
          }
          int[] farthest = ends.farthest(t);
          int last = -1;
          double taken = kept[i].value + weights.gain(t);
          for (int pass = 0; pass < ends.passes(); pass++) {
            int to = farthest[kept[i].cut * ends.passes() + pass];
            if (to == costs.layers) {
              return new Beginning(kept[i], t, to, kept[i].used, 0, 0, 0).split();
            }
            if (to >= 0 && to != last) {
              next.add(i, t, to, taken, taken + weights.behind(to));
              last = to;
            }
          }
        }
      }
      kept = next.best(kept, width);
    }
    return null;
  }

  /** Returns a split of a small latency, or null if none was found. */
  @Nullable Split searchLeast(PricedLayers priced, int width) {
    Beginning[] kept = {new Beginning(null, -1, 0, new int[costs.classes], 0, 0, 0)};
    Beginning best = null;
    for (int stage = 1; stage <= stagesMax && kept.length > 0; stage++) {
      settings.checkTime();
      next.size = 0;
      for (int i = 0; i < kept.length; i++) {
        int from = kept[i].cut;
        for (int t = 0; t < costs.classes; t++) {
          if (kept[i].used[t] == costs.capacity[t]) {
            continue;
          }
          double start =
              kept[i].value
                  + (from == 0
                      ? 0
                      : costs.transferSeconds(from, costs.bandwidthOf[kept[i].hostClass], t));
          double paid = kept[i].paid + priced.price(t);
          for (int to = costs.firstEnd(t, from); to <= costs.lastEnd(t, from); to++) {
            if (!costs.fits(t, from, to)) {
              continue;
            }
            double value = start + costs.seconds(t, from, to);
            if (best != null && value >= best.value) {
              break;
            }
            if (to == costs.layers) {
              best = new Beginning(kept[i], t, to, kept[i].used, value, 0, 0);
            } else {
              next.add(i, t, to, value, value + paid + priced.behind(to, costs.bandwidthOf[t]));
            }
          }
        }
      }
      kept = next.best(kept, width);
      for (Beginning beginning : kept) {
        beginning.paid = priced.price(beginning.hostClass) + beginning.before().paid;
      }
    }
    return best == null ? null : best.split();
  }

  /** The first stages of a split. */
  private static final class Beginning {
    private final @Nullable Beginning before;
    private final int hostClass;
    private final int cut;
    private final int[] used;

    /** Weight that its hosts can take, or its latency. */
    private final double value;

    /** Sum of the marks of its hosts. */
    private final long hosts;

    /** Prices of its hosts. */
    private double paid;

    Beginning(
        @Nullable Beginning before,
        int hostClass,
        int cut,
        int[] used,
        double value,
        long hosts,
        double paid) {
      this.before = before;
      this.hostClass = hostClass;
      this.cut = cut;
      this.used = used;
      this.value = value;
      this.hosts = hosts;
      this.paid = paid;
    }

    Beginning before() {
      return Objects.requireNonNull(before);
    }

    Split split() {
      List<Integer> classes = new ArrayList<>();
      List<Integer> ends = new ArrayList<>();
      for (Beginning at = this; at.before != null; at = at.before) {
        classes.add(0, at.hostClass);
        ends.add(0, at.cut);
      }
      return new Split(classes, ends);
    }
  }

  /** Beginnings of one more stage, of which the best are kept. */
  private final class Beginnings {
    private int size;
    private int[] parents = new int[1 << 12];
    private int[] classes = new int[1 << 12];
    private int[] cuts = new int[1 << 12];
    private double[] values = new double[1 << 12];
    private double[] scores = new double[1 << 12];

    void add(int parent, int hostClass, int cut, double value, double score) {
      if (!(score < Double.POSITIVE_INFINITY)) {
        return;
      }
      if (size == parents.length) {
        parents = Arrays.copyOf(parents, 2 * size);
        classes = Arrays.copyOf(classes, 2 * size);
        cuts = Arrays.copyOf(cuts, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
        scores = Arrays.copyOf(scores, 2 * size);
      }
      parents[size] = parent;
      classes[size] = hostClass;
      cuts[size] = cut;
      values[size] = value;
      scores[size++] = score;
    }

    /** Returns those of the lowest scores; of equal hosts, cuts and classes the first. */
    Beginning[] best(Beginning[] kept, int width) {
      double[] sorted = Arrays.copyOf(scores, size);
      Arrays.sort(sorted);
      int number = 0;
      Beginning[] best = new Beginning[Math.min(size, width)];
      Set<Long> seen = new HashSet<>();
      // equal beginnings are met once for each order of their hosts
      double bound = size == 0 ? 0 : sorted[Math.min(size - 1, 4 * width)];
      for (double from = Double.NEGATIVE_INFINITY, to = size == 0 ? 0 : sorted[best.length - 1];
          number < best.length && from < bound;
          from = to, to = bound) {
        for (int i = 0; i < size && number < best.length; i++) {
          if (scores[i] > from && scores[i] <= to) {
            Beginning parent = kept[parents[i]];
            int t = classes[i];
            long hosts = parent.hosts + marks[t];
            double bandwidth = costs.bitsPerSecond[t];
            if (seen.add(
                (hosts * 31 + cuts[i]) * 0x9E3779B97F4A7C15L + Double.hashCode(bandwidth))) {
              int[] used = parent.used.clone();
              used[t]++;
              best[number++] = new Beginning(parent, t, cuts[i], used, values[i], hosts, 0);
            }
          }
        }
      }
      return Arrays.copyOf(best, number);
    }
  }
}
