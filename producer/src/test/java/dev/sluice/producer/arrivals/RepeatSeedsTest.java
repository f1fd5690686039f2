package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RepeatSeedsTest {
  @Test
  void eachRepeatHasASeedOfItsOwn_theSameEachTime() {
    Set<Long> seeds = new HashSet<>();
    for (int repeat = 1; repeat <= 1000; repeat++) {
      seeds.add(RepeatSeeds.of(42, repeat));
      seeds.add(RepeatSeeds.of(43, repeat));
    }
    assertThat(seeds).hasSize(2000);
    assertThat(RepeatSeeds.of(42, 1)).isEqualTo(RepeatSeeds.of(42, 1));
  }
}
