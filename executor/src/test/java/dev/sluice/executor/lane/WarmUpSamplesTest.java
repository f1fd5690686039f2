package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The samples counts that are warmed up. */
final class WarmUpSamplesTest {
  @Test
  void areTheBatchSizesAlone_whenNothingJoins() {
    assertThat(ExecutorSettings.warmUpSamples(List.of(8, 1, 32, 8), false, 128))
        .containsExactly(1, 8, 32);
  }

  @Test
  void areAllSumsUpToMaxBatch_whenJobsJoin() {
    assertThat(ExecutorSettings.warmUpSamples(List.of(2, 3), true, 8))
        .containsExactly(2, 3, 4, 5, 6, 7, 8);
    assertThat(ExecutorSettings.warmUpSamples(List.of(4), true, 10)).containsExactly(4, 8);
  }

  @Test
  void keepTheSizeAboveMaxBatch_whichRunsAlone() {
    assertThat(ExecutorSettings.warmUpSamples(List.of(2, 32), true, 4)).containsExactly(2, 4, 32);
  }

  @Test
  void areThinnedToPowersOfTwo_whenTooMany() {
    assertThat(ExecutorSettings.warmUpSamples(List.of(1, 8, 32), true, 128))
        .containsExactly(1, 2, 4, 8, 16, 32, 64, 128);
    assertThat(ExecutorSettings.warmUpSamples(List.of(3), true, 100))
        .as("the largest sum not above each power, and the largest of all")
        .containsExactly(3, 6, 15, 30, 63, 99);
  }

  @Property(tries = 200)
  void holdEveryBatchSize_inAscendingOrder(
      @ForAll @NotEmpty @Size(max = 5) List<@IntRange(min = 1, max = 64) Integer> sizes,
      @ForAll @IntRange(min = 1, max = 200) int maxBatch) {
    var counts = ExecutorSettings.warmUpSamples(sizes, true, maxBatch);
    assertThat(counts).containsAll(sizes).isSorted().doesNotHaveDuplicates();
    assertThat(counts.size()).isLessThanOrEqualTo(ExecutorSettings.COUNTS_MAX);
  }
}
