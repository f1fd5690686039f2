package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks among numbers on the heap and in a file are those of the sorted numbers. */
final class LongBagTest {
  private static final long ON_HEAP = 1 << 30;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 5_000, 200_000})
  void knowsTheNumberOfEachRank(int count) {
    for (long heapBytes : new long[] {0, ON_HEAP}) {
      var space = new Space(heapBytes);
      var random = new Random(count);
      List<LongBag> bags = List.of(new LongBag(space), new LongBag(space));
      var numbers = new long[count];
      for (int i = 0; i < count; i++) {
        numbers[i] = random.nextLong() >> random.nextInt(60);
        bags.get(i % 2).add(numbers[i]);
      }
      Arrays.sort(numbers);
      assertThat(space.fileBytes() > 0).isEqualTo(heapBytes == 0 && count > 2);
      for (int rank : new int[] {1, (count + 1) / 2, count}) {
        assertThat(LongBag.ofRanks(bags, rank)).containsExactly(numbers[rank - 1]);
      }
      LongStream.Builder sorted = LongStream.builder();
      LongBag.sorted(bags, sorted::add);
      assertThat(sorted.build().toArray()).isEqualTo(numbers);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 5_000, 100_000})
  void knowsRanks_whereManyAreAlikeOrInOrder(int count) {
    for (int distinct : new int[] {1, 2, 50, 10_000_000}) {
      for (boolean rises : new boolean[] {false, true}) {
        var random = new Random(count + distinct);
        long[] numbers = random.longs(count, -distinct / 2, (distinct + 1) / 2).toArray();
        if (rises) {
          Arrays.sort(numbers);
        }
        var bag = new LongBag(new Space());
        Arrays.stream(numbers).forEach(bag::add);
        var bags = List.of(bag, new LongBag(new Space()));
        Arrays.sort(numbers);
        long[] ranks = {1, (count + 1) / 2, (99L * count + 99) / 100, count};
        assertThat(LongBag.ofRanks(bags, ranks))
            .containsExactly(Arrays.stream(ranks).map(rank -> numbers[(int) rank - 1]).toArray());
        LongStream.Builder sorted = LongStream.builder();
        bag.sorted(sorted::add);
        assertThat(sorted.build().toArray()).isEqualTo(numbers);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, ON_HEAP})
  void takesNoRoomForEqualNumbers(long heapBytes) {
    var space = new Space(heapBytes);
    var bag = new LongBag(space);
    for (int i = 0; i < 100_000; i++) {
      bag.add(7);
    }
    assertThat(bag.size()).isEqualTo(100_000);
    assertThat(bag.ofRanks(1, 100_000)).containsExactly(7, 7);
    assertThat(space.fileBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 50_000})
  void knowsTheMedianWithoutSigns(int count) {
    var bag = new LongBag(new Space());
    var random = new Random(7);
    var numbers = new double[count];
    for (int i = 0; i < count; i++) {
      double number = random.nextGaussian();
      bag.add(number);
      numbers[i] = Math.abs(number);
    }
    Arrays.sort(numbers);
    long[] median = LongBag.ofRanksWithoutSigns(List.of(bag), (count + 1) / 2);
    assertThat(LongBag.asDouble(median[0])).isEqualTo(numbers[(count + 1) / 2 - 1]);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, ON_HEAP})
  void keepsWhatWasSet_andTheUsualNumberElsewhere(long heapBytes) {
    var column = new LongColumn(new Space(heapBytes), -1);
    var ints = new IntColumn(new Space(heapBytes), 7);
    column.set(200_000, 5);
    ints.set(70_000, 0);
    ints.add(7);
    assertThat(column.get(200_000)).isEqualTo(5);
    assertThat(column.get(199_999)).isEqualTo(-1);
    assertThat(column.get(3)).isEqualTo(-1);
    assertThat(column.get(10_000_000)).isEqualTo(-1);
    assertThat(column.size()).isEqualTo(200_001);
    assertThat(ints.get(70_000)).isZero();
    assertThat(ints.get(70_001)).isEqualTo(7);
    assertThat(ints.size()).isEqualTo(70_002);
  }

  @Test
  void usesThePiecesOfAClearedColumnAgain() {
    var space = new Space(0);
    for (int round = 0; round < 1_000; round++) { // would take gigabytes otherwise
      var column = new LongColumn(space, round);
      column.set(1_000_000, -1);
      column.set(3, -1);
      assertThat(column.get(2)).isEqualTo(round);
      assertThat(column.get(999_999)).isEqualTo(round);
      assertThat(column.get(1_000_000)).isEqualTo(-1);
      column.clear();
      var ints = new IntColumn(space, round);
      ints.set(1_000_000, -1);
      assertThat(ints.get(999_999)).isEqualTo(round);
      ints.clear();
    }
    assertThat(space.fileBytes()).isEqualTo(1 << 26);
  }
}
