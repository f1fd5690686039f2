package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quick search within a limit, which keeps of each count vector the farthest cut alone, for each
 * set of cuts that the next host's bandwidth carries. What it finds is a plan; where it finds
 * nothing, there may be one: a longer stage may fit where a shorter one does not, and a farther cut
 * may be one that fewer hosts can go on from.
 */
final class FarthestCuts {
  private final StageCosts costs;
  private final CountVectors vectors;
  private final SearchSettings settings;

  /** Farthest cuts by vector and pass; -1 where there is none. */
  private int[] farthest = new int[0];

  FarthestCuts(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    this.costs = costs;
    this.vectors = vectors;
    this.settings = settings;
  }

  /** Returns a split within the limit, or null if none was found. */
  @Nullable Split search(StageEnds ends, List<LayerWeights> weights) {
    int passes = ends.passes();
    int states = (int) vectors.size();
    if (farthest.length < states * passes) {
      farthest = new int[states * passes];
    }
    int layers = costs.layers;
    int classes = costs.classes;
    int[] used = new int[classes];
    int hosts = 0;
    int fewest = Math.min(settings.hostsMax(), Integer.MAX_VALUE - 1) + 1;
    int end = -1;
    for (int pass = 0; pass < passes; pass++) {
      farthest[pass] = 0;
    }
    for (int index = 1; index < states; index++) {
      if ((index & 0xfff) == 0) {
        settings.checkTime();
      }
      hosts += vectors.next(used);
      int at = index * passes;
      for (int pass = 0; pass < passes; pass++) {
        farthest[at + pass] = -1;
      }
      if (hosts >= fewest) {
        continue;
      }
      boolean reached = false;
      for (int t = 0; t < classes; t++) {
        if (used[t] > 0) {
          int from = farthest[at - vectors.stride(t) * passes + ends.passOf[t]];
          if (from >= 0) {
            int[] ofClass = ends.farthest(t);
            for (int pass = 0; pass < passes; pass++) {
              int to = ofClass[from * passes + pass];
              if (to > farthest[at + pass]) {
                farthest[at + pass] = to;
                reached = true;
              }
            }
          }
        }
      }
      if (!reached) {
        continue;
      }
      if (farthest[at] == layers) {
        fewest = hosts;
        end = index;
      }
      int earliest = 0;
      for (int w = 0; w < weights.size(); w++) {
        earliest =
            Math.max(earliest, weights.get(w).earliestCut(used, settings.hostsMax() - hosts));
      }
      for (int pass = 0; pass < passes; pass++) {
        // nothing follows the last cut
        if (farthest[at + pass] < earliest || farthest[at + pass] == layers) {
          farthest[at + pass] = index == end ? layers : -1;
        }
      }
    }
    return end < 0 ? null : split(ends, end);
  }

  private Split split(StageEnds ends, int last) {
    int passes = ends.passes();
    List<Integer> classesBack = new ArrayList<>();
    List<Integer> endsBack = new ArrayList<>();
    int index = last;
    int pass = 0;
    while (index > 0) {
      int to = farthest[index * passes + pass];
      int[] used = vectors.at(index);
      int t = -1;
      int from;
      do {
        t++;
        from = used[t] == 0 ? -1 : farthest[(index - vectors.stride(t)) * passes + ends.passOf[t]];
      } while (from < 0 || ends.farthest(t)[from * passes + pass] != to);
      classesBack.add(t);
      endsBack.add(to);
      index -= vectors.stride(t);
      pass = ends.passOf[t];
    }
    Collections.reverse(classesBack);
    Collections.reverse(endsBack);
    return new Split(classesBack, endsBack);
  }
}
