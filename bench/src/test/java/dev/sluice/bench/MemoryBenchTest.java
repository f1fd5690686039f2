package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.harness.process.MemoryOf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What the bench of memory reads, and what it makes of it. */
final class MemoryBenchTest {
  private static final int MIB = 1 << 20;

  @Test
  void theSpreadIsOfTheMinutesMedians_soThatOneReadingIsNoMatter() {
    var memory = new MemoryBench.Memory();
    for (long mib : new long[] {100, 100, 900}) {
      memory.add(mib * MIB);
    }
    memory.endStretch();
    assertThat(memory.spreadPercent()).isZero();
    for (long mib : new long[] {106, 107, 1}) {
      memory.add(mib * MIB);
    }
    memory.endStretch();
    assertThat(memory.spreadPercent()).isCloseTo(6, Offset.offset(1e-9));
  }

  @Test
  void whatIsHeldIsInTheLiveHeap_andInMemory() throws Exception {
    long pid = ProcessHandle.current().pid();
    assumeThat(Files.exists(Path.of("/proc/self/smaps_rollup"))).isTrue();
    MemoryOf.liveHeapBytes(pid).orElseThrow(); // a collection takes what soft references keep
    long liveBefore = MemoryOf.liveHeapBytes(pid).orElseThrow();
    byte[] held = new byte[64 * MIB];
    ThreadLocalRandom.current().nextBytes(held);
    assertThat(MemoryOf.liveHeapBytes(pid).orElseThrow() - liveBefore)
        .isBetween(60L * MIB, 68L * MIB);
    assertThat(MemoryOf.residentBytes(pid).orElseThrow()).isGreaterThan(64L * MIB);
    assertThat(held).hasSize(64 * MIB);
  }
}
