package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Bags and columns of numbers. */
final class LongBagTest {
  @Test
  void givesItsNumbersInOrder_alsoAfterMoreWereAdded() {
    var random = new Random(5);
    var bag = new LongBag();
    long[] numbers = new long[200_000];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = random.nextLong() >> random.nextInt(60);
      bag.add(numbers[i]);
      if (i == 1_000) {
        assertThat(bag.sorted()).hasSize(bag.size()).isSorted();
      }
    }
    Arrays.sort(numbers);
    assertThat(bag.sorted()).isEqualTo(numbers);
    assertThat(new LongBag().sorted()).isEmpty();
  }

  @Test
  void ordersNumbersWithAFractionByValue() {
    double[] numbers = new Random(7).doubles(5_000, -10, 10).toArray();
    var bag = new LongBag();
    Arrays.stream(numbers).forEach(bag::add);
    Arrays.sort(numbers);
    assertThat(Arrays.stream(bag.sorted()).mapToDouble(LongBag::asDouble))
        .containsExactly(DoubleStream.of(numbers).boxed().toArray(Double[]::new));
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
