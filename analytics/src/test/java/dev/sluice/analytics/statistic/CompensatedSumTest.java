package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.DoubleSummaryStatistics;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** The sum is that of the JDK to the last bit. */
final class CompensatedSumTest {
  @Test
  void isThatOfTheJdk() {
    for (int seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      int count = random.nextInt(300);
      double[] values = random.doubles(count).map(Math::log).toArray();
      var sum = new CompensatedSum();
      var jdk = new DoubleSummaryStatistics();
      for (double value : values) {
        int times = random.nextInt(3);
        double taken = random.nextInt(4) == 0 ? 0 : value * Math.pow(10, random.nextInt(20));
        sum.add(taken, times);
        for (int i = 0; i < times; i++) {
          jdk.accept(taken);
        }
      }
      assertThat(sum.count()).isEqualTo(jdk.getCount());
      assertThat(sum.sum()).isEqualTo(jdk.getSum());
      assertThat(sum.average()).isEqualTo(jdk.getAverage());
    }
  }

  @Test
  void isThatOfStreams_whereItIsInfinite() {
    double[] values = {1, Double.POSITIVE_INFINITY, 2};
    var sum = new CompensatedSum();
    DoubleStream.of(values).forEach(sum::add);
    assertThat(sum.sum()).isEqualTo(DoubleStream.of(values).sum());
  }
}
