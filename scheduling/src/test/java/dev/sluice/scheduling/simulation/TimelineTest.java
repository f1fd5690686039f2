package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The slots of a timeline against a plain search for the earliest. */
final class TimelineTest {
  @Test
  void hasNothingDueAtFirst() {
    var timeline = new Timeline(3);
    assertThat(timeline.dueNs(timeline.first())).isEqualTo(Timeline.NEVER);
  }

  @Test
  void putsTheLowestSlotFirst_whenSeveralAreDueAtOneTime() {
    var timeline = new Timeline(5);
    timeline.set(4, 10);
    timeline.set(2, 10);
    timeline.set(3, 10);
    assertThat(timeline.first()).isEqualTo(2);
    timeline.set(2, Timeline.NEVER);
    assertThat(timeline.first()).isEqualTo(3);
  }

  @Property(tries = 300)
  void isTheEarliestOfAll_whateverIsMoved(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 40) Integer> kinds,
      @ForAll @Size(min = 1, max = 200) List<@IntRange(min = 0, max = 9_999) Integer> moves) {
    var timeline = new Timeline(kinds.stream().mapToInt(kind -> kind).toArray());
    int slots = kinds.stream().mapToInt(kind -> kind).sum();
    var naive = new long[slots];
    Arrays.fill(naive, Timeline.NEVER);
    for (int move : moves) {
      int slot = move / 100 % slots;
      long atNs = move % 100 == 99 ? Timeline.NEVER : move % 7;
      timeline.set(slot, atNs);
      naive[slot] = atNs;
      int earliest = 0;
      for (int i = 1; i < slots; i++) {
        earliest = naive[i] < naive[earliest] ? i : earliest;
      }
      assertThat(timeline.dueNs(timeline.first())).isEqualTo(naive[earliest]);
      if (naive[earliest] < Timeline.NEVER) {
        assertThat(timeline.first()).isEqualTo(earliest);
      }
    }
  }
}
