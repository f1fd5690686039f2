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
  private final int classes;
  private final int layers;

  /** Sets of the cuts that pass, each once. */
  private final List<BitSet> passing = new ArrayList<>();

  /** Number of its set of passing cuts, by class. */
  final int[] passOf;

  /** Last cuts by compute time alone, by class and first cut. */
  private final int[][] computeEnd;

  /**
   * Farthest last cuts of stages, by class and first cut, and by the set that the cut must pass.
   */
  private final int[][] farthest;

  StageEnds(StageCosts costs) {
    this.costs = costs;
    classes = costs.classes;
    layers = costs.layers;
    passOf = new int[classes];
    computeEnd = new int[classes][layers];
    farthest = new int[classes][];
  }

  void limitTo(double seconds) {
    passing.clear();
    for (int t = 0; t < classes; t++) {
      BitSet passes = new BitSet(layers + 1);
      passes.set(0);
      passes.set(layers);
      for (int cut = 1; cut < layers; cut++) {
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
      for (int from = 0; from < layers; from++) {
        end = Math.max(end, from);
        while (end < layers && costs.seconds(t, from, end + 1) <= seconds) {
          end++;
        }
        computeEnd[t][from] = end;
      }
    }
    int count = passing.size();
    for (int t = 0; t < classes; t++) {
      farthest[t] = new int[layers * count];
      for (int from = 0; from < layers; from++) {
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
