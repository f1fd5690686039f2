package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.capabilities;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.prediction.ModelTimes.PredictionSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What each fact does to the core. */
final class SchedulingCoreTest {
  private final Shard shard = Shard.of("fifo", alone(), executor("e", 1, 400));

  @Test
  void startsNothingAndMovesNoClock_beforeTheRunStarts() {
    assertThat(shard.at(50 * MS, job(1).arrives())).isEmpty();
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(shard.at(-5 * MS, START))
        .extracting(BatchDispatched::decidedAtNs)
        .containsExactly(0L);
  }

  @Test
  void neverGoesBackInTime() {
    shard.at(20 * MS, START);
    assertThat(shard.at(10 * MS, job(1).arrives()))
        .extracting(BatchDispatched::decidedAtNs)
        .containsExactly(20 * MS);
  }

  @Test
  void namesDispatchesByFactAndIndex() {
    Shard two = Shard.of("fifo", alone(), executor("e", 2, 400)).holding(job(1), job(2));
    assertThat(two.at(0, START))
        .extracting(BatchDispatched::dispatchId)
        .containsExactly(new DispatchId(3, 0), new DispatchId(3, 1));
  }

  @Test
  void saysAllOfADispatch() {
    shard.at(0, START);
    BatchDispatched dispatch = shard.at(5 * MS, job(1).samples(2).in("fp32").arrives()).get(0);
    assertThat(dispatch)
        .isEqualTo(
            new BatchDispatched(
                new DispatchId(2, 0),
                new BatchDispatched.Place("e", 1, List.of(0)),
                new BatchDispatched.Work(
                    new ModelKey("resnet18", "pytorch", "fp32"),
                    List.of(new DispatchedJob("j1", 2)),
                    2,
                    88,
                    1),
                new BatchDispatched.Decision(5 * MS, null, Map.of(), null, null),
                Prediction.ofMean(20 * MS, PredictionSource.NEAREST_SAMPLES.text(), 1)));
  }

  @Test
  void roundsTheTokensOfHalfPrecisionUp() {
    Capability half = new Capability("resnet18", "pytorch", "bf16", 1, List.of());
    Shard bf16 = Shard.of("fifo", alone(), executor("e", 1, false, 1, 400, List.of(half)));
    bf16.at(0, START);
    assertThat(bf16.at(0, job(1).in("bf16").arrives()))
        .extracting(BatchDispatched::tokens)
        .containsExactly(59); // 0.7 × 84 = 58.8
  }

  @Test
  void ignoresAJob_whenItsSourceHasSentAHigherIndex() {
    shard.at(0, START);
    shard.at(0, job(5).arrives());
    shard.at(0, job(5).arrives());
    shard.at(0, job(4).arrives());
    assertThat(shard.dispatches).hasSize(1);
    assertThat(shard.core.waiting()).isZero();
  }

  @Test
  void ignoresASecondStartOfTheRun() {
    shard.at(0, START);
    shard.at(0, Facts.started(5, Long.MAX_VALUE));
    shard.at(0, job(1).arrives());
    shard.at(0, job(2).arrives());
    shard.at(0, ArrivalsEnded.punctual(0, 2));
    assertThat(shard.ends).extracting(JobEnded::reason).containsExactly("run_ended");
  }

  @Test
  void endsTheJobs_whenTheirBatchIsDone() {
    shard.at(0, START);
    BatchDispatched dispatch = shard.at(0, job(1).arrives()).get(0);
    shard.at(7 * MS, done(dispatch));
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j1", Status.DONE, null, dispatch.dispatchId(), 1, 7 * MS));
    assertThat(shard.core.running()).isZero();
    assertThat(shard.kept.keySet())
        .containsExactlyInAnyOrder(
            "progress", "executor/e", "lane/e/0", "mean/cpu/resnet18/pytorch/fp32/1");
  }

  @Test
  void failsTheJobsWithTheCause_whenTheirBatchFailed() {
    shard.at(0, START);
    BatchDispatched dispatch = shard.at(0, job(1).arrives()).get(0);
    shard.at(7 * MS, completed(dispatch, Result.FAILED, 0));
    assertThat(shard.ends)
        .containsExactly(
            new JobEnded("j1", Status.FAILED, "it broke", dispatch.dispatchId(), 1, 7 * MS));
  }

  @Test
  void putsTheJobsBackWhereTheyWere_whenTheirBatchWasRefused() {
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    shard.at(3 * MS, job(2).arrives());
    assertThat(shard.at(4 * MS, completed(first, Result.REFUSED, 0)))
        .singleElement()
        .satisfies(
            again -> {
              assertThat(Shard.jobIds(again)).containsExactly("j1");
              assertThat(again.work().attempt()).isEqualTo(1);
            });
    assertThat(shard.kept).containsKeys("job/j2", "batch/4-0").doesNotContainKey("batch/2-0");
  }

  @Test
  void ignoresACompletion_whenItHoldsNoSuchDispatch() {
    shard.at(0, START);
    BatchDispatched dispatch = shard.at(0, job(1).arrives()).get(0);
    shard.at(1 * MS, done(dispatch));
    shard.at(2 * MS, done(dispatch));
    shard.at(2 * MS, BatchCompleted.done(new DispatchId(99, 0), "e", 1, 0, 0, MS, 1));
    assertThat(shard.ends).hasSize(1);
  }

  @Test
  void givesALeavingExecutorNothing_untilANewIncarnationJoins() {
    shard.at(0, executor("e", 1, true, 1, 400, capabilities()));
    shard.at(0, START);
    assertThat(shard.at(0, job(1).arrives())).isEmpty();
    assertThat(shard.at(2 * MS, executor("e", 1, 400))).as("it has left for good").isEmpty();
    assertThat(shard.at(3 * MS, executor("e", 2, false, 1, 400, capabilities()))).hasSize(1);
  }

  @Test
  void ignoresTheReportOfAnOlderIncarnation() {
    shard.at(0, executor("e", 3, false, 1, 400, capabilities()));
    shard.at(0, executor("e", 2, true, 1, 400, capabilities()));
    shard.at(0, START);
    assertThat(shard.at(0, job(1).arrives()))
        .extracting(BatchDispatched::incarnation)
        .containsExactly(3L);
  }

  @Test
  void aJobWaits_untilAnExecutorJoinsThatCanRunIt() {
    shard.at(0, START);
    assertThat(shard.at(0, job(1).in("bf16").arrives())).isEmpty();
    Capability bf16 = new Capability("resnet18", "pytorch", "bf16", 1, List.of());
    assertThat(shard.at(MS, executor("f", 1, false, 1, 400, List.of(bf16))))
        .extracting(BatchDispatched::executorId)
        .containsExactly("f");
  }

  @Test
  void dropsAJob_whenItCostsMoreThanEveryBudget() {
    shard.at(0, START);
    shard.at(0, job(1).samples(100).arrives());
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j1", Status.DROPPED, "over_budget", null, 0, 0));
  }

  @Test
  void dropsAWaitingJob_whenTheOnlyLargeEnoughExecutorLeaves() {
    shard.at(0, executor("large", 1, 1000));
    shard.at(0, START);
    shard.at(0, job(1).samples(100).arrives());
    shard.at(0, job(2).samples(100).arrives());
    assertThat(shard.dispatches).extracting(BatchDispatched::executorId).containsExactly("large");
    shard.at(MS, executor("large", 1, true, 1, 1000, capabilities()));
    assertThat(shard.ends)
        .as("what it ran is lost")
        .extracting(JobEnded::jobId)
        .contains("j1", "j2");
    assertThat(shard.ends).extracting(JobEnded::reason).containsOnly("over_budget").hasSize(2);
  }

  @Test
  void judgesNoBudget_beforeAnyExecutorHasJoined() {
    Shard empty = Shard.of("fifo", alone());
    empty.at(0, START);
    empty.at(0, job(1).samples(100).arrives());
    assertThat(empty.ends).isEmpty();
    empty.at(0, executor("e", 1, 100));
    assertThat(empty.ends).extracting(JobEnded::reason).containsExactly("over_budget");
  }

  @Test
  void dropsAJobAsUnrunnable_whenItsClassOrWorkloadIsUnknownOrItNeedsNoLane() {
    shard.at(0, START);
    shard.at(0, job(1).of("nobody").arrives());
    shard.at(0, job(2).on("nothing").arrives());
    shard.at(0, job(3).lanes(0).arrives());
    shard.at(0, job(4).samples(0).arrives());
    assertThat(shard.ends).extracting(JobEnded::jobId).containsExactly("j1", "j2", "j3", "j4");
    assertThat(shard.ends).extracting(JobEnded::reason).containsOnly("unrunnable");
  }

  @Test
  void dropsWhatWaits_whenTheLastSourceHasEnded_alsoWhatComesBackLater() {
    shard.at(0, Facts.started(2, Long.MAX_VALUE));
    BatchDispatched running = shard.at(0, job(1).arrives()).get(0);
    shard.at(0, job(2).arrives());
    shard.at(0, ArrivalsEnded.punctual(1, 0));
    assertThat(shard.ends).isEmpty();
    shard.at(MS, ArrivalsEnded.punctual(0, 2));
    assertThat(shard.ends).extracting(JobEnded::jobId).containsExactly("j2");
    shard.at(2 * MS, completed(running, Result.REFUSED, 0));
    shard.at(3 * MS, job(3).arrives());
    assertThat(shard.ends).extracting(JobEnded::jobId).containsExactly("j2", "j1", "j3");
    assertThat(shard.ends).extracting(JobEnded::reason).containsOnly("run_ended");
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void predictsFromCompletions_onceThereAreSome() {
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    assertThat(first.prediction())
        .isEqualTo(Prediction.ofMean(10 * MS, PredictionSource.WARM_UP.text(), 1));
    shard.at(MS, completed(first, Result.DONE, 30 * MS));
    BatchDispatched second = shard.at(MS, job(2).arrives()).get(0);
    shard.at(2 * MS, completed(second, Result.DONE, 40 * MS));
    assertThat(shard.at(2 * MS, job(3).arrives()).get(0).prediction())
        .isEqualTo(Prediction.ofMean(35 * MS, PredictionSource.RUNNING_MEAN.text(), 1));
  }

  @Test
  void wakesWhenThePolicyAsked_alsoAfterARestore() {
    CoreSettings settings = alone();
    List<Long> untilNs = new ArrayList<>(List.of(90 * MS, 70 * MS));
    SchedulingPolicy sleeper =
        new SchedulingPolicy() {
          @Override
          public Choice choose(SchedulerState state) {
            return Choice.nothingUntil(untilNs.get(0), Choice.Cause.POLICY);
          }

          @Override
          public Needs needs() {
            return Needs.of(JobOrder.ENTRY);
          }
        };
    Shard sleeping = new Shard(settings, sleeper);
    sleeping.at(0, executor("e", 1, 400));
    sleeping.at(0, START);
    sleeping.at(0, job(1).arrives());
    assertThat(sleeping.core.wakeAtNs()).isEqualTo(90 * MS);
    untilNs.remove(0);
    sleeping.at(0, TICK);
    assertThat(sleeping.core.wakeAtNs()).as("the last answer counts").isEqualTo(70 * MS);
    Shard restored = sleeping.restored(settings, sleeper, List.copyOf(sleeping.kept.values()));
    assertThat(restored.core.wakeAtNs()).isEqualTo(70 * MS);
  }

  @Test
  void findsTheBatch_whicheverLaneItsCompletionNames() {
    for (int lane : new int[] {0, 1, 7}) {
      Shard two = Shard.of("fifo", alone(), executor("d", 1, 10), executor("e", 2, 400));
      two.at(0, START);
      BatchDispatched first = two.at(0, job(1).arrives()).get(0);
      assertThat(first.executorId()).isEqualTo("e");
      two.at(MS, BatchCompleted.done(first.dispatchId(), "e", first.incarnation(), lane, 0, MS, 1));
      assertThat(two.ends).extracting(JobEnded::jobId).containsExactly("j1");
      assertThat(two.core.running()).isZero();
    }
  }
}
