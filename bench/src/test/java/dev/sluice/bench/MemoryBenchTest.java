package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Growth of memory, from readings of each second. */
final class MemoryBenchTest {
  private static final int MIB = 1 << 20;

  @Test
  void growthIsThatOfTheMedians_soThatOneReadingIsNoMatter() {
    var memory = new MemoryBench.Memory();
    for (long mib : new long[] {100, 100, 900}) {
      memory.add(mib * MIB);
    }
    memory.endStretch();
    assertThat(memory.growthPercent()).isZero();
    for (long mib : new long[] {106, 107, 1}) {
      memory.add(mib * MIB);
    }
    memory.endStretch();
    assertThat(memory.growthPercent()).isCloseTo(6, Offset.offset(1e-9));
  }
}
