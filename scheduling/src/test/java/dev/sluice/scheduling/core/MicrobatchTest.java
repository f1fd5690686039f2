package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When compatible jobs share a batch. */
final class MicrobatchTest {
  private final Shard shard = Shard.of("priority_slo", joining(10, 8), executor("e", 4, 1000));

  @Test
  void waitsForItsWindow_evenOnAnIdleLane() {
    shard.at(0, START);
    assertThat(shard.at(3 * MS, job(1).arrives())).isEmpty();
    assertThat(shard.core.wakeAtNs()).isEqualTo(13 * MS);
    assertThat(shard.at(12 * MS, job(2).arrives())).isEmpty();
    assertThat(shard.jobsStartedAt(13 * MS, TICK)).containsExactly(List.of("j1", "j2"));
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void startsAtOnce_whenItsSetIsFull() {
    shard.at(0, START);
    shard.at(0, job(1).samples(5).arrives());
    assertThat(shard.jobsStartedAt(MS, job(2).samples(3).arrives()))
        .containsExactly(List.of("j1", "j2"));
  }

  @Test
  void startsAlone_whenItsSetIsFullButTheyDoNotFitTogether() {
    shard.at(0, START);
    shard.at(0, job(1).samples(5).arrives());
    assertThat(shard.jobsStartedAt(MS, job(2).samples(6).arrives())).containsExactly(List.of("j1"));
    assertThat(shard.core.waiting()).isEqualTo(1);
    assertThat(shard.core.wakeAtNs()).isEqualTo(11 * MS);
  }

  @Test
  void startsAtOnceAndAlone_whenItsClassSharesNoBatch() {
    shard.at(0, START);
    assertThat(shard.jobsStartedAt(0, job(1).interactive().arrives()))
        .containsExactly(List.of("j1"));
    assertThat(shard.jobsStartedAt(0, job(2).interactive().arrives()))
        .containsExactly(List.of("j2"));
  }

  @Test
  void startsAtOnceAndAlone_whenItIsLargerThanABatch() {
    shard.at(0, START);
    shard.at(0, job(1).arrives());
    assertThat(shard.jobsStartedAt(0, job(2).samples(9).arrives())).containsExactly(List.of("j2"));
    assertThat(shard.core.waiting()).isEqualTo(1);
  }

  @Test
  void joinsOnlyCompatibleJobs() {
    shard.holding(
        job(1), job(2), job(3).of("bulk"), job(4).on("resnet50"), job(5).interactive().sloMs(5000));
    shard.at(0, START);
    assertThat(shard.jobsStartedAt(10 * MS, TICK))
        .containsExactly(List.of("j1", "j2"), List.of("j3"), List.of("j4"));
  }

  @Test
  void leavesOutJobsTooLargeForTheTokensLeft() {
    Shard tight = Shard.of("priority_slo", joining(10, 8), executor("e", 1, 80 + 4 * 5));
    tight.holding(job(1).samples(2), job(2).samples(4), job(3).samples(3));
    List<BatchDispatched> started = tight.at(10 * MS, START);
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j1", "j3"));
    assertThat(started.get(0).samples()).isEqualTo(5);
    assertThat(started.get(0).tokens()).isEqualTo(100);
  }

  @Test
  void neverWaitsToGrow_whenItIsRipeAndALaneBecomesIdle() {
    Shard one = Shard.of("priority_slo", joining(10, 8), executor("e", 1, 1000));
    one.at(0, START);
    BatchDispatched first = one.at(0, job(1).interactive().arrives()).get(0);
    one.at(0, job(2).arrives());
    assertThat(one.core.wakeAtNs()).as("no lane is idle").isEqualTo(Long.MAX_VALUE);
    assertThat(one.jobsStartedAt(30 * MS, Facts.done(first))).containsExactly(List.of("j2"));
  }

  @Test
  void growsByDeadline_thenByIndex_whateverTheSizesOfItsJobs() {
    shard.holding(job(1).sloMs(50), job(2).samples(2), job(3));
    assertThat(shard.jobsStartedAt(10 * MS, START)).containsExactly(List.of("j1", "j2", "j3"));
  }
}
