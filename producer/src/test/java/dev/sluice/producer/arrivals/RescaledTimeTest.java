package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.LoadShape.Steps;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arrivals under a shape of the load: the rate follows the shape, and all else stays. */
final class RescaledTimeTest {
  private static final double RATE = 1000;

  @Test
  void evenTime_staysAsItIs() {
    RescaledTime even = RescaledTime.of(LoadShape.even());
    assertThat(even.atNs(0)).isZero();
    assertThat(even.atNs(1_234_567_890_123_456_789L)).isEqualTo(1_234_567_890_123_456_789L);
  }

  /** At half the rate, twice the time; at a linear rise from 1 to 3, x + x² / 2 of the time. */
  @Test
  void stepsAndRises_areThoseOfTheSum() {
    RescaledTime half = RescaledTime.of(new Steps(List.of(new Step(10, 0.5, 0))));
    assertThat(half.atNs(4_000_000_000L)).isEqualTo(4_000_000_000L);
    assertThat(half.atNs(10_000_000_000L)).isEqualTo(10_000_000_000L);
    assertThat(half.atNs(12_000_000_000L)).isEqualTo(14_000_000_000L);
    RescaledTime rise = RescaledTime.of(new Steps(List.of(new Step(0, 3, 2))));
    assertThat(rise.atNs(1_500_000_000L)).isEqualTo(1_000_000_000L); // 1 + 1 / 2
    assertThat(rise.atNs(4_000_000_000L)).isEqualTo(2_000_000_000L); // 2 + 4 / 2
    assertThat(rise.atNs(7_000_000_000L)).isEqualTo(3_000_000_000L); // and 3 a second
  }

  @Test
  void aStepEndsExactlyWhereTheNextBegins() {
    RescaledTime steps =
        RescaledTime.of(new Steps(List.of(new Step(1, 2, 0), new Step(2, 0.5, 2))));
    assertThat(steps.atNs(0)).isZero();
    assertThat(steps.atNs(1_000_000_000L)).isEqualTo(1_000_000_000L);
    assertThat(steps.atNs(2_000_000_000L)).isEqualTo(1_500_000_000L);
    assertThat(steps.atNs(3_000_000_000L)).isEqualTo(2_000_000_000L);
    // from 2 to 0.5 in two seconds: half of them give 2 − 0.75 / 2
    assertThat(steps.atNs(4_625_000_000L)).isEqualTo(3_000_000_000L);
    assertThat(steps.atNs(5_500_000_000L)).isEqualTo(4_000_000_000L);
    assertThat(steps.atNs(6_000_000_000L)).isEqualTo(5_000_000_000L);
  }

  @Test
  void nothingArrives_atARateOfZero() {
    RescaledTime pause = RescaledTime.of(new Steps(List.of(new Step(1, 0, 0), new Step(5, 2, 0))));
    assertThat(pause.atNs(999_999_999L)).isEqualTo(999_999_999L);
    assertThat(pause.atNs(1_000_000_001L)).isBetween(5_000_000_000L, 5_000_000_001L);
    RescaledTime end = RescaledTime.of(new Steps(List.of(new Step(1, 0, 0))));
    assertThat(end.atNs(999_999_999L)).isEqualTo(999_999_999L);
    assertThat(end.atNs(1_000_000_001L)).isEqualTo(RescaledTime.NEVER_NS);
  }

  /** The first half of a period has 1 + 2 depth / π of the mean rate. */
  @Test
  void aSine_isFullInItsFirstHalf() {
    long[] timesNs = timesNs(new Diurnal(10, 0.8), 5, 200_000);
    long firstHalves =
        Arrays.stream(timesNs)
            .filter(ns -> ns < 200_000_000_000L && ns / 5_000_000_000L % 2 == 0)
            .count();
    double expected = 100 * RATE * (1 + 2 * 0.8 / Math.PI);
    assertThat((double) firstHalves).isCloseTo(expected, within(5 * Math.sqrt(expected)));
  }

  private static long[] timesNs(LoadShape shape, long seed, int count) {
    var times =
        new IntendedTimes(
            ArrivalProcesses.poisson(RATE), new RandomStream(seed), RescaledTime.of(shape));
    var timesNs = new long[count];
    for (int i = 0; i < count; i++) {
      timesNs[i] = times.nextNs();
    }
    return timesNs;
  }
}
