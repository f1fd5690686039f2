package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.ahead;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of every registered policy, and of those that say that they are work-conserving. */
final class EveryPolicyTest {
  static List<String> names() {
    return Policies.names();
  }

  static List<String> workConserving() {
    return Policies.names().stream()
        .filter(name -> Policies.create(name, Map.of()).isWorkConserving())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void startsNothing_whenNothingWaits(String name) {
    Shard shard = Shard.of(name, alone(), executor("e", 2, 1000));
    assertThat(shard.at(0, START)).isEmpty();
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("workConserving")
  void startsTheOnlyJob_whenALaneIsIdle(String name) {
    Shard shard = Shard.of(name, alone(), executor("e", 2, 1000)).holding(job(1));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j1"));
  }

  @ParameterizedTest
  @MethodSource("workConserving")
  void usesEveryLane_whenEnoughWaits(String name) {
    usesEveryLane(name);
  }

  /** Holds of jobs that all fit. */
  static void usesEveryLane(String name) {
    Shard shard =
        Shard.of(name, alone(), executor("a", 2, 1000), executor("b", 1, 1000))
            .holding(job(1), job(2), job(3), job(4));
    assertThat(shard.at(0, START))
        .extracting(d -> d.executorId() + d.lanes())
        .containsExactly("a[0]", "a[1]", "b[0]");
  }

  @ParameterizedTest
  @MethodSource("workConserving")
  void fillsEmptyLanesFirst_thenOneBatchAheadOnEach(String name) {
    fillsEmptyLanesFirst(name);
  }

  /** Holds of jobs that all fit. */
  static void fillsEmptyLanesFirst(String name) {
    Shard shard =
        Shard.of(name, ahead(alone()), executor("a", 2, 1000), executor("b", 1, 1000))
            .holding(job(1), job(2), job(3), job(4), job(5), job(6), job(7));
    assertThat(shard.at(0, START))
        .extracting(d -> d.executorId() + d.lanes())
        .containsExactly("a[0]", "a[1]", "b[0]", "a[0]", "a[1]", "b[0]");
  }

  @ParameterizedTest
  @MethodSource("names")
  void startsEveryJobInTheEnd_alsoWithBatchesAhead(String name) {
    startsEveryJobInTheEnd(
        Shard.of(name, ahead(joining(10, 16)), executor("e", 2, 600)), drops(name));
  }

  @ParameterizedTest
  @MethodSource("names")
  void givesTheSameAnswerTwice(String name) {
    SchedulingPolicy policy = Policies.create(name, Map.of());
    SchedulingPolicy askedTwice =
        new SchedulingPolicy() {
          @Override
          public Choice choose(SchedulerState state) {
            Choice first = policy.choose(state);
            assertThat(policy.choose(state)).isEqualTo(first);
            return first;
          }

          @Override
          public Needs needs() {
            return policy.needs();
          }
        };
    Shard shard = new Shard(joining(10, 8), askedTwice);
    shard.at(0, executor("e", 2, 500));
    shard.holding(job(1), job(2).interactive(), job(3).samples(5), job(4).on("vit"));
    shard.at(0, START);
    shard.at(10 * MS, TICK);
    assertThat(shard.dispatches).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void startsEveryJobInTheEnd_whenArrivalsCease(String name) {
    startsEveryJobInTheEnd(Shard.of(name, joining(10, 16), executor("e", 2, 600)), drops(name));
  }

  private static boolean drops(String name) {
    return Policies.create(name, Map.of()).needs().has(Need.DROPPING);
  }

  /**
   * @param drops whether the policy may drop jobs
   */
  private static void startsEveryJobInTheEnd(Shard shard, boolean drops) {
    for (int i = 1; i <= 60; i++) {
      shard.holding(i % 3 == 0 ? job(i).interactive() : job(i).samples(1 + i % 7));
    }
    Queue<BatchDispatched> running = new ArrayDeque<>(shard.at(0, START));
    long nowNs = 10 * MS;
    running.addAll(shard.at(nowNs, TICK));
    boolean goesOn = !running.isEmpty() || shard.core.wakeAtNs() < Long.MAX_VALUE;
    for (int step = 0; goesOn && step < 10_000; step++) {
      nowNs += 10 * MS;
      running.addAll(shard.at(nowNs, running.isEmpty() ? TICK : done(running.remove())));
      goesOn = !running.isEmpty() || shard.core.wakeAtNs() < Long.MAX_VALUE;
    }
    assertThat(shard.core.waiting()).isZero();
    assertThat(shard.ends)
        .hasSize(60)
        .allMatch(end -> end.status() == JobEnded.Status.DONE || Reason.POLICY.is(end.reason()))
        .anyMatch(end -> end.status() == JobEnded.Status.DONE);
    if (!drops) {
      assertThat(shard.ends).allMatch(end -> end.status() == JobEnded.Status.DONE);
    }
  }
}
