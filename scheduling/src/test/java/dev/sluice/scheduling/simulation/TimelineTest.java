package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.simulation.Timeline.Slots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The slots of a timeline against a plain search for the earliest. */
final class TimelineTest {
  private final List<Integer> happened = new ArrayList<>();

  @Test
  void hasNothingDueAtFirst() {
    var timeline = new Timeline();
    timeline.add(3, happened::add);
    assertThat(timeline.nextNs()).isEqualTo(Timeline.NEVER);
  }

  @Test
  void putsTheLowestSlotFirst_whenSeveralAreDueAtOneTime() {
    var timeline = new Timeline();
    Slots slots = timeline.add(5, happened::add);
    slots.set(4, 10);
    slots.set(2, 10);
    slots.set(3, 10);
    timeline.happen();
    slots.set(2, Timeline.NEVER);
    timeline.happen();
    assertThat(happened).containsExactly(2, 3);
  }

  @Property(tries = 300)
  void isTheEarliestOfAll_whateverIsMoved(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 40) Integer> kinds,
      @ForAll @Size(min = 1, max = 200) List<@IntRange(min = 0, max = 9_999) Integer> moves) {
    var timeline = new Timeline();
    List<Slots> kindOf = new ArrayList<>();
    List<Integer> fromOf = new ArrayList<>();
    for (int count : kinds) {
      int from = kindOf.size();
      Slots kind = timeline.add(count, number -> happened.add(from + number));
      kindOf.addAll(Collections.nCopies(count, kind));
      fromOf.addAll(Collections.nCopies(count, from));
    }
    int slots = kindOf.size();
    var naive = new long[slots];
    Arrays.fill(naive, Timeline.NEVER);
    for (int move : moves) {
      int slot = move / 100 % slots;
      long atNs = move % 100 == 99 ? Timeline.NEVER : move % 7;
      kindOf.get(slot).set(slot - fromOf.get(slot), atNs);
      naive[slot] = atNs;
      assertThat(kindOf.get(slot).dueNs(slot - fromOf.get(slot))).isEqualTo(atNs);
      int earliest = 0;
      for (int i = 1; i < slots; i++) {
        earliest = naive[i] < naive[earliest] ? i : earliest;
      }
      assertThat(timeline.nextNs()).isEqualTo(naive[earliest]);
      if (naive[earliest] < Timeline.NEVER) {
        timeline.happen();
        assertThat(happened.get(happened.size() - 1)).isEqualTo(earliest);
      }
    }
  }
}
