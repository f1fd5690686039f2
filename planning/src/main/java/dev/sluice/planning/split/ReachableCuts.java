package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exact search within a limit: of each count vector, all cuts that exactly its hosts reach, as
 * bits. Cuts behind which the hosts left cannot finish are dropped.
 */
final class ReachableCuts {
  private final StageCosts costs;
  private final CountVectors vectors;
  private final SearchSettings settings;

  /** Sets of all vectors, one behind the other, each without empty words around it. */
  private long[] words = new long[1 << 12];

  /** Place of each vector's set; it ends where that of the next one begins. */
  private final int[] at;

  /** Number of the first word of each vector's set. */
  private final short[] firstWord;

  private int fewestHosts;
  private int end;

  ReachableCuts(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    this.costs = costs;
    this.vectors = vectors;
    this.settings = settings;
    at = new int[(int) vectors.size() + 1];
    firstWord = new short[(int) vectors.size()];
  }

  /**
   * Returns a split within the limit and with at most hostsMax hosts; null proves that there is
   * none.
   */
  @Nullable Split search(StageEnds ends, List<LayerWeights> weights, int hostsMax) {
    fill(ends, weights, hostsMax, true);
    return end < 0 ? null : split(ends);
  }

  /**
   * Keeps all cuts that are reached with as few hosts as a split needs, or fewer.
   *
   * @param hostsMax as many as a known split has, or more
   * @return the fewest hosts of a split
   */
  int fillFewest(StageEnds ends, List<LayerWeights> weights, int hostsMax) {
    fill(ends, weights, hostsMax, false);
    return fewestHosts;
  }

  long[] words() {
    return words;
  }

  int at(int vector) {
    return at[vector];
  }

  int firstWord(int vector) {
    return firstWord[vector];
  }

  private void fill(StageEnds ends, List<LayerWeights> weights, int hostsMax, boolean any) {
    int layers = costs.layers;
    int classes = costs.classes;
    int states = (int) vectors.size();
    int[] used = new int[classes];
    int[][] firstFrom = firstFrom(ends);
    long[] set = new long[costs.words];
    words[0] = 1;
    at[0] = 0;
    at[1] = 1;
    firstWord[0] = 0;
    int size = 1;
    int hosts = 0;
    fewestHosts = hostsMax;
    end = -1;
    for (int index = 1; index < states; index++) {
      if ((index & 0xff) == 0) {
        settings.checkTime();
      }
      hosts += vectors.next(used);
      at[index + 1] = size;
      if (hosts > fewestHosts) {
        continue;
      }
      int earliest = 1;
      for (int w = 0; w < weights.size(); w++) {
        earliest = Math.max(earliest, weights.get(w).earliestCut(used, fewestHosts - hosts));
      }
      int low = costs.words;
      int high = -1;
      for (int t = 0; t < classes; t++) {
        if (used[t] == 0) {
          continue;
        }
        int before = index - vectors.stride(t);
        int from = firstFrom[t][earliest];
        int word = Math.max(firstWord[before], from >> 6);
        int place = at[before] + word - firstWord[before];
        long mask = word == from >> 6 ? -1L << from : -1L;
        long[] passing = ends.passing[t];
        long[] rows = ends.rows(t);
        int[] rowAt = ends.rowAt(t);
        for (; place < at[before + 1]; place++, word++, mask = -1L) {
          long cuts = words[place] & passing[word] & mask;
          while (cuts != 0) {
            int cut = (word << 6) + Long.numberOfTrailingZeros(cuts);
            cuts &= cuts - 1;
            int to = Math.max(word, earliest >> 6);
            int row = rowAt[cut] + to - word;
            int rowEnd = rowAt[cut + 1];
            if (row < rowEnd) {
              low = Math.min(low, to);
              high = Math.max(high, to + rowEnd - row - 1);
              for (; row < rowEnd; row++, to++) {
                set[to] |= rows[row];
              }
            }
          }
        }
      }
      if (high < 0) {
        continue;
      }
      if (low == earliest >> 6) {
        set[low] &= -1L << earliest;
      }
      while (low <= high && set[low] == 0) {
        low++;
      }
      if (high == layers >> 6 && (set[high] >>> layers & 1) != 0) {
        fewestHosts = hosts;
        end = index;
      }
      if (size + high - low + 1 > words.length) {
        words = Arrays.copyOf(words, 2 * words.length + costs.words);
      }
      firstWord[index] = (short) low;
      while (low <= high && set[high] == 0) {
        high--;
      }
      for (int word = low; word <= high; word++) {
        words[size++] = set[word];
      }
      Arrays.fill(set, 0);
      at[index + 1] = size;
      if (end >= 0 && any) {
        return;
      }
    }
  }

  /** The first cuts from which a stage's compute time may reach each cut, by class. */
  private int[][] firstFrom(StageEnds ends) {
    int[][] first = new int[costs.classes][costs.layers + 2];
    for (int t = 0; t < costs.classes; t++) {
      int from = 0;
      for (int to = 1; to <= costs.layers; to++) {
        while (from < costs.layers && ends.computeEnd(t, from) < to) {
          from++;
        }
        first[t][to] = from;
      }
      first[t][costs.layers + 1] = costs.layers;
    }
    return first;
  }

  private Split split(StageEnds ends) {
    List<Integer> classesBack = new ArrayList<>();
    List<Integer> endsBack = new ArrayList<>();
    int index = end;
    int to = costs.layers;
    while (index > 0) {
      int[] used = vectors.at(index);
      int t = -1;
      int from = -1;
      while (from < 0) {
        t++;
        from = used[t] == 0 ? -1 : from(ends, t, index - vectors.stride(t), to);
      }
      classesBack.add(t);
      endsBack.add(to);
      index -= vectors.stride(t);
      to = from;
    }
    Collections.reverse(classesBack);
    Collections.reverse(endsBack);
    return new Split(classesBack, endsBack);
  }

  /**
   * Returns a cut of the vector from which a stage of the class may end at the cut; -1 for none.
   */
  private int from(StageEnds ends, int hostClass, int before, int to) {
    for (int place = at[before]; place < at[before + 1]; place++) {
      int word = firstWord[before] + place - at[before];
      for (long cuts = words[place]; cuts != 0; cuts &= cuts - 1) {
        int cut = (word << 6) + Long.numberOfTrailingZeros(cuts);
        if (cut < to && ends.allows(hostClass, cut, to)) {
          return cut;
        }
      }
    }
    return -1;
  }
}
