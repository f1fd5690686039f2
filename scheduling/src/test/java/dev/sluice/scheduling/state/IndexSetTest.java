package dev.sluice.scheduling.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The set against a {@link BitSet}. */
final class IndexSetTest {
  @Property(tries = 300)
  void holdsWhatWasPutIn(
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 300) Integer> flips,
      @ForAll @IntRange(min = 1, max = 5) int neighbours) {
    var set = new IndexSet();
    var expected = new BitSet();
    for (int index : flips) {
      boolean member = !expected.get(index);
      set.set(index, member);
      set.set(index, member);
      expected.set(index, member);
    }
    assertThat(set.size()).isEqualTo(expected.cardinality());
    assertThat(set.isEmpty()).isEqualTo(expected.isEmpty());
    for (int index = 0; index < 400; index++) {
      assertThat(set.has(index)).isEqualTo(expected.get(index));
      assertThat(set.next(index)).isEqualTo(expected.nextSetBit(index));
      assertThat(set.hasAll(index, neighbours)).isEqualTo(begin(expected, index, neighbours));
    }
    assertThat(set.firstOf(neighbours)).isEqualTo(first(expected, neighbours));
  }

  private static boolean begin(BitSet set, int index, int neighbours) {
    return set.nextClearBit(index) - index >= neighbours;
  }

  private static int first(BitSet set, int neighbours) {
    return set.stream().filter(index -> begin(set, index, neighbours)).findFirst().orElse(-1);
  }
}
