package dev.sluice.analytics.column;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Numbers of which exact ranks are asked: the smallest, the hundredth smallest. Nothing is sorted
 * for one rank: with each walk over all numbers, {@value #DIGIT} more bits of it are known.
 */
public final class LongBag {
  private static final int DIGIT = 12;
  private static final int SORTED_MAX = 1 << 11;
  private static final int SORTED_AT_ONCE = 1 << 22;

  private final LongColumn numbers;
  private long least = Long.MAX_VALUE;
  private long most = Long.MIN_VALUE;

  /** An empty bag. */
  public LongBag(Space space) {
    numbers = new LongColumn(space, 0);
  }

  public void add(long number) {
    numbers.add(number);
    least = Math.min(least, number);
    most = Math.max(most, number);
  }

  /** Adds a number with a fraction, which {@link #asDouble} gives back; the order is by value. */
  public void add(double number) {
    add(ordered(Double.doubleToLongBits(number)));
  }

  /** The number with a fraction that {@link #add(double)} took. */
  public static double asDouble(long number) {
    return Double.longBitsToDouble(ordered(number));
  }

  /** Bits of which the order as whole numbers is the order of the fractions; its own inverse. */
  private static long ordered(long bits) {
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  /** What {@link #add(double)} keeps of a number's absolute value. */
  private static long withoutSign(long number) {
    return ordered(number) & Long.MAX_VALUE;
  }

  public int size() {
    return numbers.size();
  }

  /** Gives the room back; the bag is empty then. */
  public void clear() {
    numbers.clear();
    least = Long.MAX_VALUE;
    most = Long.MIN_VALUE;
  }

  /**
   * The numbers of some ranks, from 1, within one bag.
   *
   * @throws IndexOutOfBoundsException unless each is from 1 to the size
   */
  public long[] ofRanks(long... ranks) {
    return ofRanks(List.of(this), ranks);
  }

  /**
   * The numbers of some ranks, from 1, within several bags together.
   *
   * @throws IndexOutOfBoundsException unless each is from 1 to the sum of the sizes
   */
  public static long[] ofRanks(List<LongBag> bags, long... ranks) {
    return ofRanks(bags, false, ranks);
  }

  /** As {@link #ofRanks(List, long...)}, of numbers with a fraction without their signs. */
  public static long[] ofRanksWithoutSigns(List<LongBag> bags, long... ranks) {
    return ofRanks(bags, true, ranks);
  }

  private static long[] ofRanks(List<LongBag> bags, boolean withoutSigns, long... ranks) {
    long count = 0;
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (LongBag bag : bags) {
      count += bag.size();
      least = Math.min(least, bag.least);
      most = Math.max(most, bag.most);
    }
    for (long rank : ranks) {
      if (rank < 1 || rank > count) {
        throw new IndexOutOfBoundsException("rank " + rank + " of " + count);
      }
    }
    if (count <= SORTED_MAX) {
      return sorted(bags, withoutSigns, (int) count, ranks);
    }
    if (!withoutSigns) {
      return walked(bags, false, least, most, ranks);
    }
    long farthest = Math.max(withoutSign(least), withoutSign(most));
    return walked(bags, true, 0, farthest, ranks);
  }

  private static long[] sorted(List<LongBag> bags, boolean withoutSigns, int count, long[] ranks) {
    var all = new long[count];
    int size = 0;
    for (LongBag bag : bags) {
      for (int i = 0; i < bag.size(); i++) {
        long number = bag.numbers.get(i);
        all[size++] = withoutSigns ? withoutSign(number) : number;
      }
    }
    Arrays.sort(all);
    return Arrays.stream(ranks).map(rank -> all[(int) rank - 1]).toArray();
  }

  /** Finds the distances from the least number, as numbers without a sign, digit by digit. */
  private static long[] walked(
      List<LongBag> bags, boolean withoutSigns, long least, long most, long[] ranks) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    int digits = (bits + DIGIT - 1) / DIGIT;
    var known = new long[ranks.length];
    long[] left = ranks.clone();
    for (int digit = digits - 1; digit >= 0; digit--) {
      int shift = digit * DIGIT;
      var counts = new int[ranks.length][1 << DIGIT];
      for (LongBag bag : bags) {
        count(bag.numbers, withoutSigns, least, shift, known, counts);
      }
      for (int i = 0; i < ranks.length; i++) {
        int at = 0;
        while (left[i] > counts[i][at]) {
          left[i] -= counts[i][at++];
        }
        known[i] = (known[i] << DIGIT) | at;
      }
    }
    for (int i = 0; i < known.length; i++) {
      known[i] += least;
    }
    return known;
  }

  private static void count(
      LongColumn numbers,
      boolean withoutSigns,
      long least,
      int shift,
      long[] known,
      int[][] counts) {
    int mask = (1 << DIGIT) - 1;
    int above = shift + DIGIT;
    for (int row = 0; row < numbers.size(); row++) {
      long number = numbers.get(row);
      long distance = (withoutSigns ? withoutSign(number) : number) - least;
      long head = above >= Long.SIZE ? 0 : distance >>> above;
      int digit = (int) (distance >>> shift) & mask;
      for (int i = 0; i < known.length; i++) {
        if (head == known[i]) {
          counts[i][digit]++;
        }
      }
    }
  }

  /** Hands over all numbers, rising. */
  public void sorted(LongConsumer taker) {
    sorted(List.of(this), taker);
  }

  /** Hands over all numbers of some bags, rising. */
  public static void sorted(List<LongBag> bags, LongConsumer taker) {
    long size = 0;
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (LongBag bag : bags) {
      size += bag.size();
      least = Math.min(least, bag.least);
      most = Math.max(most, bag.most);
    }
    long done = 0;
    long from = least;
    while (done < size) {
      long rankTo = Math.min(size, done + SORTED_AT_ONCE);
      long to = rankTo == size ? most : ofRanks(bags, rankTo)[0];
      done += within(bags, (int) (rankTo - done), from, to, taker);
      from = to + 1;
    }
  }

  /**
   * Hands over the numbers from one to another, rising, and returns how many they are.
   *
   * @param room at least the number of those that are not the last one
   */
  private static long within(List<LongBag> bags, int room, long from, long to, LongConsumer taker) {
    var some = new long[room];
    int count = 0;
    long ofTo = 0; // a number may occur any number of times
    for (LongBag bag : bags) {
      LongColumn numbers = bag.numbers;
      int size = bag.size();
      for (int row = 0; row < size; row++) {
        long number = numbers.get(row);
        if (number == to) {
          ofTo++;
        } else if (from <= number && number < to) {
          some[count++] = number;
        }
      }
    }
    Arrays.sort(some, 0, count);
    for (int i = 0; i < count; i++) {
      taker.accept(some[i]);
    }
    for (long i = 0; i < ofTo; i++) {
      taker.accept(to);
    }
    return count + ofTo;
  }
}
