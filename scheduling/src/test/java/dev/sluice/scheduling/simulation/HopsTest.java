package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Recordings that are played in blocks of a second. */
final class HopsTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void takesNoTime_withoutARecording() {
    Hop hop = Hops.NONE.at(Kind.REQUEST, 7);
    assertThat(hop.lateNs()).isZero();
    assertThat(hop.appendNs()).isZero();
    assertThat(Hops.NONE.at(Kind.COMPLETION, 7).startNs()).isZero();
  }

  @Test
  void goesThroughASecondsHops_eachForEquallyLong() {
    Hops hops =
        Hops.recorded(
            List.of(
                new Hop(900, Kind.REQUEST, 4, 5, 6),
                new Hop(100, Kind.REQUEST, 1, 2, 3),
                new Hop(0, Kind.COMPLETION, 7, 8, 9)),
            1);
    assertThat(hops.at(Kind.REQUEST, SECOND / 2 - 1).lateNs()).isEqualTo(1);
    assertThat(hops.at(Kind.REQUEST, SECOND / 2)).isEqualTo(new Hop(900, Kind.REQUEST, 4, 5, 6));
    assertThat(hops.at(Kind.COMPLETION, 5).startNs()).isEqualTo(9);
  }

  @Test
  void keepsASlowSpellTogether() {
    List<Long> rows = LongStream.range(0, 100).boxed().toList();
    var series = new BlockSeries<>(rows, row -> row * SECOND / 10, 3);
    for (long second = 0; second < 50; second++) {
      long first = series.at(second * SECOND);
      for (int tenth = 1; tenth < 10; tenth++) {
        assertThat(series.at(second * SECOND + tenth * SECOND / 10)).isEqualTo(first + tenth);
      }
    }
  }

  @Test
  void playsEveryBlock() {
    List<Long> rows = LongStream.range(5, 15).boxed().toList();
    var series = new BlockSeries<>(rows, row -> row * SECOND, 3);
    assertThat(LongStream.range(0, 200).map(second -> series.at(second * SECOND)).distinct())
        .hasSize(10);
  }

  @Test
  void refusesARecordingWithoutCompletions() {
    assertThatThrownBy(() -> Hops.recorded(List.of(new Hop(0, Kind.REQUEST, 0, 0, 0)), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("COMPLETION");
  }
}
