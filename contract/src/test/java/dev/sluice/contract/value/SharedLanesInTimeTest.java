package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Lanes that are told the time, as by emulated lanes whose threads wake late. */
final class SharedLanesInTimeTest {
  private static final int LANES_MAX = 20;

  private final SharedLanes work = new SharedLanes(LANES_MAX);

  record Finished(int lane, long atNs) {}

  /** Ends the batches that are done by then, in the order in which they end. */
  private static List<Finished> advance(SharedLanes work, long toNs) {
    List<Finished> finished = new ArrayList<>();
    int[] ended = new int[LANES_MAX];
    while (work.nextFinishNs() <= toNs) {
      long atNs = work.nextFinishNs();
      int count = work.endNext(ended);
      for (int i = 0; i < count; i++) {
        finished.add(new Finished(ended[i], atNs));
      }
    }
    return finished;
  }

  /** Returns times that double beside one other lane and triple beside two. */
  private static double[] proportional(double aloneNs) {
    return IntStream.rangeClosed(1, LANES_MAX).mapToDouble(busy -> aloneNs * busy).toArray();
  }

  @Test
  void endsAfterItsServiceTime_whenAlone() {
    work.start(0, proportional(100), 1, 1_000);
    assertThat(work.nextFinishNs()).isEqualTo(1_100);
    assertThat(advance(work, 1_099)).isEmpty();
    assertThat(advance(work, 1_100)).containsExactly(new Finished(0, 1_100));
    assertThat(work.nextFinishNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void reTimesOthers_atEachStartAndEnd() {
    work.start(0, proportional(100), 1, 0);
    advance(work, 50);
    work.start(1, proportional(100), 1, 50);
    assertThat(work.nextFinishNs()).as("half of it left, at half the rate").isEqualTo(150);
    assertThat(advance(work, 150)).containsExactly(new Finished(0, 150));
    assertThat(work.nextFinishNs()).as("half of it left, alone").isEqualTo(200);
    assertThat(advance(work, 500)).containsExactly(new Finished(1, 200));
  }

  @Test
  void giveTheirModelledTimes_whenTheTimerComesLate() {
    work.start(0, proportional(100), 1, 0);
    work.start(1, proportional(300), 1, 0);
    assertThat(advance(work, 10_000)).containsExactly(new Finished(0, 200), new Finished(1, 400));
  }

  @Test
  void endTogether_whenEqual() {
    work.start(3, proportional(100), 1, 0);
    work.start(1, proportional(100), 1, 0);
    assertThat(advance(work, 200)).containsExactly(new Finished(3, 200), new Finished(1, 200));
  }

  @Test
  void refusesASecondBatchOnALane_andTimeThatGoesBack() {
    work.start(0, proportional(100), 1, 50);
    assertThatThrownBy(() -> work.start(0, proportional(1), 1, 50)).hasMessageContaining("runs");
    assertThatThrownBy(() -> work.start(1, proportional(1), 1, 49))
        .hasMessageContaining("last change (50)");
    assertThatThrownBy(() -> work.start(1, proportional(1), 1, 151))
        .hasMessageContaining("next end (150)");
  }

  @Test
  void keepsItsEnd_whenItDoesNotDependOnOthers() {
    work.start(0, new double[] {17.5}, 1, 0);
    advance(work, 7);
    work.start(1, proportional(100), 1, 7);
    assertThat(advance(work, 18)).containsExactly(new Finished(0, 18));
  }

  record Start(long gapNs, double aloneNs) {}

  @Provide
  Arbitrary<List<Start>> starts() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 1_000_000),
            Arbitraries.doubles().between(1_000, 2_000_000))
        .as(Start::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(20);
  }

  /** With rates 1/k the device does one unit of work per unit of time, however it is shared. */
  @Property(tries = 300)
  void conservesWork_whenTheRateIsSharedEqually(@ForAll("starts") List<Start> starts) {
    var work = new SharedLanes(LANES_MAX);
    double backlogNs = 0;
    long nowNs = 0;
    long lastEndNs = 0;
    for (int lane = 0; lane < starts.size(); lane++) {
      var start = starts.get(lane);
      nowNs += start.gapNs();
      backlogNs = Math.max(0, backlogNs - start.gapNs()) + start.aloneNs();
      for (var finished : advance(work, nowNs)) {
        lastEndNs = finished.atNs();
      }
      work.start(lane, proportional(start.aloneNs()), 1, nowNs);
    }
    for (var finished : advance(work, Long.MAX_VALUE - 1)) {
      lastEndNs = finished.atNs();
    }
    assertThat((double) lastEndNs)
        .as("the end of all work by the backlog's reckoning")
        .isCloseTo(nowNs + backlogNs, within(2.0 * starts.size() * starts.size()));
  }

  @Property(tries = 200)
  void endsDoNotDependOnHowOftenTimeIsTold(@ForAll("starts") List<Start> starts) {
    assertThat(ends(starts, 7)).isEqualTo(ends(starts, 1)).doesNotContain(-1L);
  }

  private static List<Long> ends(List<Start> starts, int stepsPerGap) {
    var work = new SharedLanes(LANES_MAX);
    var ends = new ArrayList<Long>(Collections.nCopies(starts.size(), -1L));
    long nowNs = 0;
    for (int lane = 0; lane < starts.size(); lane++) {
      for (int step = 1; step <= stepsPerGap; step++) {
        long toNs = nowNs + starts.get(lane).gapNs() * step / stepsPerGap;
        advance(work, toNs).forEach(f -> ends.set(f.lane(), f.atNs()));
      }
      nowNs += starts.get(lane).gapNs();
      work.start(lane, proportional(starts.get(lane).aloneNs()), 1, nowNs);
    }
    advance(work, Long.MAX_VALUE - 1).forEach(f -> ends.set(f.lane(), f.atNs()));
    return ends;
  }
}
