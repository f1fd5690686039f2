package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.ahead;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.capabilities;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.empty;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.leased;
import static dev.sluice.scheduling.core.Facts.refusedAsBusy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What becomes of batches whose executor or lane is lost: heartbeats of 200 ms, leases of 2 s, two
 * attempts.
 */
final class LeasesTest {
  private static final ExecutorReported ALIVE = executor("e", 1, 400);
  private static final ExecutorReported RESTARTED = executor("e", 2, false, 1, 400, capabilities());
  private static final long HEARTBEAT = 200 * MS;

  private final Shard shard = Shard.of("fifo", leased(alone()), ALIVE);
  private long nowNs;

  private BatchDispatched start(int job) {
    return shard.at(nowNs, job(job).arrives()).get(0);
  }

  /** Lets a number of heartbeats go by without a word from an executor. */
  private List<BatchDispatched> silence(int heartbeats) {
    int before = shard.dispatches.size();
    for (int i = 0; i < heartbeats; i++) {
      shard.at(nowNs += HEARTBEAT, TICK);
    }
    return shard.dispatches.subList(before, shard.dispatches.size());
  }

  /** Lets time go by in which the executor reports. */
  private void alive(ExecutorReported report, int heartbeats) {
    for (int i = 0; i < heartbeats; i++) {
      shard.at(nowNs += HEARTBEAT, report);
    }
  }

  @Test
  void anExecutorIsLost_whenItHasNotReportedForALease() {
    shard.at(0, START);
    start(1);
    silence(9);
    assertThat(shard.core.running()).isEqualTo(1);
    assertThat(shard.core.wakeAtNs()).isEqualTo(nowNs + HEARTBEAT);
    silence(1);
    assertThat(shard.core.running()).isZero();
    assertThat(shard.core.waiting()).isEqualTo(1);
    assertThat(shard.kept).containsKeys("job/j1", "lost/2-0").doesNotContainKey("batch/2-0");
  }

  @Test
  void aReportRenewsTheLease() {
    shard.at(0, START);
    start(1);
    silence(9);
    alive(ALIVE, 1);
    silence(9);
    assertThat(shard.core.running()).isEqualTo(1);
  }

  @Test
  void ofAGapBetweenTwoFactsAtMostAHeartbeatCounts() {
    shard.at(0, START);
    start(1);
    shard.at(nowNs += 60_000 * MS, TICK);
    assertThat(shard.core.running()).as("the scheduler slept, not the executor").isEqualTo(1);
    silence(9);
    assertThat(shard.core.running()).isZero();
  }

  @Test
  void theJobsOfALostBatchStartElsewhere_asTheNextAttempt() {
    shard.at(0, START);
    start(1);
    silence(5);
    shard.at(nowNs, executor("f", 1, 400));
    assertThat(silence(5))
        .singleElement()
        .satisfies(
            again -> {
              assertThat(again.executorId()).isEqualTo("f");
              assertThat(Shard.jobIds(again)).containsExactly("j1");
              assertThat(again.work().attempt()).isEqualTo(2);
            });
  }

  @Test
  void theJobsFailAsLaneLost_afterTheLastAttempt() {
    shard.at(0, START);
    start(1);
    shard.at(nowNs, RESTARTED);
    BatchDispatched second = shard.dispatches.get(1);
    shard.at(nowNs, executor("e", 3, false, 1, 400, capabilities()));
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j1", Status.FAILED, "lane_lost", second.dispatchId(), 2, 0));
    assertThat(shard.kept.keySet()).containsExactlyInAnyOrder("progress", "executor/e", "lane/e/0");
  }

  @Test
  void aLaneWithALostBatchStaysOut_untilThatVeryDispatchIsAnswered() {
    shard.at(0, START);
    BatchDispatched lost = start(1);
    silence(10);
    alive(ALIVE, 1);
    assertThat(shard.dispatches).as("it is back, but its lane may hang").hasSize(1);
    assertThat(shard.at(nowNs, completed(lost, Result.FAILED, 0)))
        .extracting(dispatch -> dispatch.work().attempt())
        .containsExactly(2);
  }

  @Test
  void aLaneWithoutALostBatchIsUsableAgain_whenItsExecutorReports() {
    Shard two = Shard.of("fifo", leased(alone()), executor("e", 2, 400));
    two.at(0, START);
    two.at(0, job(1).arrives());
    for (int i = 1; i <= 10; i++) {
      two.at(i * HEARTBEAT, TICK);
    }
    assertThat(two.at(10 * HEARTBEAT, job(2).arrives())).isEmpty();
    assertThat(two.at(11 * HEARTBEAT, executor("e", 2, 400)))
        .singleElement()
        .satisfies(d -> assertThat(d.lanes()).containsExactly(1));
  }

  @Test
  void theTokensOfALostBatchStayHeld() {
    Shard two = Shard.of("fifo", leased(alone()), executor("e", 2, 400));
    two.at(0, START);
    two.at(0, job(1).on("vit").arrives()); // 264 of 400 tokens
    for (int i = 1; i <= 10; i++) {
      two.at(i * HEARTBEAT, TICK);
    }
    assertThat(two.at(11 * HEARTBEAT, executor("e", 2, 400))).isEmpty();
    assertThat(two.at(11 * HEARTBEAT, executor("e", 2, false, 2, 400, capabilities()))).hasSize(1);
  }

  @Test
  void theFirstCompletionOfAJobWins_whereverItComesFrom() {
    shard.at(0, START);
    BatchDispatched first = start(1);
    silence(5);
    shard.at(nowNs, executor("f", 1, 400));
    BatchDispatched second = silence(5).get(0);
    shard.at(nowNs, done(first));
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j1", Status.DONE, null, first.dispatchId(), 2, nowNs));
    shard.at(nowNs, done(second));
    assertThat(shard.ends).hasSize(1);
    assertThat(shard.kept.keySet())
        .as("and neither taught anything")
        .containsExactlyInAnyOrder("progress", "executor/e", "lane/e/0", "executor/f", "lane/f/0");
  }

  @Test
  void aLateCompletionTakesItsJobsOutOfTheQueue() {
    shard.at(0, START);
    BatchDispatched lost = start(1);
    silence(10);
    shard.at(nowNs, done(lost));
    assertThat(shard.core.waiting()).isZero();
    assertThat(shard.ends).extracting(JobEnded::status).containsExactly(Status.DONE);
    assertThat(shard.kept.keySet()).containsExactlyInAnyOrder("progress", "executor/e", "lane/e/0");
  }

  @Test
  void aNewIncarnationLosesAllThatTheOldOneHeld_andItsLanesAreFree() {
    shard.at(0, START);
    BatchDispatched first = start(1);
    BatchDispatched second = shard.at(nowNs, RESTARTED).get(0);
    assertThat(second.incarnation()).isEqualTo(2);
    assertThat(second.work().attempt()).isEqualTo(2);
    assertThat(shard.kept).as("the old one may still answer").containsKey("lost/2-0");
    shard.at(nowNs, done(second));
    assertThat(shard.kept).as("nobody waits for its answer now").doesNotContainKey("lost/2-0");
    shard.at(nowNs, done(first));
    assertThat(shard.ends).hasSize(1);
  }

  @Test
  void aLeavingExecutorLosesWhatItStillHolds_butItsLateCompletionCounts() {
    shard.at(0, START);
    BatchDispatched first = start(1);
    shard.at(nowNs, executor("e", 1, true, 1, 400, capabilities()));
    assertThat(shard.core.waiting()).isEqualTo(1);
    shard.at(nowNs, done(first));
    assertThat(shard.ends).extracting(JobEnded::status).containsExactly(Status.DONE);
  }

  @Test
  void aBatchIsOverdue_afterTenSeconds_orTenTimesItsPrediction() {
    shard.at(0, START);
    start(1);
    alive(ALIVE, 49);
    assertThat(shard.core.running()).isEqualTo(1);
    alive(ALIVE, 1);
    assertThat(shard.core.running()).isZero();
    assertThat(shard.kept).containsKey("lost/2-0");

    Shard slow =
        Shard.of(
            "fifo",
            leased(alone()),
            executor("e", 1, false, 1, 400, List.of(Facts.capability("resnet18", 2000))));
    ExecutorReported report =
        executor("e", 1, false, 1, 400, List.of(Facts.capability("resnet18", 2000)));
    slow.at(0, START);
    slow.at(0, job(1).arrives());
    for (int i = 1; i < 100; i++) {
      slow.at(i * HEARTBEAT, report);
    }
    assertThat(slow.core.running()).as("predicted are 2 s").isEqualTo(1);
    slow.at(100 * HEARTBEAT, report);
    assertThat(slow.core.running()).isZero();
  }

  @Test
  void ofABatchAheadTheTimeCounts_fromWhenItIsFirstOnItsLane() {
    Shard holding = Shard.of("fifo", leased(ahead(alone())), ALIVE).holding(job(1), job(2));
    BatchDispatched first = holding.at(0, START).get(0);
    for (int i = 1; i <= 40; i++) {
      holding.at(i * HEARTBEAT, ALIVE);
    }
    holding.at(40 * HEARTBEAT, done(first));
    for (int i = 41; i <= 89; i++) {
      holding.at(i * HEARTBEAT, ALIVE);
    }
    assertThat(holding.core.running()).isEqualTo(1);
    holding.at(90 * HEARTBEAT, ALIVE);
    assertThat(holding.core.running()).isZero();
  }

  @Test
  void aHungLaneLosesWhatItHoldsAheadToo() {
    Shard holding = Shard.of("fifo", leased(ahead(alone())), ALIVE).holding(job(1), job(2));
    holding.at(0, START);
    for (int i = 1; i <= 50; i++) {
      holding.at(i * HEARTBEAT, ALIVE);
    }
    assertThat(holding.kept).containsKeys("lost/3-0", "lost/3-1", "job/j1", "job/j2");
  }

  @Test
  void aLaneThatRefusedAsBusyTakesNothing_untilItIsReportedEmpty() {
    shard.at(0, START);
    BatchDispatched refused = start(1);
    assertThat(shard.at(nowNs, refusedAsBusy(refused))).isEmpty();
    assertThat(shard.at(nowNs, TICK)).isEmpty();
    assertThat(shard.at(nowNs, ALIVE)).as("it holds something").isEmpty();
    assertThat(shard.at(nowNs, empty(ALIVE, 0)))
        .extracting(dispatch -> dispatch.work().attempt())
        .as("a refusal is no attempt")
        .containsExactly(1);
  }

  @Test
  void aLaneThatRefusedAsBusyTakesAgain_whenItCompletesWhatItHeld() {
    shard.at(0, START);
    BatchDispatched lost = start(1);
    silence(10);
    alive(ALIVE, 1);
    assertThat(shard.at(nowNs, refusedAsBusy(lost))).isEmpty();
    assertThat(shard.at(nowNs, done(lost))).as("answered twice, and so free").hasSize(1);
  }

  @Test
  void aLaneThatRefusedForAnotherCauseTakesAgainAtOnce() {
    shard.at(0, START);
    assertThat(shard.at(nowNs, completed(start(1), Result.REFUSED, "too_late", 0))).hasSize(1);
  }
}
