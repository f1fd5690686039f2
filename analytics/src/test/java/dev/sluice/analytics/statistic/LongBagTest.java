package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

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
}
