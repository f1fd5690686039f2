package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.producer.generator.JobGenerators.EndOfArrivals;
import dev.sluice.producer.generator.OutcomeWatch.ArrivalsEnd;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The end of arrivals: duration 100, tail until 130, measured jobs 2, 3 and 4. */
final class ArrivalsEndTest {
  private final ArrivalsEnd end = new ArrivalsEnd(100, 130, 2, 5, false);

  @Test
  void goesOn_whileMeasuredJobsAreOpen() {
    endAll(0, 1, 2, 3, 5, 6);
    assertThat(end.at(129, false, true)).isEmpty();
  }

  @Test
  void comesWithTheLastMeasuredOutcome_whenTheDurationIsOver() {
    endAll(2, 3, 4);
    assertThat(end.at(99, false, false)).isEmpty();
    assertThat(end.at(100, false, false)).contains(EndOfArrivals.MEASURED_JOBS_ENDED);
  }

  @Test
  void comesAtTheTailsEnd_whenAMeasuredJobIsOpen() {
    endAll(2, 4);
    assertThat(end.at(129, false, true)).isEmpty();
    assertThat(end.at(130, false, true)).contains(EndOfArrivals.TAIL_LIMIT);
  }

  @Test
  void waitsForALateGenerator_atTheTailsEnd() {
    assertThat(end.at(500, false, false)).isEmpty();
    assertThat(end.at(500, false, true)).contains(EndOfArrivals.TAIL_LIMIT);
  }

  @Test
  void comesAtOnce_whenStopped() {
    assertThat(end.at(-50, true, false)).contains(EndOfArrivals.STOPPED);
    assertThat(end.at(500, true, false)).contains(EndOfArrivals.STOPPED);
  }

  @Test
  void isNoInterruption_whenTheRunWasCompleteBeforeTheStop() {
    endAll(2, 3, 4);
    assertThat(end.at(100, true, false)).contains(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(end.at(99, true, false)).contains(EndOfArrivals.STOPPED);
  }

  @Test
  void comesWithTheDuration_whenNothingIsMeasured() {
    assertThat(new ArrivalsEnd(100, 130, 4, 4, false).at(100, false, false))
        .contains(EndOfArrivals.MEASURED_JOBS_ENDED);
  }

  @Test
  void namesTheSentJobsWithoutOutcome() {
    endAll(0, 1, 4, 4);
    assertThat(end.withoutOutcome(BitSet.valueOf(new long[] {0b011011})).stream())
        .containsExactly(3);
  }

  @Test
  void doesNotWaitForJobs_thatAreNeverSent() {
    end.passedOver(BitSet.valueOf(new long[] {0b01011}));
    endAll(2);
    assertThat(end.at(100, false, false)).isEmpty();
    endAll(4);
    assertThat(end.at(100, false, false)).contains(EndOfArrivals.MEASURED_JOBS_ENDED);
  }

  @Test
  void saysAfterwardsWhyArrivalsEnded_asFarAsTheLogTells() {
    endAll(2, 3);
    assertThat(end.before()).as("job 4 was never sent").isEqualTo(EndOfArrivals.STOPPED);
    endAll(4);
    assertThat(end.before()).isEqualTo(EndOfArrivals.MEASURED_JOBS_ENDED);
    end.ended(6, true);
    assertThat(end.before()).as("unmeasured").isEqualTo(EndOfArrivals.MEASURED_JOBS_ENDED);
    end.ended(3, true);
    assertThat(end.before()).isEqualTo(EndOfArrivals.TAIL_LIMIT);
  }

  @Property
  void followsItsDefinition(
      @ForAll Set<@IntRange(min = 0, max = 7) Integer> ended,
      @ForAll @IntRange(min = 90, max = 140) int nowNs,
      @ForAll boolean stopRequested,
      @ForAll boolean listSent) {
    var any = new ArrivalsEnd(100, 130, 2, 5, false);
    ended.forEach(index -> any.ended(index, false));
    Optional<EndOfArrivals> reason = any.at(nowNs, stopRequested, listSent);

    boolean measuredDone = nowNs >= 100 && ended.containsAll(List.of(2, 3, 4));
    boolean tailOver = nowNs >= 130 && listSent;
    assertThat(reason.isPresent()).isEqualTo(measuredDone || stopRequested || tailOver);
    reason.ifPresent(
        why -> assertThat(why == EndOfArrivals.MEASURED_JOBS_ENDED).isEqualTo(measuredDone));
    reason.ifPresent(
        why -> assertThat(why == EndOfArrivals.STOPPED).isEqualTo(!measuredDone && stopRequested));
  }

  private void endAll(int... indexes) {
    for (int index : indexes) {
      end.ended(index, false);
    }
  }
}
