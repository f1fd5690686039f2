package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.ALONE;
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
import static dev.sluice.scheduling.core.Facts.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        .containsExactly(new JobEnded("j4", Status.DROPPED, "queue_full", null, 0, MS));
    assertThat(shard.core.waiting()).isEqualTo(2);
  }

  @Test
  void aJobThatComesBackIsNeverTurnedAway() {
    Shard shard = Shard.of("fifo", bounded(1, 1_000_000), executor("e", 1, 1000));
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
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
        .containsExactly(
            new JobEnded("j2", Status.DROPPED, "waited_too_long", null, 0, 53 * MS + 1));
    assertThat(shard.core.wakeAtNs()).isEqualTo(54 * MS + 1);
  }

  @Test
  void aJobThatComesBackTooOldIsDropped() {
    Shard shard = Shard.of("fifo", bounded(100, 50), executor("e", 1, 1000));
    shard.at(0, START);
    BatchDispatched dispatch = shard.at(0, job(1).arrives()).get(0);
    shard.at(60 * MS, completed(dispatch, Result.REFUSED, 0));
    assertThat(shard.ends).extracting(JobEnded::reason).containsExactly("waited_too_long");
  }

  @Test
  void theRunEnds_tenSecondsAfterItsLastPossibleArrival_thoughASourceIsSilent() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 1000));
    shard.at(0, Facts.started(2, 500 * MS));
    shard.at(0, job(1).arrives());
    shard.at(0, job(2).arrives());
    shard.at(MS, ArrivalsEnded.punctual(1, 0));
    assertThat(shard.core.wakeAtNs()).isEqualTo(10_500 * MS + 1);
    shard.at(10_500 * MS, TICK);
    assertThat(shard.ends).isEmpty();
    shard.at(10_501 * MS, TICK);
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j2", Status.DROPPED, "run_ended", null, 0, 10_501 * MS));
    shard.at(10_502 * MS, job(3).arrives());
    assertThat(shard.ends).extracting(JobEnded::jobId).containsExactly("j2", "j3");
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
    shard.at(10_503 * MS, done(shard.dispatches.get(0)));
    assertThat(shard.ends).extracting(JobEnded::status).contains(Status.DONE);
  }

  @Test
  void aJobTooLargeForEveryBudgetRunsAloneOutsideIt_withCpuFallback() {
    Shard shard =
        Shard.of("fifo", cpuFallback(joining(0, 8)), executor("e", 2, 100))
            .holding(job(1), job(2).on("vit"), job(3).on("vit"));
    assertThat(shard.at(0, START))
        .extracting(Shard::jobIds, BatchDispatched::tokens)
        .containsExactly(tuple(List.of("j1"), 84), tuple(List.of("j2"), 0));
  }

  @Test
  void aJobThatFitsSomewhereStaysInsideTheBudget_withCpuFallback() {
    Shard shard =
        Shard.of(
            "fifo", cpuFallback(alone()), executor("small", 1, 100), executor("large", 1, 300));
    shard.at(0, START);
    assertThat(shard.at(0, job(1).on("vit").arrives()))
        .extracting(BatchDispatched::executorId, BatchDispatched::tokens)
        .containsExactly(tuple("large", 264));
    assertThat(shard.at(0, job(2).on("vit").arrives())).isEmpty();
  }

  @Test
  void theRunEndsInSlices_andNothingStartsBetweenThem() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 1000));
    shard.at(0, START);
    BatchDispatched running = shard.at(0, job(0).arrives()).get(0);
    for (int i = 1; i <= 1_200; i++) {
      shard.at(i, job(i).arrives());
    }
    shard.at(MS, ArrivalsEnded.punctual(0, 1_201));
    assertThat(shard.ends).hasSize(500).extracting(JobEnded::reason).containsOnly("run_ended");
    assertThat(shard.core.wakeAtNs()).isEqualTo(MS + 1);

    assertThat(shard.at(MS, done(running))).as("a lane is free").isEmpty();
    assertThat(shard.ends).hasSize(1_001);
    assertThat(shard.core.wakeAtNs()).isEqualTo(MS + 1);

    shard.at(2 * MS, TICK);
    assertThat(shard.core.waiting()).isZero();
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(shard.ends)
        .extracting(JobEnded::jobId)
        .doesNotHaveDuplicates()
        .hasSize(1_201)
        .startsWith("j1", "j2")
        .endsWith("j1199", "j1200");
    assertThat(shard.dispatches).containsExactly(running);
  }

  /** A replay asks one policy in the states of another, and keeps the orders that both read. */
  @Test
  void theSameJobsAreInASlice_whateverOrdersThePolicyReads() {
    List<JobEnded> ends = new ArrayList<>();
    for (String policy : Policies.names()) {
      Shard shard = Shard.of(policy, alone());
      shard.at(0, START);
      for (int i = 0; i < 600; i++) {
        shard.at(0, job(i).on(i % 2 == 0 ? "vit" : "resnet18").sloMs(2_000 - i).arrives());
      }
      shard.at(MS, ArrivalsEnded.punctual(0, 600));
      ends = ends.isEmpty() ? shard.ends : ends;
      assertThat(shard.ends).as(policy).isEqualTo(ends).hasSize(500);
    }
  }

  @Test
  void everyReasonToDropGoesInSlices_alsoIfAnotherCoreGoesOn() {
    for (Case slow :
        List.of(
            new Case("waited_too_long", bounded(2_000, 50), 60 * MS, TICK),
            new Case("expired", settings(ALONE, Admission.EXPIRED), 160 * MS, TICK),
            new Case("over_budget", alone(), 60 * MS, executor("e", 1, 70)),
            new Case("run_ended", alone(), 60 * MS, ArrivalsEnded.punctual(0, 1_301)))) {
      Shard shard = Shard.of("fifo", slow.settings(), executor("e", 1, 1000));
      shard.at(0, START);
      shard.at(0, job(0).sloMs(10_000).arrives());
      for (int i = 1; i <= 1_300; i++) {
        shard.at(0, job(i).sloMs(150).arrives());
      }
      shard.at(slow.atNs(), slow.fact());
      assertThat(shard.ends).as(slow.reason()).hasSize(500);

      Shard other =
          shard.restored(
              slow.settings(), Policies.create("fifo", Map.of()), List.copyOf(shard.kept.values()));
      assertThat(other.core.wakeAtNs()).isEqualTo(shard.core.wakeAtNs()).isEqualTo(slow.atNs() + 1);
      for (int i = 1; i <= 2; i++) {
        shard.at(slow.atNs() + i * MS, TICK);
        other.at(slow.atNs() + i * MS, TICK);
        assertThat(other.core.wakeAtNs()).isEqualTo(shard.core.wakeAtNs());
      }
      assertThat(shard.core.waiting()).isZero();
      assertThat(shard.ends)
          .hasSize(1_300)
          .extracting(JobEnded::reason)
          .containsOnly(slow.reason());
      assertThat(other.ends).isEqualTo(shard.ends.subList(500, 1_300));
    }
  }

  /** A fact that makes 1,300 waiting jobs end. */
  private record Case(String reason, CoreSettings settings, long atNs, Fact fact) {}

  @Test
  void aJobOfMoreTokensThanAnyExecutorCouldHaveIsDropped_evenBeforeTheRunStarts() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 1000));
    shard.at(0, job(1).samples(1_000_000_000).arrives());
    assertThat(shard.ends)
        .containsExactly(new JobEnded("j1", Status.DROPPED, "over_budget", null, 0, 0));
    assertThat(shard.core.waiting()).isZero();
  }
}
