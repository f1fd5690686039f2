package dev.sluice.contract.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Buckets that are 1 % wide, and counts of times in them. */
final class LatencyHistogramTest {
  private static final long DAY_NS = 86_400_000_000_000L;

  @Property
  void aBucketHoldsATimeBetweenItsBounds(@ForAll @LongRange(min = 0) long ns) {
    int index = LatencyBuckets.indexOf(ns);
    assertThat(ns).isGreaterThanOrEqualTo(LatencyBuckets.lowerNs(index));
    assertThat(ns == Long.MAX_VALUE || ns < LatencyBuckets.upperNs(index)).isTrue();
    if (index > 0) {
      assertThat(LatencyBuckets.middleNs(index)).isBetween(ns * 0.99, ns * 1.01);
    }
  }

  @Test
  void bucketsAreBoundedByPowersOfAHundredAndOneHundredths() {
    assertThat(LatencyBuckets.indexOf(0)).isZero();
    assertThat(LatencyBuckets.indexOf(999)).isZero();
    assertThat(LatencyBuckets.indexOf(1000)).isEqualTo(1);
    assertThat(LatencyBuckets.indexOf(1009)).isEqualTo(1);
    assertThat(LatencyBuckets.indexOf(1010)).isEqualTo(2);
    for (int i = 1; i < LatencyBuckets.count(); i++) {
      assertThat(LatencyBuckets.indexOf(LatencyBuckets.lowerNs(i))).isEqualTo(i);
      assertThat(LatencyBuckets.indexOf(LatencyBuckets.lowerNs(i) - 1)).isEqualTo(i - 1);
      assertThat((double) LatencyBuckets.lowerNs(i))
          .isBetween(1000 * Math.pow(1.01, i - 1), 1000 * Math.pow(1.01, i - 1) * 1.000001 + 1);
    }
  }

  @Property
  void addingCounts_isTheHistogramOfBoth(
      @ForAll @Size(max = 60) List<@LongRange(min = 0, max = DAY_NS) Long> first,
      @ForAll @Size(max = 60) List<@LongRange(min = 0, max = DAY_NS) Long> second)
      throws Exception {
    List<Long> both = new ArrayList<>(first);
    both.addAll(second);
    LatencyHistogram sum = histogram(first).plus(histogram(second));
    assertThat(sum).isEqualTo(histogram(both)).hasSameHashCodeAs(histogram(both));
    assertThat(sum.count()).isEqualTo(both.size());
    assertThat(sum.beyond(histogram(first))).isEqualTo(histogram(second));
    assertThat(histogram(first).beyond(sum)).isEqualTo(LatencyHistogram.EMPTY);
    var json = new ObjectMapper();
    assertThat(json.readValue(json.writeValueAsBytes(sum), LatencyHistogram.class)).isEqualTo(sum);
  }

  @Property
  void aPercentile_isWithinOnePercentOfTheNearestRank(
      @ForAll @Size(min = 1, max = 200) List<@LongRange(min = 1000, max = DAY_NS) Long> times,
      @ForAll @IntRange(min = 1, max = 100) int percentile,
      @ForAll @IntRange(max = 100) int notDone) {
    int ended = times.size() + notDone;
    int rank = (percentile * ended + 99) / 100;
    double value = histogram(times).percentileNs(percentile, ended);
    if (rank > times.size()) {
      assertThat(value).isInfinite();
    } else {
      long exact = times.stream().sorted().toList().get(rank - 1);
      assertThat(value).isBetween(exact * 0.99, exact * 1.01);
    }
  }

  @Test
  void itsList_isIndexAndCountInTurns() {
    LatencyHistogram histogram = LatencyHistogram.of(1010, 20, 1000, 1005);
    assertThat(histogram.toList()).containsExactly(0, 1, 1, 2, 2, 1);
    assertThat(LatencyHistogram.fromList(histogram.toList())).isEqualTo(histogram);
  }

  @Test
  void aListThatIsNone_isRefused() {
    for (long[] list :
        List.of(
            new long[] {1},
            new long[] {2, 1, 1, 1},
            new long[] {1, 1, 1, 1},
            new long[] {-1, 1},
            new long[] {1, 0},
            new long[] {Integer.MAX_VALUE, 1},
            new long[] {1L << 40, 1})) {
      assertThatThrownBy(() -> LatencyHistogram.fromList(list))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void percentilesNeedAnEndedJob() {
    assertThatThrownBy(() -> LatencyHistogram.EMPTY.percentileNs(50, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(LatencyHistogram.EMPTY.percentileNs(50, 1)).isInfinite();
  }

  private static LatencyHistogram histogram(List<Long> timesNs) {
    long[] array = timesNs.stream().flatMapToLong(LongStream::of).toArray();
    return LatencyHistogram.of(array);
  }
}
