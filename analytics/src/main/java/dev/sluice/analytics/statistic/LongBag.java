package dev.sluice.analytics.statistic;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/** Numbers of which exact ranks are asked: the smallest, the hundredth smallest. */
public final class LongBag {
  private static final int FIRST = 64;

  private long[] numbers = {};
  private int size;

  /** Takes numbers, each as often as it occurs. */
  public interface Runs {
    void take(long number, long times);
  }

  public void add(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(FIRST, size + size / 2));
    }
    numbers[size++] = number;
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

  public int size() {
    return size;
  }

  /** Gives the room back; the bag is empty then. */
  public void clear() {
    numbers = new long[0];
    size = 0;
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
    return ofRanks(bags.size() == 1 ? bags.get(0).numbers : together(bags), size(bags), ranks);
  }

  /** As {@link #ofRanks(List, long...)}, of numbers with a fraction without their signs. */
  public static long[] ofRanksWithoutSigns(List<LongBag> bags, long... ranks) {
    long[] numbers = together(bags);
    Arrays.setAll(numbers, i -> ordered(numbers[i]) & Long.MAX_VALUE);
    return ofRanks(numbers, numbers.length, ranks);
  }

  private static long[] ofRanks(long[] numbers, int size, long[] ranks) {
    var values = new long[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] < 1 || ranks[i] > size) {
        throw new IndexOutOfBoundsException("rank " + ranks[i] + " of " + size);
      }
      values[i] = select(numbers, size, (int) ranks[i] - 1);
    }
    return values;
  }

  /** Finds the number of a place among the sorted ones (C. A. R. Hoare, 1961), and moves others. */
  private static long select(long[] numbers, int size, int place) {
    int from = 0;
    int to = size - 1;
    while (from < to) {
      long pivot = median(numbers[from], numbers[(from + to) >>> 1], numbers[to]);
      int less = from;
      int at = from;
      int more = to;
      while (at <= more) {
        long number = numbers[at];
        if (number < pivot) {
          numbers[at++] = numbers[less];
          numbers[less++] = number;
        } else if (number > pivot) {
          numbers[at] = numbers[more];
          numbers[more--] = number;
        } else {
          at++;
        }
      }
      if (place < less) {
        to = less - 1;
      } else if (place > more) {
        from = more + 1;
      } else {
        return pivot;
      }
    }
    return numbers[from];
  }

  private static long median(long a, long b, long c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  private static int size(List<LongBag> bags) {
    return Math.toIntExact(bags.stream().mapToLong(LongBag::size).sum());
  }

  private static long[] together(List<LongBag> bags) {
    var numbers = new long[size(bags)];
    int at = 0;
    for (LongBag bag : bags) {
      System.arraycopy(bag.numbers, 0, numbers, at, bag.size);
      at += bag.size;
    }
    return numbers;
  }

  /** Hands over all numbers, rising. */
  public void sorted(LongConsumer taker) {
    Arrays.sort(numbers, 0, size);
    for (int i = 0; i < size; i++) {
      taker.accept(numbers[i]);
    }
  }

  /** Hands over all numbers of some bags, rising, each with the times that it occurs. */
  public static void sortedRuns(List<LongBag> bags, Runs taker) {
    int size = size(bags);
    long[] numbers = bags.size() == 1 ? bags.get(0).numbers : together(bags);
    Arrays.sort(numbers, 0, size);
    int from = 0;
    for (int i = 1; i <= size; i++) {
      if (i == size || numbers[i] != numbers[from]) {
        taker.take(numbers[from], i - from);
        from = i;
      }
    }
  }
}
