package dev.sluice.analytics.statistic;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Numbers of which exact ranks are asked: the smallest, the hundredth smallest. Nothing is sorted
 * for one rank: with each walk over all numbers, {@value #DIGIT} more bits of it are known, until
 * few numbers begin with them. A bag of equal numbers takes no room, and no walk.
 */
public final class LongBag {
  private static final int DIGIT = 12;
  private static final int SORTED_MAX = 1 << 11;
  private static final int GATHERED_MAX = 1 << 15;
  private static final int SORTED_AT_ONCE = 1 << 22;

  /** The numbers behind the first ones that are alike. */
  private final LongColumn numbers;

  private int alike;
  private long first;
  private long last;
  private long least = Long.MAX_VALUE;
  private long most = Long.MIN_VALUE;
  private boolean rises = true;

  /** Takes numbers, each as often as it occurs. */
  public interface Runs {
    void take(long number, long times);
  }

  /** An empty bag. */
  public LongBag(Space space) {
    numbers = new LongColumn(space, 0);
  }

  public void add(long number) {
    if (number == first && alike > 0 && numbers.size() == 0) {
      alike++;
    } else {
      addOther(number);
    }
  }

  private void addOther(long number) {
    if (alike == 0) {
      alike = 1;
      first = number;
    } else {
      numbers.add(number);
      rises &= number >= last;
    }
    last = number;
    if (number < least) {
      least = number;
    }
    if (number > most) {
      most = number;
    }
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
    return alike + numbers.size();
  }

  /** Gives the room back; the bag is empty then. */
  public void clear() {
    numbers.clear();
    alike = 0;
    least = Long.MAX_VALUE;
    most = Long.MIN_VALUE;
    rises = true;
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
    if (ranks.length == 0) {
      return ranks;
    }
    if (least == most) {
      long only = withoutSigns ? withoutSign(least) : least;
      return Arrays.stream(ranks).map(rank -> only).toArray();
    }
    if (count <= SORTED_MAX) {
      return sorted(bags, withoutSigns, (int) count, ranks);
    }
    if (!withoutSigns) {
      return new Selection(bags, false, least, most, ranks).numbers();
    }
    long farthest = Math.max(withoutSign(least), withoutSign(most));
    return new Selection(bags, true, 0, farthest, ranks).numbers();
  }

  private static long[] sorted(List<LongBag> bags, boolean withoutSigns, int count, long[] ranks) {
    var all = new long[count];
    int size = 0;
    for (LongBag bag : bags) {
      for (int i = 0; i < bag.size(); i++) {
        long number = i < bag.alike ? bag.first : bag.numbers.get(i - bag.alike);
        all[size++] = withoutSigns ? withoutSign(number) : number;
      }
    }
    Arrays.sort(all);
    return Arrays.stream(ranks).map(rank -> all[(int) rank - 1]).toArray();
  }

  /** Finds the distances from the least number, as numbers without a sign, digit by digit. */
  private static final class Selection {
    private final List<LongBag> bags;
    private final boolean withoutSigns;
    private final long least;

    /** Last bits of the distances that are not known. */
    private int bitsLeft;

    /** For each rank the bits of its distance before these. */
    private final long[] known;

    /** For each rank its rank among the numbers that have the known bits, and their number. */
    private final long[] ranksLeft;

    private final long[] counted;
    private final long[] room = new long[Space.PIECE];

    Selection(List<LongBag> bags, boolean withoutSigns, long least, long most, long[] ranks) {
      this.bags = bags;
      this.withoutSigns = withoutSigns;
      this.least = least;
      bitsLeft = Long.SIZE - Long.numberOfLeadingZeros(most - least);
      known = new long[ranks.length];
      ranksLeft = ranks.clone();
      counted = new long[ranks.length];
      Arrays.fill(counted, Long.MAX_VALUE);
    }

    long[] numbers() {
      while (bitsLeft > 0 && Arrays.stream(counted).anyMatch(count -> count > GATHERED_MAX)) {
        learnDigit();
      }
      if (bitsLeft > 0) {
        learnRest();
      }
      for (int i = 0; i < known.length; i++) {
        known[i] += least;
      }
      return known;
    }

    private void learnDigit() {
      int shift = Math.max(0, bitsLeft - DIGIT);
      var counts = new int[known.length][];
      for (int i = 0; i < known.length; i++) {
        int same = placeOf(known[i]);
        counts[i] = same < i ? counts[same] : countDigits(known[i], shift);
      }
      for (int i = 0; i < known.length; i++) {
        int at = 0;
        while (ranksLeft[i] > counts[i][at]) {
          ranksLeft[i] -= counts[i][at++];
        }
        known[i] = known[i] << (bitsLeft - shift) | at;
        counted[i] = counts[i][at];
      }
      bitsLeft = shift;
    }

    /** The first rank with some known bits. */
    private int placeOf(long head) {
      int place = 0;
      while (known[place] != head) {
        place++;
      }
      return place;
    }

    /** Counts the numbers with some known bits by the next ones. */
    private int[] countDigits(long head, int shift) {
      var counts = new int[1 << (bitsLeft - shift)];
      for (LongBag bag : bags) {
        long distance = distance(bag.first);
        if (bag.alike > 0 && head(distance) == head) {
          counts[(int) (distance >>> shift) & (counts.length - 1)] += bag.alike;
        }
        for (int piece = 0; piece < bag.numbers.pieces(); piece++) {
          long[] values = bag.numbers.piece(piece, room);
          countDigits(values, bag.numbers.rowsOf(piece), head, shift, counts);
        }
      }
      return counts;
    }

    private void countDigits(long[] values, int size, long head, int shift, int[] counts) {
      int mask = counts.length - 1;
      for (int i = 0; i < size; i++) {
        long distance = distance(values[i]);
        if (head(distance) == head) {
          counts[(int) (distance >>> shift) & mask]++;
        }
      }
    }

    private long distance(long number) {
      return (withoutSigns ? withoutSign(number) : number) - least;
    }

    /** The bits before those that are not known. */
    private long head(long distance) {
      return bitsLeft == Long.SIZE ? 0 : distance >>> bitsLeft;
    }

    /** Sorts the few numbers that have the known bits of each rank. */
    private void learnRest() {
      var few = new long[known.length][];
      var sizes = new int[known.length];
      Arrays.setAll(few, i -> new long[(int) counted[i]]);
      for (LongBag bag : bags) {
        gather(distance(bag.first), bag.alike, few, sizes);
        for (int piece = 0; piece < bag.numbers.pieces(); piece++) {
          gather(bag.numbers.piece(piece, room), bag.numbers.rowsOf(piece), few, sizes);
        }
      }
      for (int i = 0; i < known.length; i++) {
        Arrays.sort(few[i]);
        known[i] = few[i][(int) ranksLeft[i] - 1];
      }
    }

    private void gather(long[] values, int size, long[][] few, int[] sizes) {
      for (int row = 0; row < size; row++) {
        long distance = distance(values[row]);
        long head = head(distance);
        for (int i = 0; i < few.length; i++) {
          if (known[i] == head) {
            few[i][sizes[i]++] = distance;
          }
        }
      }
    }

    private void gather(long distance, int times, long[][] few, int[] sizes) {
      long head = head(distance);
      for (int i = 0; i < known.length; i++) {
        if (known[i] == head) {
          for (int j = 0; j < times; j++) {
            few[i][sizes[i]++] = distance;
          }
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
    sortedRuns(
        bags,
        (number, times) -> {
          for (long i = 0; i < times; i++) {
            taker.accept(number);
          }
        });
  }

  /** Hands over all numbers of some bags, rising; equal ones may come in several runs. */
  public static void sortedRuns(List<LongBag> bags, Runs taker) {
    long size = 0;
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (LongBag bag : bags) {
      size += bag.size();
      least = Math.min(least, bag.least);
      most = Math.max(most, bag.most);
    }
    if (least == most) {
      taker.take(least, size);
      return;
    }
    if (bags.size() == 1 && bags.get(0).rises) {
      bags.get(0).inOrder(taker);
      return;
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

  private void inOrder(Runs taker) {
    taker.take(first, alike);
    var room = new long[Space.PIECE];
    for (int piece = 0; piece < numbers.pieces(); piece++) {
      long[] values = numbers.piece(piece, room);
      int rows = numbers.rowsOf(piece);
      for (int row = 0; row < rows; row++) {
        taker.take(values[row], 1);
      }
    }
  }

  /**
   * Hands over the numbers from one to another, rising, and returns how many they are.
   *
   * @param room at least the number of those that are not the last one
   */
  private static long within(List<LongBag> bags, int room, long from, long to, Runs taker) {
    var some = new long[room];
    var readTo = new long[Space.PIECE];
    int count = 0;
    long ofTo = 0; // a number may occur any number of times
    for (LongBag bag : bags) {
      if (bag.alike > 0 && bag.first == to) {
        ofTo += bag.alike;
      } else if (bag.alike > 0 && from <= bag.first && bag.first < to) {
        Arrays.fill(some, count, count + bag.alike, bag.first);
        count += bag.alike;
      }
      for (int piece = 0; piece < bag.numbers.pieces(); piece++) {
        long[] values = bag.numbers.piece(piece, readTo);
        int rows = bag.numbers.rowsOf(piece);
        count = copyWithin(values, rows, from, to, some, count);
        ofTo += countOf(to, values, rows);
      }
    }
    Arrays.sort(some, 0, count);
    for (int i = 0; i < count; i++) {
      taker.take(some[i], 1);
    }
    taker.take(to, ofTo);
    return count + ofTo;
  }

  /** Copies the numbers from one to before another, and returns the place behind them. */
  private static int copyWithin(
      long[] values, int rows, long from, long to, long[] some, int count) {
    int at = count;
    for (int row = 0; row < rows; row++) {
      long number = values[row];
      if (from <= number && number < to) {
        some[at++] = number;
      }
    }
    return at;
  }

  private static long countOf(long number, long[] values, int rows) {
    long count = 0;
    for (int row = 0; row < rows; row++) {
      count += values[row] == number ? 1 : 0;
    }
    return count;
  }
}
