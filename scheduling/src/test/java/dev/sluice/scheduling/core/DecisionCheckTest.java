package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.ahead;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.core.InvalidChoiceException.Rule;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each rule, broken on purpose. */
final class DecisionCheckTest {
  private static final Function<SchedulerState, Choice> NOTHING =
      state -> Choice.nothing(Cause.POLICY);

  /** A policy that the test tells what to answer. */
  private static final class Scripted implements SchedulingPolicy {
    private Function<SchedulerState, Choice> answer = NOTHING;

    @Override
    public Choice choose(SchedulerState state) {
      return answer.apply(state);
    }

    @Override
    public Needs needs() {
      return new Needs(Set.of(JobOrder.ARRIVAL, JobOrder.ENTRY, JobOrder.DEADLINE), Set.of());
    }
  }

  private final Scripted policy = new Scripted();

  private Shard shard(CoreSettings settings, Facts.Job... jobs) {
    Shard shard = new Shard(settings, policy);
    shard.at(0, executor("e", 2, 400));
    shard.holding(jobs);
    shard.at(MS, START);
    return shard;
  }

  private InvalidChoiceException broken(Shard shard, Function<SchedulerState, Choice> answer) {
    policy.answer = answer;
    InvalidChoiceException broken =
        catchThrowableOfType(InvalidChoiceException.class, () -> shard.at(2 * MS, TICK));
    assertThat(broken).as("no rule was broken").isNotNull();
    assertThat(broken).hasMessageContaining(broken.rule().name()).hasMessageContaining("Scripted");
    return broken;
  }

  private static Choice start(List<Job> jobs, Lane lane) {
    return Choice.start(jobs, List.of(lane));
  }

  private static Lane lane(SchedulerState state, int index) {
    return state.lanes().get(index);
  }

  /** All waiting jobs in order of entry. */
  private static List<Job> all(SchedulerState state) {
    List<Job> jobs = new ArrayList<>();
    for (SchedulerState.Group group : state.groups()) {
      for (int i = 0; i < group.waiting(); i++) {
        jobs.add(group.jobAt(i, JobOrder.ENTRY));
      }
    }
    jobs.sort(JobOrder.ENTRY);
    return jobs;
  }

  private static Choice startAll(SchedulerState state) {
    return start(all(state), lane(state, 0));
  }

  /** Starts the oldest job, then does nothing. */
  private static Function<SchedulerState, Choice> startOne() {
    boolean[] started = {false};
    return state -> {
      if (started[0]) {
        return Choice.nothing(Cause.POLICY);
      }
      started[0] = true;
      return start(List.of(all(state).get(0)), lane(state, 0));
    };
  }

  @Test
  void emptyBatch() {
    assertThat(broken(shard(alone(), job(1)), s -> start(List.of(), lane(s, 0))).rule())
        .isEqualTo(Rule.EMPTY_BATCH);
  }

  @Test
  void unknownJob_whenItIsOfAnotherCore() {
    List<Job> foreign = new ArrayList<>();
    Shard other = shard(alone(), job(1));
    policy.answer =
        s -> {
          foreign.addAll(all(s));
          return Choice.nothing(Cause.POLICY);
        };
    other.at(2 * MS, TICK);
    policy.answer = NOTHING;
    InvalidChoiceException broken = broken(shard(alone(), job(1)), s -> start(foreign, lane(s, 0)));
    assertThat(broken.rule()).isEqualTo(Rule.UNKNOWN_JOB);
    assertThat(broken).hasMessageContaining("job (j1)");
  }

  @Test
  void unknownJob_whenItHasEnded() {
    Shard shard = shard(alone(), job(1), job(2));
    List<Job> stale = new ArrayList<>();
    Function<SchedulerState, Choice> startOne = startOne();
    policy.answer =
        s -> {
          stale.addAll(all(s));
          return startOne.apply(s);
        };
    BatchDispatched dispatch = shard.at(MS, TICK).get(0);
    policy.answer = NOTHING;
    shard.at(MS, Facts.done(dispatch));
    assertThat(broken(shard, s -> start(List.of(stale.get(0)), lane(s, 0))).rule())
        .isEqualTo(Rule.UNKNOWN_JOB);
  }

  @Test
  void jobAssignedTwice_withinABatch() {
    Shard shard = shard(joining(0, 8), job(1));
    Function<SchedulerState, Choice> twice =
        s -> start(List.of(all(s).get(0), all(s).get(0)), lane(s, 0));
    assertThat(broken(shard, twice).rule()).isEqualTo(Rule.JOB_ASSIGNED_TWICE);
  }

  @Test
  void jobAssignedTwice_whenItRuns() {
    Shard shard = shard(alone(), job(1), job(2));
    List<Job> stale = new ArrayList<>();
    Function<SchedulerState, Choice> again =
        s -> {
          stale.addAll(all(s));
          return start(List.of(stale.get(0)), lane(s, 2 - s.waiting()));
        };
    assertThat(broken(shard, again).rule()).isEqualTo(Rule.JOB_ASSIGNED_TWICE);
  }

  @Test
  void noLane() {
    assertThat(broken(shard(alone(), job(1)), s -> Choice.start(all(s), List.of())).rule())
        .isEqualTo(Rule.NO_LANE);
  }

  @Test
  void unknownLane_whenItsExecutorHasLeft() {
    Shard shard = shard(alone(), job(1));
    List<Lane> lanes = new ArrayList<>();
    policy.answer =
        s -> {
          lanes.addAll(s.lanes());
          return Choice.nothing(Cause.POLICY);
        };
    shard.at(MS, TICK);
    shard.at(MS, executor("f", 1, 400));
    shard.at(MS, executor("e", 1, true, 2, 400, Facts.capabilities()));
    assertThat(broken(shard, s -> start(all(s), lanes.get(0))).rule()).isEqualTo(Rule.UNKNOWN_LANE);
  }

  @Test
  void laneBusy() {
    Shard shard = shard(alone(), job(1), job(2));
    InvalidChoiceException broken = broken(shard, s -> start(List.of(all(s).get(0)), lane(s, 0)));
    assertThat(broken.rule()).isEqualTo(Rule.LANE_BUSY);
    assertThat(broken).hasMessageContaining("lane (e/0) for jobs [j2]");
  }

  @Test
  void cannotRun() {
    assertThat(broken(shard(alone(), job(1).in("bf16")), DecisionCheckTest::startAll).rule())
        .isEqualTo(Rule.CANNOT_RUN);
  }

  @Test
  void tokensExceeded() {
    Shard shard = shard(alone(), job(1).on("vit"), job(2).on("vit"));
    InvalidChoiceException broken =
        broken(shard, s -> start(List.of(all(s).get(0)), lane(s, 2 - s.waiting())));
    assertThat(broken.rule()).isEqualTo(Rule.TOKENS_EXCEEDED);
    assertThat(broken).hasMessageContaining("(264) tokens").hasMessageContaining("(136) free");
  }

  @Test
  void microbatchNotShared_whenMicroBatchingIsOff() {
    assertThat(broken(shard(alone(), job(1), job(2)), DecisionCheckTest::startAll).rule())
        .isEqualTo(Rule.MICROBATCH_NOT_SHARED);
  }

  @Test
  void microbatchNotShared_whenAClassStartsAlone() {
    Shard shard = shard(joining(0, 8), job(1), job(2).interactive());
    assertThat(broken(shard, DecisionCheckTest::startAll).rule())
        .isEqualTo(Rule.MICROBATCH_NOT_SHARED);
  }

  @Test
  void microbatchIncompatible() {
    Shard shard = shard(joining(0, 8), job(1), job(2).on("resnet50"));
    assertThat(broken(shard, DecisionCheckTest::startAll).rule())
        .isEqualTo(Rule.MICROBATCH_INCOMPATIBLE);
  }

  @Test
  void microbatchTooLarge() {
    Shard shard = shard(joining(0, 8), job(1).samples(5), job(2).samples(4));
    assertThat(broken(shard, DecisionCheckTest::startAll).rule())
        .isEqualTo(Rule.MICROBATCH_TOO_LARGE);
  }

  @Test
  void microbatchUnripe() {
    Shard shard = shard(joining(10, 8), job(1), job(2));
    InvalidChoiceException broken = broken(shard, DecisionCheckTest::startAll);
    assertThat(broken.rule()).isEqualTo(Rule.MICROBATCH_UNRIPE);
    assertThat(broken).hasMessageContaining("ready at (10000000)");
  }

  @Test
  void classesMayMix_whenBothShareBatches() {
    Shard shard = shard(joining(0, 8), job(1), job(2).of("bulk"));
    policy.answer = s -> s.waiting() == 0 ? Choice.NOTHING_WAITS : startAll(s);
    assertThat(shard.jobsStartedAt(2 * MS, TICK)).containsExactly(List.of("j1", "j2"));
  }

  @Test
  void notAfterInPast() {
    Shard shard = shard(alone(), job(1));
    Function<SchedulerState, Choice> late =
        s -> Choice.start(all(s), List.of(lane(s, 0))).notAfter(s.nowNs() - 1);
    assertThat(broken(shard, late).rule()).isEqualTo(Rule.NOT_AFTER_IN_PAST);
  }

  @Test
  void notBeforeTooLate() {
    Shard shard = shard(alone(), job(1));
    assertThat(
            broken(
                    shard,
                    s ->
                        ((Choice.Start) start(all(s), lane(s, 0)))
                            .notBefore(s.nowNs() + 2)
                            .notAfter(s.nowNs() + 1))
                .rule())
        .isEqualTo(Rule.NOT_BEFORE_TOO_LATE);
  }

  @Test
  void wakeInPast() {
    Shard shard = shard(alone(), job(1));
    assertThat(broken(shard, s -> Choice.nothingUntil(s.nowNs(), Cause.POLICY)).rule())
        .isEqualTo(Rule.WAKE_IN_PAST);
  }

  @Test
  void unsupported_whenALaneIsToBePrepared() {
    Shard shard = shard(alone(), job(1));
    assertThat(broken(shard, s -> Choice.prepare(lane(s, 0), s.sets().get(0), List.of())).rule())
        .isEqualTo(Rule.UNSUPPORTED);
  }

  @Test
  void gangSize_whenAJobOfOneLaneGetsTwo() {
    Shard shard = shard(alone(), job(1));
    assertThat(broken(shard, s -> startOn(s, 0, 1)).rule()).isEqualTo(Rule.GANG_SIZE);
  }

  @Test
  void gangSize_whenAJobOfTwoLanesGetsOne() {
    Shard shard = shard(alone(), job(1).lanes(2));
    assertThat(broken(shard, s -> startOn(s, 0)).rule()).isEqualTo(Rule.GANG_SIZE);
  }

  @Test
  void gangNotConsecutive_whenItsLanesStandTheWrongWayRound() {
    Shard shard = shard(alone(), job(1).lanes(2));
    assertThat(broken(shard, s -> startOn(s, 1, 0)).rule()).isEqualTo(Rule.GANG_NOT_CONSECUTIVE);
  }

  @Test
  void gangNotConsecutive_whenALaneIsThereTwice() {
    Shard shard = shard(alone(), job(1).lanes(2));
    assertThat(broken(shard, s -> startOn(s, 0, 0)).rule()).isEqualTo(Rule.GANG_NOT_CONSECUTIVE);
  }

  @Test
  void laneBusy_whenAGangWantsALaneThatHoldsABatch() {
    Shard shard = shard(ahead(alone()), job(1), job(2).lanes(2));
    policy.answer = startOne();
    shard.at(MS, TICK);
    assertThat(broken(shard, s -> startOn(s, 0, 1)).rule()).isEqualTo(Rule.LANE_BUSY);
  }

  private static Choice startOn(SchedulerState state, int... lanes) {
    return Choice.start(all(state), IntStream.of(lanes).mapToObj(i -> lane(state, i)).toList());
  }

  @Test
  void passesNotAfterAndTermsOn_whenTheAnswerIsValid() {
    Shard shard = shard(alone(), job(1));
    policy.answer =
        s ->
            s.waiting() == 0
                ? Choice.NOTHING_WAITS
                : Choice.start(all(s), List.of(lane(s, 1)))
                    .notAfter(9 * MS)
                    .because(Map.of("why", 1.0));
    BatchDispatched dispatch = shard.at(2 * MS, TICK).get(0);
    assertThat(dispatch.decision().notAfterNs()).isEqualTo(9 * MS);
    assertThat(dispatch.decision().scoreTerms()).containsEntry("why", 1.0);
    assertThat(dispatch.lanes()).containsExactly(1);
    policy.answer = NOTHING;
    shard.at(3 * MS, Facts.completed(dispatch, Result.REFUSED, 0));
    assertThat(shard.core.waiting()).isEqualTo(1);
  }

  @Test
  void aStartMayBeRefusedFromNowOn() {
    Shard shard = shard(alone(), job(1));
    policy.answer = s -> Choice.start(all(s), List.of(lane(s, 0))).notAfter(s.nowNs());
    assertThat(shard.at(2 * MS, TICK))
        .extracting(dispatch -> dispatch.decision().notAfterNs())
        .containsExactly(2 * MS);
  }
}
