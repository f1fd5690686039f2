package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.bounded;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.cpuFallback;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.scheduling.fact.CoreFact.ArrivalsEnded;
import dev.sluice.scheduling.fact.CoreFact.Result;
import dev.sluice.scheduling.fact.CoreFact.RunStarted;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.JobEnd.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bounds of the queue, of the budget and of the run. */
final class BoundsTest {
  @Test
  void aJobThatArrivesAtAFullQueueIsDropped() {
    Shard shard = Shard.of("fifo", bounded(2, 1_000_000), executor("e", 1, 1000));
    shard.at(0, START);
    for (int i = 1; i <= 4; i++) {
      shard.at(MS, job(i).arrives());
    }
    assertThat(shard.ends)
        .containsExactly(new JobEnd("j4", Status.DROPPED, "queue_full", null, 0, MS));
    assertThat(shard.core.waiting()).isEqualTo(2);
  }

  @Test
  void aJobThatComesBackIsNeverTurnedAway() {
    Shard shard = Shard.of("fifo", bounded(1, 1_000_000), executor("e", 1, 1000));
    shard.at(0, START);
    Dispatch first = shard.at(0, job(1).arrives()).get(0);
    shard.at(0, job(2).arrives());
    shard.at(MS, Facts.refusedAsBusy(first));
    assertThat(shard.ends).isEmpty();
    assertThat(shard.core.waiting()).isEqualTo(2);
  }

  @Test
  void aJobThatWaitsTooLongIsDropped_andTheCoreWakesForIt() {
    Shard shard = Shard.of("fifo", bounded(100, 50), executor("e", 1, 1000));
    shard.at(0, START);
    shard.at(0, job(1).arrives());
    shard.at(3 * MS, job(2).arrives());
    shard.at(4 * MS, job(3).arrives());
    assertThat(shard.core.wakeAtNs()).isEqualTo(53 * MS + 1);
    shard.at(53 * MS, TICK);
    assertThat(shard.ends).isEmpty();
    shard.at(53 * MS + 1, TICK);
    assertThat(shard.ends)
        .containsExactly(new JobEnd("j2", Status.DROPPED, "waited_too_long", null, 0, 53 * MS + 1));
    assertThat(shard.core.wakeAtNs()).isEqualTo(54 * MS + 1);
  }

  @Test
  void aJobThatComesBackTooOldIsDropped() {
    Shard shard = Shard.of("fifo", bounded(100, 50), executor("e", 1, 1000));
    shard.at(0, START);
    Dispatch dispatch = shard.at(0, job(1).arrives()).get(0);
    shard.at(60 * MS, completed(dispatch, Result.REFUSED, 0));
    assertThat(shard.ends).extracting(JobEnd::reason).containsExactly("waited_too_long");
  }

  @Test
  void theRunEnds_tenSecondsAfterItsLastPossibleArrival_thoughASourceIsSilent() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 1000));
    shard.at(0, new RunStarted(1, 2, 500 * MS));
    shard.at(0, job(1).arrives());
    shard.at(0, job(2).arrives());
    shard.at(MS, new ArrivalsEnded(1, 0));
    assertThat(shard.core.wakeAtNs()).isEqualTo(10_500 * MS + 1);
    shard.at(10_500 * MS, TICK);
    assertThat(shard.ends).isEmpty();
    shard.at(10_501 * MS, TICK);
    assertThat(shard.ends)
        .containsExactly(new JobEnd("j2", Status.DROPPED, "run_ended", null, 0, 10_501 * MS));
    shard.at(10_502 * MS, job(3).arrives());
    assertThat(shard.ends).extracting(JobEnd::jobId).containsExactly("j2", "j3");
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
    shard.at(10_503 * MS, done(shard.dispatches.get(0)));
    assertThat(shard.ends).extracting(JobEnd::status).contains(Status.DONE);
  }

  @Test
  void aJobTooLargeForEveryBudgetRunsAloneOutsideIt_withCpuFallback() {
    Shard shard =
        Shard.of("fifo", cpuFallback(joining(0, 8)), executor("e", 2, 100))
            .holding(job(1), job(2).on("vit"), job(3).on("vit"));
    assertThat(shard.at(0, START))
        .extracting(Shard::jobIds, Dispatch::tokens)
        .containsExactly(tuple(List.of("j1"), 84), tuple(List.of("j2"), 0));
  }

  @Test
  void aJobThatFitsSomewhereStaysInsideTheBudget_withCpuFallback() {
    Shard shard =
        Shard.of(
            "fifo", cpuFallback(alone()), executor("small", 1, 100), executor("large", 1, 300));
    shard.at(0, START);
    assertThat(shard.at(0, job(1).on("vit").arrives()))
        .extracting(Dispatch::executorId, Dispatch::tokens)
        .containsExactly(tuple("large", 264));
    assertThat(shard.at(0, job(2).on("vit").arrives())).isEmpty();
  }
}
