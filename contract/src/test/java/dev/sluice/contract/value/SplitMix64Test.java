package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The hash against outputs that others publish of SplitMix64. */
final class SplitMix64Test {
  private static final long STEP = 0x9E3779B97F4A7C15L;

  /** The generator's first outputs of the seed 1234567. */
  private static final long[] OUTPUTS = {
    Long.parseUnsignedLong("6457827717110365317"),
    Long.parseUnsignedLong("3203168211198807973"),
    Long.parseUnsignedLong("9817491932198370423"),
    Long.parseUnsignedLong("4593380528125082431"),
    Long.parseUnsignedLong("16408922859458223821")
  };

  @Test
  void isTheOutputOfTheGenerator_whoseStateTheValueIs() {
    for (int i = 0; i < OUTPUTS.length; i++) {
      assertThat(SplitMix64.mix(1_234_567 + i * STEP)).isEqualTo(OUTPUTS[i]);
    }
  }

  @Test
  void mixesTheSeed_beforeItAddsTheNumber() {
    long toTheSeedAgain = 1_234_567 - OUTPUTS[0];
    assertThat(SplitMix64.mix(1_234_567, toTheSeedAgain)).isEqualTo(OUTPUTS[0]);
    assertThat(SplitMix64.mix(1_234_567, toTheSeedAgain + STEP)).isEqualTo(OUTPUTS[1]);
  }
}
