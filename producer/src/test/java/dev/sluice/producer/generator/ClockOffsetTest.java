package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.producer.generator.GeneratorLog.ClockOffset;
import org.junit.jupiter.api.Test;

/** Distance of clocks, from one acknowledged record at a time. */
final class ClockOffsetTest {
  private final ClockOffset offset = new ClockOffset();

  @Test
  void isZero_whenTheAppendLiesBetweenSendAndAcknowledgement() {
    offset.observe(10_200_000, 14_000_000, 12);
    assertThat(offset.maxNs()).isZero();
  }

  @Test
  void isZero_whenTheAppendLooksEarlierOnlyByItsRounding() {
    offset.observe(10_900_000, 10_950_000, 10);
    assertThat(offset.maxNs()).isZero();
  }

  @Test
  void isTheDistance_whenTheBrokerIsBehindOrAhead() {
    offset.observe(10_000_000, 11_000_000, 7);
    assertThat(offset.maxNs()).isEqualTo(2_000_001); // 7.999999 ms at the latest
    offset.observe(10_000_000, 11_000_000, 15);
    assertThat(offset.maxNs()).isEqualTo(4_000_000);
  }

  @Test
  void keepsTheLargest() {
    offset.observe(10_000_000, 11_000_000, 15);
    offset.observe(10_000_000, 11_000_000, 12);
    offset.observe(10_000_000, 11_000_000, 10);
    assertThat(offset.maxNs()).isEqualTo(4_000_000);
  }
}
