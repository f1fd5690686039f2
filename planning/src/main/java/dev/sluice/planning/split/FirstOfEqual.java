package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The first of all splits within a limit: by hosts, then by bytes sent, then by (type's place, last
 * layer) stage by stage. From the last count vectors to the first it keeps the cuts that finish
 * with the fewest hosts, and the fewest bytes that they send; then it follows the first stages of
 * those.
 */
final class FirstOfEqual {
  private final StageCosts costs;
  private final CountVectors vectors;
  private final SearchSettings settings;
  private final StageEnds ends;
  private final ReachableCuts cuts;

  /** Bytes sent behind each cut that finishes, by vector, in the order of cuts. */
  private long[] bytes = new long[1 << 12];

  private int size;

  /** Place of each vector's first bytes; -1 if none of its cuts finishes. */
  private final int[] bytesAt;

  FirstOfEqual(
      StageCosts costs,
      CountVectors vectors,
      SearchSettings settings,
      StageEnds ends,
      ReachableCuts cuts) {
    this.costs = costs;
    this.vectors = vectors;
    this.settings = settings;
    this.ends = ends;
    this.cuts = cuts;
    bytesAt = new int[(int) vectors.size()];
  }

  /**
   * Returns the first split.
   *
   * @param fewestHosts those of a split; the cuts that they and fewer reach are filled
   */
  Split find(int fewestHosts) {
    int classes = costs.classes;
    int states = (int) vectors.size();
    int[] used = vectors.at(states - 1);
    int hosts = Arrays.stream(used).sum();
    long[] words = cuts.words();
    for (int index = states - 1; index >= 0; index--) {
      if ((index & 0xff) == 0) {
        settings.checkTime();
      }
      bytesAt[index] = size;
      int begin = cuts.at(index);
      int end = cuts.at(index + 1);
      if (hosts == fewestHosts) {
        keepTheLast(index, words);
      } else if (hosts < fewestHosts && end > begin && mayFinish(index, used)) {
        for (int place = begin; place < end; place++) {
          int word = cuts.firstWord(index) + place - begin;
          long finishing = 0;
          for (long left = words[place]; left != 0; left &= left - 1) {
            int bit = Long.numberOfTrailingZeros(left);
            long fewest = Long.MAX_VALUE;
            for (int t = 0; t < classes; t++) {
              if (used[t] < vectors.capacity(t) && (words[place] >>> bit & 1) != 0) {
                fewest =
                    Math.min(fewest, fewestBytes(t, (word << 6) + bit, index + vectors.stride(t)));
              }
            }
            if (fewest < Long.MAX_VALUE) {
              finishing |= 1L << bit;
              add(fewest);
            }
          }
          words[place] = finishing;
        }
      }
      if (size == bytesAt[index]) {
        bytesAt[index] = -1;
      }
      hosts += vectors.previous(used);
    }
    return first(fewestHosts);
  }

  /** Returns whether a further host leads to a vector with cuts that finish. */
  private boolean mayFinish(int index, int[] used) {
    for (int t = 0; t < costs.classes; t++) {
      if (used[t] < vectors.capacity(t) && bytesAt[index + vectors.stride(t)] >= 0) {
        return true;
      }
    }
    return false;
  }

  private void keepTheLast(int index, long[] words) {
    int layers = costs.layers;
    int begin = cuts.at(index);
    int end = cuts.at(index + 1);
    long last = 0;
    if (end > begin && cuts.firstWord(index) + end - 1 - begin == layers >> 6) {
      last = words[end - 1] & 1L << layers;
    }
    Arrays.fill(words, begin, end, 0);
    if (last != 0) {
      words[end - 1] = last;
      add(0);
    }
  }

  private void add(long value) {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * size);
    }
    bytes[size++] = value;
  }

  /** Returns the fewest bytes of a stage of the class from the cut, and of all behind it. */
  private long fewestBytes(int hostClass, int cut, int after) {
    int begin = cuts.at(after);
    int end = cuts.at(after + 1);
    int row = ends.rowAt(hostClass)[cut];
    int rowEnd = ends.rowAt(hostClass)[cut + 1];
    if (bytesAt[after] < 0 || row == rowEnd) {
      return Long.MAX_VALUE;
    }
    long[] words = cuts.words();
    long[] rows = ends.rows(hostClass);
    int rowWord = cut >> 6;
    int word = cuts.firstWord(after);
    int at = bytesAt[after];
    long fewest = Long.MAX_VALUE;
    for (int place = begin; place < end; place++, word++) {
      long finishing = words[place];
      int inRow = row + word - rowWord;
      if (inRow >= rowEnd) {
        break;
      }
      if (inRow >= row) {
        for (long ok = finishing & rows[inRow]; ok != 0; ok &= ok - 1) {
          int bit = Long.numberOfTrailingZeros(ok);
          long behind = bytes[at + Long.bitCount(finishing & ((1L << bit) - 1))];
          fewest = Math.min(fewest, sent((word << 6) + bit) + behind);
        }
      }
      at += Long.bitCount(finishing);
    }
    return fewest;
  }

  private long sent(int cut) {
    return cut == costs.layers ? 0 : costs.cutBytes[cut];
  }

  private Split first(int stages) {
    List<Integer> splitClasses = new ArrayList<>();
    List<Integer> splitEnds = new ArrayList<>();
    int[] used = new int[costs.classes];
    int index = 0;
    int cut = 0;
    long left = bytes[bytesAt[0]];
    for (int stage = 0; stage < stages; stage++) {
      int best = -1;
      int bestEnd = -1;
      for (int t = 0; t < costs.classes; t++) {
        if (used[t] < vectors.capacity(t)
            && (best < 0 || costs.typeOf(t, used[t]) < costs.typeOf(best, used[best]))) {
          int to = firstEnd(t, cut, index + vectors.stride(t), left);
          if (to >= 0) {
            best = t;
            bestEnd = to;
          }
        }
      }
      splitClasses.add(best);
      splitEnds.add(bestEnd);
      used[best]++;
      index += vectors.stride(best);
      cut = bestEnd;
      left -= sent(cut);
    }
    return new Split(splitClasses, splitEnds);
  }

  /** Returns the first end of a stage behind which all sends just the bytes left; -1 for none. */
  private int firstEnd(int hostClass, int cut, int after, long left) {
    int at = bytesAt[after];
    for (int place = cuts.at(after); at >= 0 && place < cuts.at(after + 1); place++) {
      int word = cuts.firstWord(after) + place - cuts.at(after);
      for (long ok = cuts.words()[place]; ok != 0; ok &= ok - 1) {
        int to = (word << 6) + Long.numberOfTrailingZeros(ok);
        if (to > cut && ends.allows(hostClass, cut, to) && sent(to) + bytes[at] == left) {
          return to;
        }
        at++;
      }
    }
    return -1;
  }
}
