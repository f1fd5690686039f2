package dev.sluice.analytics.statistic;

import java.util.Arrays;

/** Numbers in no order, of which exact ranks are asked. */
public final class LongBag {
  private static final int FIRST = 64;

  private long[] numbers = {};
  private int size;

  public void add(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(FIRST, 2 * size));
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

  public void addAll(long[] others) {
    numbers = Arrays.copyOf(numbers, Math.max(numbers.length, size + others.length));
    System.arraycopy(others, 0, numbers, size, others.length);
    size += others.length;
  }

  /** The numbers in their order; not to be changed. */
  public long[] sorted() {
    numbers = Arrays.copyOf(numbers, size);
    Arrays.sort(numbers);
    return numbers;
  }
}
