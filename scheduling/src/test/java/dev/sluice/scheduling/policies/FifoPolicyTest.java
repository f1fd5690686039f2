package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** First in, first out, on hand-made states. */
final class FifoPolicyTest {
  /** The policy may leave a lane idle, and does so while the first job cannot start. */
  @Test
  void usesEveryLane_whenEachJobFits() {
    EveryPolicyTest.usesEveryLane("fifo");
    EveryPolicyTest.fillsEmptyLanesFirst("fifo");
  }

  @Test
  void startsTheOldestJob_onTheFirstIdleLane() {
    Shard shard =
        Shard.of("fifo", alone(), executor("e", 2, 1000))
            .holding(job(3).atMs(20), job(7).atMs(10), job(8).atMs(30));
    List<BatchDispatched> started = shard.at(0, START);
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j7"), List.of("j3"));
    assertThat(started).extracting(BatchDispatched::lanes).containsExactly(List.of(0), List.of(1));
  }

  @Test
  void breaksTiesByDeadlineThenId() {
    Shard shard =
        Shard.of("fifo", alone(), executor("e", 3, 1000))
            .holding(job(1).sloMs(50), job(2).sloMs(40), job(3).sloMs(40));
    assertThat(shard.jobsStartedAt(0, START))
        .containsExactly(List.of("j2"), List.of("j3"), List.of("j1"));
  }

  @Test
  void startsNothing_whenTheOldestJobHasTooFewTokens() {
    Shard shard =
        Shard.of("fifo", alone(), executor("e", 3, 400))
            .holding(job(1).on("vit").atMs(1), job(2).on("resnet50").atMs(2), job(3).atMs(3));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j1"));
    assertThat(shard.core.waiting()).isEqualTo(2);
  }

  @Test
  void startsNothing_whenNoExecutorCanRunTheOldestJob() {
    Shard shard =
        Shard.of("fifo", alone(), executor("e", 3, 1000))
            .holding(job(1).in("bf16").atMs(1), job(2).atMs(2));
    assertThat(shard.jobsStartedAt(0, START)).isEmpty();
  }

  @Test
  void fillsInOrderOfEntry_whenItJoinsJobs() {
    Shard shard =
        Shard.of("fifo", joining(10, 6), executor("e", 1, 1000))
            .holding(
                job(1).samples(2).atMs(9),
                job(2).samples(1).atMs(8),
                job(3).samples(5).atMs(7),
                job(4).samples(2).atMs(1));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j4", "j1", "j2"));
  }

  @Test
  void waitsForTheOldestJobsWindow_althoughAnotherJobCouldStart() {
    Shard shard =
        Shard.of("fifo", joining(10, 64), executor("e", 2, 1000))
            .holding(job(1).atMs(1), job(2).interactive().atMs(2));
    shard.at(0, START);
    assertThat(shard.dispatches).isEmpty();
    assertThat(shard.jobsStartedAt(10 * MS, TICK)).containsExactly(List.of("j1"), List.of("j2"));
  }

  @Test
  void saysThatNothingWaits_whereNothingDoes() {
    List<Choice> answers = new ArrayList<>();
    var fifo = new FifoPolicy();
    new Shard(alone(), fifo) {
      @Override
      public void deciding(SchedulerState state) {
        answers.add(fifo.choose(state));
      }
    }.at(0, START);
    assertThat(answers).containsExactly(Choice.NOTHING_WAITS);
  }
}
