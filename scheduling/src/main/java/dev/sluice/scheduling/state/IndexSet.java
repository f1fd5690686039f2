package dev.sluice.scheduling.state;

import java.util.Arrays;

/** Small numbers, such as the places of some lanes, with how many there are always known. */
final class IndexSet {
  private long[] words = new long[1];
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  boolean has(int index) {
    int word = index >> 6;
    return word < words.length && (words[word] >>> index & 1) != 0;
  }

  /** Puts an index in, or takes it out. */
  void set(int index, boolean member) {
    int word = index >> 6;
    if (word >= words.length) {
      words = Arrays.copyOf(words, word + 1);
    }
    if ((words[word] >>> index & 1) != 0 != member) {
      words[word] ^= 1L << index;
      size += member ? 1 : -1;
    }
  }

  /** Returns the lowest index in it that is not below the given one; -1: there is none. */
  int next(int from) {
    int word = from >> 6;
    if (word >= words.length) {
      return -1;
    }
    long left = words[word] & -1L << from;
    while (left == 0) {
      if (++word == words.length) {
        return -1;
      }
      left = words[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(left);
  }

  /** Returns whether the set has a number of consecutive indexes, from a first one on. */
  boolean hasAll(int from, int count) {
    for (int index = from; index < from + count; index++) {
      if (!has(index)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the lowest index with which a number of neighbours begins; -1: there is none. */
  int firstOf(int count) {
    int first = next(0);
    for (int last = first; first >= 0 && count > 1; last++) {
      if (!has(last)) {
        first = next(last);
        last = first;
      }
      if (last - first + 1 == count) {
        break;
      }
    }
    return first;
  }
}
