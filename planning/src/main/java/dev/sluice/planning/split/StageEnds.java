package dev.sluice.planning.split;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Stages whose compute time and whose transfers at both ends are at most a limit, and which fit.
 *
 * <p>A cut passes a class if its bandwidth carries the cut within the limit. A link passes where
 * both of its classes pass, so that a stage asks only for its own bandwidth at both ends, and the
 * next class is no part of a search's state.
 */
final class StageEnds {
  private final StageCosts costs;

  /** Sets of the cuts that pass, each once. */
  private final List<BitSet> passing = new ArrayList<>();

  /** Number of its set of passing cuts, by class. */
  final int[] passOf;

  /** Last cuts by compute time alone, by class and first cut. */
  private final int[][] computeEnd;

  /** Farthest last cuts of stages, by class and first cut, and by the set the cut must pass. */
  private final int[][] farthest;

  StageEnds(StageCosts costs) {
    this.costs = costs;
    passOf = new int[costs.classes];
    computeEnd = new int[costs.classes][costs.layers];
    farthest = new int[costs.classes][];
  }

  void limitTo(double seconds) {
    passing.clear();
    for (int t = 0; t < costs.classes; t++) {
      BitSet passes = new BitSet(costs.layers + 1);
      passes.set(0);
      passes.set(costs.layers);
      for (int cut = 1; cut < costs.layers; cut++) {
        passes.set(
            cut,
            costs.bitsPerSecond[t] > 0
                && costs.transferSeconds(cut, costs.bandwidthOf[t], t) <= seconds);
      }
      if (!passing.contains(passes)) {
        passing.add(passes);
      }
      passOf[t] = passing.indexOf(passes);
      int end = 0;
      for (int from = 0; from < costs.layers; from++) {
        end = Math.max(end, from);
        while (end < costs.layers && costs.seconds(t, from, end + 1) <= seconds) {
          end++;
        }
        computeEnd[t][from] = end;
      }
    }
    int count = passing.size();
    for (int t = 0; t < costs.classes; t++) {
      farthest[t] = new int[costs.layers * count];
      for (int from = 0; from < costs.layers; from++) {
        for (int pass = 0; pass < count; pass++) {
          farthest[t][from * count + pass] = passes(t, from) ? farthest(t, from, pass) : -1;
        }
      }
    }
  }

  /** Number of different sets of passing cuts. */
  int passes() {
    return passing.size();
  }

  boolean passes(int hostClass, int cut) {
    return passing.get(passOf[hostClass]).get(cut);
  }

  /** The farthest last cut of a stage, by first cut times passes plus pass; -1 for none. */
  int[] farthest(int hostClass) {
    return farthest[hostClass];
  }

  /** The farthest last cut of a stage that begins at the cut; -1 for none. */
  int farthest(int hostClass, int from) {
    return farthest[hostClass][from * passes() + passOf[hostClass]];
  }

  private int farthest(int t, int from, int pass) {
    int to = Math.min(computeEnd[t][from], costs.lastEnd(t, from));
    while (to > from && !(passes(t, to) && passing.get(pass).get(to) && costs.fits(t, from, to))) {
      to--;
    }
    return to > from ? to : -1;
  }
}
