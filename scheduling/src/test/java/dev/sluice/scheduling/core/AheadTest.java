package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.ahead;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lane that takes one batch beside the one that it runs. */
final class AheadTest {
  private static List<String> lanes(List<BatchDispatched> dispatches) {
    return dispatches.stream().map(d -> d.executorId() + d.lanes()).toList();
  }

  @Test
  void emptyLanesFillFirst_thenEachTakesOneMore() {
    Shard shard =
        Shard.of("fifo", ahead(alone()), executor("a", 1, 1000), executor("b", 2, 1000))
            .holding(job(1), job(2), job(3), job(4), job(5), job(6), job(7));
    assertThat(lanes(shard.at(0, START)))
        .containsExactly("a[0]", "b[0]", "b[1]", "a[0]", "b[0]", "b[1]");
    assertThat(shard.core.waiting()).isEqualTo(1);
  }

  @Test
  void ofBusyLanesTheOneExpectedFreeFirstTakesTheNext() {
    Shard shard =
        Shard.of("fifo", ahead(alone()), executor("a", 2, 1000))
            .holding(job(1).on("vit"), job(2), job(3)); // 100 ms and 10 ms
    assertThat(lanes(shard.at(0, START))).containsExactly("a[0]", "a[1]", "a[1]");
  }

  @Test
  void theSecondIsExpectedToBeginWhenTheFirstIsDone() {
    Shard shard =
        Shard.of("fifo", ahead(alone()), executor("a", 2, 1000))
            .holding(job(1), job(2), job(3).on("resnet50"), job(4));
    List<BatchDispatched> started = shard.at(0, START);
    assertThat(lanes(started)).containsExactly("a[0]", "a[1]", "a[0]", "a[1]");
    shard.at(30 * MS, done(started.get(0))); // the 20 ms of j3 begin only now
    shard.at(35 * MS, done(started.get(1))); // and the 10 ms of j4 only now
    assertThat(lanes(shard.at(35 * MS, job(5).arrives()))).containsExactly("a[1]");
  }

  @Test
  void theNextBatchFollows_whenTheFirstIsDone() {
    Shard shard =
        Shard.of("fifo", ahead(alone()), executor("a", 1, 1000)).holding(job(1), job(2), job(3));
    BatchDispatched first = shard.at(0, START).get(0);
    assertThat(shard.jobsStartedAt(5 * MS, done(first))).containsExactly(List.of("j3"));
    assertThat(shard.core.running()).isEqualTo(2);
  }

  @Test
  void tokensAreHeldByEach_fromItsDecision() {
    Shard shard =
        Shard.of("fifo", ahead(alone()), executor("a", 1, 400))
            .holding(job(1).on("vit"), job(2).on("vit"));
    assertThat(shard.at(0, START)).hasSize(1);
    assertThat(shard.at(MS, TICK)).as("264 of 400 are held").isEmpty();
  }

  @Test
  void aRefusedBatchAheadGoesBack_andTheOneThatRunsGoesOn() {
    Shard shard = Shard.of("fifo", ahead(alone()), executor("a", 1, 400)).holding(job(1), job(2));
    List<BatchDispatched> started = shard.at(0, START);
    assertThat(shard.at(MS, Facts.refusedAsBusy(started.get(1)))).isEmpty();
    assertThat(shard.core.waiting()).isEqualTo(1);
    assertThat(shard.jobsStartedAt(9 * MS, completed(started.get(0), Result.DONE, 9 * MS)))
        .containsExactly(List.of("j2"));
  }
}
