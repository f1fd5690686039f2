package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Random numbers that are equal on every machine. */
final class RandomStreamTest {

  /** Compares with the published first numbers of SplitMix64 for this seed. */
  @Test
  void isSplitMix64() {
    var random = new RandomStream(1234567);
    assertThat(new long[] {random.nextLong(), random.nextLong(), random.nextLong()})
        .containsExactly(6457827717110365317L, 3203168211198807973L, -8629252141511181193L);
  }

  @Property
  void isTheSplittableRandomOfTheJdk(@ForAll long seed) {
    var random = new RandomStream(seed);
    var reference = new SplittableRandom(seed);
    for (int i = 0; i < 20; i++) {
      assertThat(random.nextLong()).isEqualTo(reference.nextLong());
    }
  }

  @Property
  void staysInItsRange(@ForAll long seed, @ForAll @IntRange(min = 1) int bound) {
    var random = new RandomStream(seed);
    assertThat(random.nextOpenUnit()).isStrictlyBetween(0.0, 1.0);
    assertThat(random.nextBelow(bound)).isBetween(0, bound - 1);
  }

  @Test
  void drawsEachValueBelowABoundEquallyOften() {
    var random = new RandomStream(7);
    int draws = 70_000;
    var counts = new int[7];
    for (int i = 0; i < draws; i++) {
      counts[random.nextBelow(7)]++;
    }
    double deviation = Math.sqrt(draws * (1 / 7.0) * (6 / 7.0));
    for (int count : counts) {
      assertThat((double) count).isBetween(10_000 - 4 * deviation, 10_000 + 4 * deviation);
    }
  }

  @Test
  void differsByPurpose() {
    assertThat(RandomStream.of(42, "arrivals").nextLong())
        .isNotEqualTo(RandomStream.of(42, "job-mix").nextLong());
    assertThat(RandomStream.of(42, "arrivals").nextLong())
        .isEqualTo(RandomStream.of(42, "arrivals").nextLong())
        .isNotEqualTo(RandomStream.of(43, "arrivals").nextLong());
  }
}
