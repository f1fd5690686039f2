package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.producer.requests.Experiments;
import dev.sluice.producer.requests.RequestList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** One generator, on a clock that the test moves. */
final class JobGeneratorTest {
  private final FakeTime time = new FakeTime();
  private final List<JobRequested> sent = new ArrayList<>();
  private RequestList requests = new Experiments().drawn();

  @Test
  void sendsEachJobAtItsIntendedTime() throws Exception {
    JobGenerator generator = generator(0, 1);
    generator.sendAll(() -> false, this::take);
    assertThat(sent).hasSize(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      JobRequested asked = requests.get(i);
      assertThat(sent.get(i))
          .isEqualTo(
              new JobRequested(
                  asked.jobId(),
                  0,
                  i,
                  asked.classType(),
                  asked.workload(),
                  asked.backend(),
                  asked.precision(),
                  asked.samples(),
                  asked.sloNs(),
                  asked.intendedAtNs(),
                  asked.intendedAtNs()));
    }
    assertThat(generator.lateness().maxNs()).isZero();
  }

  @Test
  void sendsItsOwnShareInOrder() throws Exception {
    generator(2, 3).sendAll(() -> false, this::take);
    assertThat(sent).allMatch(job -> job.generator() == 2 && job.index() % 3 == 2);
    assertThat(sent).extracting(JobRequested::index).isSorted().startsWith(2L, 5L, 8L);
  }

  @Test
  void saysWhenItReallySent_whenASendTookLong() throws Exception {
    constantGapsOf(100_000_000);
    JobGenerator generator = generator(0, 1);
    generator.sendAll(
        () -> false,
        (job, index) -> {
          take(job, index);
          if (index == 4) {
            time.monotonicNs += 250_000_000; // meant for 500 ms, done at 750 ms
          }
        });
    assertThat(sent.get(4).sentAtNs()).isEqualTo(500_000_000);
    assertThat(sent.get(5).intendedAtNs()).isEqualTo(600_000_000);
    assertThat(sent.get(5).sentAtNs()).isEqualTo(750_000_000);
    assertThat(sent.get(6).sentAtNs()).isEqualTo(750_000_000);
    assertThat(sent.get(7).sentAtNs()).isEqualTo(800_000_000);
    assertThat(generator.lateness().maxNs()).isEqualTo(150_000_000);
  }

  @Property(tries = 50)
  void sendsNothingMore_whenTheArrivalsAreOver(@ForAll @IntRange(min = 0, max = 300) int after)
      throws Exception {
    sent.clear();
    JobGenerator generator = generator(1, 2);
    generator.sendAll(() -> sent.size() >= after, this::take);
    assertThat(sent).hasSize(after);
    assertThat(generator.sent().cardinality()).isEqualTo(after);
    assertThat(generator.sent().stream().filter(i -> i % 2 == 0)).isEmpty();
    assertThat(generator.lateness().count()).isEqualTo(after);
  }

  @Test
  void noticesWithin100ms_whenTheArrivalsAreOverInALongGap() throws Exception {
    constantGapsOf(4_000_000_000L);
    generator(0, 1).sendAll(() -> time.monotonicNs >= 1_000_000_000, this::take);
    assertThat(sent).isEmpty();
    assertThat(time.monotonicNs).isBetween(1_000_000_000L, 1_100_000_000L);
  }

  @Test
  void hasNotSentAJob_whenItsSendFailed() {
    JobGenerator generator = generator(0, 1);
    assertThatThrownBy(
            () ->
                generator.sendAll(
                    () -> false,
                    (job, index) -> {
                      if (index == 3) {
                        throw new IllegalStateException("no");
                      }
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(generator.sent().stream()).containsExactly(0, 1, 2);
  }

  @Test
  void goesOnForAnother_withTheJobsStillToCome() throws Exception {
    constantGapsOf(100_000_000);
    JobGenerator generator = generator(1, 2);
    generator.sentBefore(1, 200_000_000);
    generator.sentBefore(3, 440_000_000); // meant for 400 ms
    time.monotonicNs = FakeTime.ZERO_AT_MONOTONIC_NS + 850_000_000;
    generator.goOnAt(850_000_000);
    assertThat(generator.passedOver().stream()).containsExactly(5, 7);
    assertThat(generator.jobsSent()).isEqualTo(2);
    generator.sendAll(() -> sent.size() == 2, this::take);
    assertThat(sent).extracting(JobRequested::index).containsExactly(9L, 11L);
    assertThat(sent)
        .extracting(JobRequested::sentAtNs)
        .containsExactly(1_000_000_000L, 1_200_000_000L);
    assertThat(generator.sent().stream()).containsExactly(1, 3, 9, 11);
    assertThat(generator.jobsSent()).isEqualTo(4);
    assertThat(generator.lateness().count()).isEqualTo(4);
    assertThat(generator.lateness().maxNs()).isEqualTo(40_000_000);
    assertThat(generator.latenessNsMax()).isEqualTo(40_000_000);
    assertThat(generator.latenessNsNow()).isZero();
  }

  @Test
  void passesOverWhatComesBeforeAJobThatWasSent_howeverEarlyItGoesOn() throws Exception {
    constantGapsOf(100_000_000);
    JobGenerator generator = generator(0, 1);
    generator.sentBefore(0, 100_000_000);
    generator.sentBefore(4, 500_000_000);
    generator.goOnAt(150_000_000);
    assertThat(generator.passedOver().stream()).containsExactly(1, 2, 3);
    generator.sendAll(() -> sent.size() == 1, this::take);
    assertThat(sent).extracting(JobRequested::index).containsExactly(5L);
  }

  @Property(tries = 50)
  void sendsOrPassesOverEachJobOnce(
      @ForAll @IntRange(min = 0, max = 300) int sentBefore,
      @ForAll @IntRange(min = 0, max = 30_000) int fromMs)
      throws Exception {
    sent.clear();
    JobGenerator generator = generator(0, 1);
    for (int index = 0; index < sentBefore; index++) {
      generator.sentBefore(index, 0);
    }
    generator.goOnAt(fromMs * 1_000_000L);
    BitSet passedOver = generator.passedOver();
    generator.sendAll(() -> false, this::take);
    BitSet all = generator.sent();
    assertThat(all.intersects(passedOver)).isFalse();
    assertThat(all.cardinality()).isEqualTo(sentBefore + sent.size());
    all.or(passedOver);
    assertThat(all.cardinality()).isEqualTo(requests.size());
    assertThat(sent).allMatch(job -> job.intendedAtNs() >= fromMs * 1_000_000L);
    passedOver.stream()
        .forEach(
            index ->
                assertThat(requests.get(index).intendedAtNs()).isLessThan(fromMs * 1_000_000L));
  }

  @Test
  void saysAtAnyTimeHowFarItIs() throws Exception {
    constantGapsOf(100_000_000);
    JobGenerator generator = generator(0, 1);
    generator.sendAll(
        () -> sent.size() == 7,
        (job, index) -> {
          assertThat(generator.jobsSent()).isEqualTo(sent.size());
          take(job, index);
          if (index == 4) {
            time.monotonicNs += 250_000_000;
          }
        });
    assertThat(generator.jobsSent()).isEqualTo(7);
    assertThat(generator.latenessNsNow()).isEqualTo(50_000_000);
    assertThat(generator.latenessNsMax()).isEqualTo(150_000_000);
  }

  private void take(Fact job, int index) {
    sent.add((JobRequested) job);
    assertThat(sent.get(sent.size() - 1).index()).isEqualTo(index);
  }

  private JobGenerator generator(int number, int generators) {
    return new JobGenerator(number, generators, requests, time.runClock(), time);
  }

  private void constantGapsOf(long gapNs) {
    var experiment = new Experiments();
    experiment.arrivals = Arrivals.drawn("constant");
    experiment.ratePerSecond = 1e9 / gapNs;
    requests = experiment.drawn();
  }
}
