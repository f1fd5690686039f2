package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks among the numbers of bags are those of the sorted numbers. */
final class LongBagTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 5_000, 200_000})
  void knowsTheNumberOfEachRank(int count) {
    var random = new Random(count);
    List<LongBag> bags = List.of(new LongBag(), new LongBag());
    var numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = random.nextLong() >> random.nextInt(60);
      bags.get(i % 2).add(numbers[i]);
    }
    Arrays.sort(numbers);
    for (int rank : new int[] {1, (count + 1) / 2, count}) {
      assertThat(LongBag.ofRanks(bags, rank)).containsExactly(numbers[rank - 1]);
    }
    LongStream.Builder sorted = LongStream.builder();
    LongBag.sortedRuns(
        bags, (number, times) -> LongStream.range(0, times).forEach(i -> sorted.add(number)));
    assertThat(sorted.build().toArray()).isEqualTo(numbers);
    assertThatThrownBy(() -> LongBag.ofRanks(bags, count + 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
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
        var bag = new LongBag();
        Arrays.stream(numbers).forEach(bag::add);
        var bags = List.of(bag, new LongBag());
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

  @Test
  void takesMoreAfterItWasAsked() {
    var bag = new LongBag();
    bag.add(5);
    bag.add(3);
    assertThat(bag.ofRanks(1)).containsExactly(3);
    bag.add(1);
    assertThat(bag.ofRanks(1, 3)).containsExactly(1, 5);
    bag.clear();
    assertThat(bag.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 50_000})
  void knowsTheMedianWithoutSigns(int count) {
    var bag = new LongBag();
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

  @Test
  void columnsKeepWhatWasSet_andTheUsualNumberElsewhere() {
    var column = new LongColumn(-1);
    var ints = new IntColumn(7);
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
}
