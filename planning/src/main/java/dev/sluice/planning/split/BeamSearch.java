package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search that keeps, of each number of stages, a bounded number of beginnings: those of the best
 * scores. It proves nothing.
 */
final class BeamSearch {
  private final StageCosts costs;
  private final SearchSettings settings;
  private final int stagesMax;

  BeamSearch(StageCosts costs, SearchSettings settings) {
    this.costs = costs;
    this.settings = settings;
    int hosts = Arrays.stream(costs.capacity).sum();
    stagesMax = Math.min(Math.min(settings.hostsMax(), hosts), costs.layers);
  }

  /**
   * Returns a split within the limit, or null if none was found.
   *
   * @param weights those of a bound: beginnings are best whose hosts left can take most beyond what
   *     is left
   */
  @Nullable Split searchWithin(StageEnds ends, LayerWeights weights, int width) {
    List<Beginning> kept = List.of(nothing());
    for (int stage = 1; stage <= stagesMax && !kept.isEmpty(); stage++) {
      settings.checkTime();
      List<Candidate> next = new ArrayList<>();
      for (Beginning before : kept) {
        for (int t = 0; t < costs.classes; t++) {
          if (before.used[t] == costs.capacity[t] || !ends.passes(t, before.cut)) {
            continue;
          }
          int last = -1;
          double taken = before.value + weights.gain(t);
          for (int pass = 0; pass < ends.passes(); pass++) {
            int to = ends.farthest(t)[before.cut * ends.passes() + pass];
            if (to >= 0 && to != last) {
              var candidate = new Candidate(before, t, to, taken, 0, taken + weights.behind(to));
              if (to == costs.layers) {
                return candidate.beginning().split();
              }
              next.add(candidate);
              last = to;
            }
          }
        }
      }
      kept = best(next, width);
    }
    return null;
  }

  /** Returns a split of a small latency, or null if none was found. */
  @Nullable Split searchLeast(PricedLayers priced, int width) {
    List<Beginning> kept = List.of(nothing());
    Candidate best = null;
    for (int stage = 1; stage <= stagesMax && !kept.isEmpty(); stage++) {
      settings.checkTime();
      List<Candidate> next = new ArrayList<>();
      for (Beginning before : kept) {
        int from = before.cut;
        int link = from == 0 ? 0 : costs.bandwidthOf[before.hostClass];
        for (int t = 0; t < costs.classes; t++) {
          if (before.used[t] == costs.capacity[t]) {
            continue;
          }
          double start = before.value + costs.transferSeconds(from, link, t);
          double paid = before.paid + priced.price(t);
          for (int to = costs.firstEnd(t, from); to <= costs.lastEnd(t, from); to++) {
            if (!costs.fits(t, from, to)) {
              continue;
            }
            double value = start + costs.seconds(t, from, to);
            if (best != null && value >= best.value) {
              break;
            }
            double score = value + paid + priced.behind(to, costs.bandwidthOf[t]);
            if (score < Double.POSITIVE_INFINITY) {
              var candidate = new Candidate(before, t, to, value, paid, score);
              if (to == costs.layers) {
                best = candidate;
              } else {
                next.add(candidate);
              }
            }
          }
        }
      }
      kept = best(next, width);
    }
    return best == null ? null : best.beginning().split();
  }

  private Beginning nothing() {
    return new Beginning(null, -1, 0, new int[costs.classes], 0, 0);
  }

  /** Those of the lowest scores; of equal hosts, cuts and bandwidths the first. */
  private List<Beginning> best(List<Candidate> next, int width) {
    double[] scores = next.stream().mapToDouble(Candidate::score).sorted().toArray();
    List<Beginning> best = new ArrayList<>();
    if (next.isEmpty()) {
      return best;
    }
    Set<List<Integer>> seen = new HashSet<>();
    // equal beginnings are met once for each order of their hosts
    double bound = scores[Math.min(scores.length - 1, 4 * width)];
    double from = Double.NEGATIVE_INFINITY;
    double to = scores[Math.min(scores.length, width) - 1];
    while (best.size() < Math.min(next.size(), width) && from < bound) {
      for (Candidate candidate : next) {
        if (candidate.score > from && candidate.score <= to && best.size() < width) {
          Beginning beginning = candidate.beginning();
          List<Integer> key = new ArrayList<>(costs.classes + 2); // a stream takes longer
          for (int used : beginning.used) {
            key.add(used);
          }
          key.add(beginning.cut);
          key.add(costs.bandwidthOf[beginning.hostClass]);
          if (seen.add(key)) {
            best.add(beginning);
          }
        }
      }
      from = to;
      to = bound;
    }
    return best;
  }

  /**
   * The first stages of a split.
   *
   * @param hostClass class of the last host
   * @param value weight that its hosts can take, or its latency
   * @param paid prices of its hosts
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Beginning(
      @Nullable Beginning before, int hostClass, int cut, int[] used, double value, double paid) {
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

  /** A beginning with one more stage, of which few are kept. */
  private record Candidate(
      Beginning before, int hostClass, int cut, double value, double paid, double score) {
    Beginning beginning() {
      int[] used = before.used.clone();
      used[hostClass]++;
      return new Beginning(before, hostClass, cut, used, value, paid);
    }
  }
}
