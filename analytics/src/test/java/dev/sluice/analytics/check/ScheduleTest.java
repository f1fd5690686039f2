package dev.sluice.analytics.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ScheduleTest {
  @Test
  void timesAreComparedToTheMillionth_andNanIsNeverWrong() {
    assertThat(Schedule.same(10, 10.0000009)).isTrue();
    assertThat(Schedule.same(10, 10.0000011)).isFalse();
    assertThat(Schedule.before(10, 10.0000009)).isFalse();
    assertThat(Schedule.before(10, 10.0000011)).isTrue();
    assertThat(Schedule.before(10.0000011, 10)).isFalse();
    assertThat(Schedule.same(Double.NaN, 10)).isTrue();
    assertThat(Schedule.before(Double.NaN, 10)).isFalse();
  }

  /** Of a million seconds a floating-point number of a log says no more than 1e-12. */
  @Test
  void largeTimesAreComparedLessClosely() {
    assertThat(Schedule.same(1_000_000, 1_000_000.0000018)).isTrue();
    assertThat(Schedule.same(1_000_000, 1_000_000.0000022)).isFalse();
    assertThat(Schedule.before(1_000_000, 1_000_000.0000018)).isFalse();
    assertThat(Schedule.before(1_000_000, 1_000_000.0000022)).isTrue();
  }
}
