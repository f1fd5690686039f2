package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static dev.sluice.scheduling.core.Facts.leased;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.core.Inspection.Candidate;
import dev.sluice.scheduling.core.Inspection.LaneUse;
import dev.sluice.scheduling.core.Inspection.TokenUse;
import dev.sluice.scheduling.core.Inspection.WaitReasons;
import dev.sluice.scheduling.core.Inspection.WatchedJob;
import dev.sluice.scheduling.core.RandomFacts.Timed;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.LostBatch;
import dev.sluice.scheduling.driver.CoreEntity.RunningBatch;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What a core tells of its state, and that telling it changes nothing. */
final class InspectionTest {
  private static WatchedJob watched(Shard shard, int index) {
    return requireNonNull(shard.core.inspection().find("j" + index));
  }

  private static WaitReasons reasons(Shard shard, int index) {
    return watched(shard, index).reasons();
  }

  @Example
  void noExecutorRunsTheModel() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 400));
    shard.at(0, START);
    shard.at(0, job(1).in("bf16").arrives());
    assertThat(reasons(shard, 1))
        .isEqualTo(new WaitReasons(List.of(Cause.CAPABILITY), 59, 0, Long.MIN_VALUE));
  }

  @Example
  void noExecutorHasTheLanesOfAGang() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 2, 400));
    shard.at(0, START);
    shard.at(0, job(1).lanes(3).arrives());
    assertThat(reasons(shard, 1).causes()).containsExactly(Cause.CAPABILITY);
  }

  @Example
  void theOnlyExecutorIsLost() {
    Shard shard = Shard.of("fifo", leased(alone()), executor("e", 1, 400));
    shard.at(0, START);
    shard.at(0, job(1).arrives());
    for (int i = 1; i <= 11; i++) {
      shard.at(i * 200 * MS, TICK);
    }
    assertThat(reasons(shard, 1).causes()).containsExactly(Cause.CAPABILITY);
    assertThat(shard.core.inspection().waitingJobs().get(0).attempts()).isOne();
    assertThat(watched(shard, 1).canRunOn("e")).isFalse();
    assertThat(shard.core.inspection().lanes()).extracting(LaneUse::hangs).containsExactly(true);
  }

  @Example
  void noLaneIsIdle_andBesideItTheTokensAreTooFew() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 400));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").arrives());
    shard.at(0, job(2).arrives());
    shard.at(0, job(3).on("vit").arrives());
    assertThat(reasons(shard, 2))
        .isEqualTo(new WaitReasons(List.of(Cause.LANE), 84, 136, Long.MIN_VALUE));
    assertThat(reasons(shard, 3))
        .isEqualTo(new WaitReasons(List.of(Cause.LANE, Cause.TOKENS), 264, 136, Long.MIN_VALUE));
  }

  @Example
  void theTokensAreTooFew_whereALaneIsIdle() {
    Shard shard = Shard.of("priority_slo", alone(), executor("e", 2, 400), executor("f", 1, 300));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").arrives());
    shard.at(0, job(2).on("vit").arrives()); // on f/0, so that e/1 alone is idle
    shard.at(0, job(3).on("vit").arrives());
    assertThat(reasons(shard, 3))
        .isEqualTo(new WaitReasons(List.of(Cause.TOKENS), 264, 136, Long.MIN_VALUE));
    assertThat(shard.core.inspection().tokens())
        .containsExactly(new TokenUse("e", 400, 136), new TokenUse("f", 300, 36));
  }

  @Example
  void theSetGathers() {
    Shard shard = Shard.of("fifo", joining(10, 8), executor("e", 1, 400));
    shard.at(0, START);
    shard.at(3 * MS, job(1).arrives());
    assertThat(reasons(shard, 1))
        .isEqualTo(new WaitReasons(List.of(Cause.WINDOW), 84, 400, 13 * MS));
    shard.at(4 * MS, job(2).arrives());
    assertThat(watched(shard, 1).othersToShareWith()).isOne();
  }

  @Example
  void thePolicyLetsNobodyOvertake() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 2, 400));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").arrives());
    shard.at(MS, job(2).on("vit").atMs(1).arrives());
    shard.at(2 * MS, job(3).atMs(2).arrives());
    assertThat(reasons(shard, 2).first()).isEqualTo(Cause.TOKENS);
    assertThat(reasons(shard, 3))
        .isEqualTo(new WaitReasons(List.of(Cause.POLICY), 84, 136, Long.MIN_VALUE));
    assertThat(shard.core.inspection().waitingByCause())
        .isEqualTo(Map.of(Cause.TOKENS, 1, Cause.POLICY, 1));
    assertThat(shard.core.inspection().candidates(5))
        .extracting(c -> c.job().id())
        .containsExactly("j3");
  }

  @Example
  void tellsWhatWaits_whatLanesHold_andUntilWhen() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 2, 400));
    shard.at(0, START);
    shard.at(4 * MS, job(1).on("vit").arrives());
    shard.at(5 * MS, job(2).on("vit").arrives());
    shard.at(6 * MS, job(3).interactive().atMs(6).arrives());
    Inspection inspection = shard.core.inspection();
    assertThat(inspection.nowNs()).isEqualTo(6 * MS);
    assertThat(inspection.waitingJobs())
        .extracting(w -> w.spec().id(), WaitingJob::appendedAtNs, w -> w.spec().classType())
        .containsExactly(tuple("j2", 5 * MS, "batch"), tuple("j3", 6 * MS, "interactive"));
    assertThat(inspection.lanes())
        .containsExactly(
            new LaneUse("e", 0, false, false, List.of(shard.dispatches.get(0)), 104 * MS, "vit"),
            new LaneUse("e", 1, true, false, List.of(), 0, null));
  }

  @Example
  void candidatesStandByTheirScore_asThePolicyReckonsIt() {
    Shard shard =
        Shard.of("dynamic", alone(), executor("e", 1, 400))
            .holding(job(1).on("vit"), job(2), job(3).interactive());
    List<Candidate> candidates = shard.core.inspection().candidates(2);
    assertThat(candidates).extracting(c -> c.job().id()).containsExactly("j3", "j2");
    BatchDispatched first = shard.at(0, START).get(0);
    assertThat(candidates.get(0).terms()).isEqualTo(first.decision().scoreTerms());
    assertThat(candidates.get(0).score())
        .isEqualTo(first.decision().scoreTerms().values().stream().mapToDouble(t -> t).sum());
    assertThat(shard.core.inspection().candidates(9)).as("no lane is idle").isEmpty();
  }

  @Example
  void aJobCanRunOnExecutorsThatRunItsModel_beTheyBusyOrNot() {
    Shard shard =
        Shard.of(
            "fifo",
            alone(),
            executor("e", 1, 400),
            executor("f", 1, false, 1, 400, List.of(Facts.capability("vit", 1))));
    shard.at(0, START);
    shard.at(0, job(1).arrives());
    shard.at(0, job(2).arrives());
    assertThat(watched(shard, 2).canRunOn("e")).isTrue();
    assertThat(watched(shard, 2).canRunOn("f")).isFalse();
    assertThat(watched(shard, 2).canRunOn("nobody")).isFalse();
  }

  @Example
  void justEnoughTokensAreEnough() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 2, 264 + 84));
    shard.at(0, START);
    shard.at(0, job(1).on("vit").arrives());
    shard.at(MS, job(2).on("vit").atMs(1).arrives());
    shard.at(2 * MS, job(3).atMs(2).arrives());
    assertThat(reasons(shard, 3))
        .isEqualTo(new WaitReasons(List.of(Cause.POLICY), 84, 84, Long.MIN_VALUE));
  }

  @Example
  void aCandidateOfPrioritySlo_tellsThePriorityOfItsClass() {
    Shard shard =
        Shard.of("priority_slo", alone(), executor("e", 1, 400))
            .holding(job(1), job(2).interactive());
    assertThat(shard.core.inspection().candidates(2))
        .extracting(c -> c.job().id(), Candidate::terms)
        .containsExactly(
            tuple("j2", Map.of("priority", -1.0)), tuple("j1", Map.of("priority", -5.0)));
  }

  @Example
  void aWatchedJobIsFollowed_untilItEnds() {
    Shard shard = Shard.of("fifo", alone(), executor("e", 1, 400)).holding(job(1));
    WatchedJob job = watched(shard, 1);
    assertThat(job.waits()).isTrue();
    BatchDispatched dispatch = shard.at(0, START).get(0);
    assertThat(job.waits()).isFalse();
    assertThatThrownBy(job::reasons).isInstanceOf(IllegalStateException.class);
    assertThat(watched(shard, 1).entry()).as("found on its lane").isEqualTo(job.entry());
    shard.at(5 * MS, done(dispatch));
    assertThat(job.waits()).isFalse();
    assertThatThrownBy(job::reasons).isInstanceOf(IllegalStateException.class);
    assertThat(shard.core.inspection().find("j1")).isNull();
  }

  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(Policies.names());
  }

  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void askingChangesNoDecision_andEachJobHasACause(
      @ForAll("policies") String name, @ForAll boolean joining, @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    Shard asked = new Shard(random.settings, Policies.create(name, Map.of()));
    Shard other = new Shard(random.settings, Policies.create(name, Map.of()));
    boolean workConserving = Policies.create(name, Map.of()).isWorkConserving();
    boolean[] started = {false};
    drive(
        random,
        asked,
        timed -> {
          asked.at(timed.atNs(), timed.step());
          other.at(timed.atNs(), timed.step());
          started[0] |= timed.step().facts().stream().anyMatch(RunStarted.class::isInstance);
          askEverything(asked, started[0] && workConserving);
        });
    assertThat(asked.dispatches).isEqualTo(other.dispatches);
    assertThat(asked.ends).isEqualTo(other.ends);
    assertThat(asked.blocked).isEqualTo(other.blocked);
    assertThat(asked.kept).isEqualTo(other.kept);
  }

  private static void askEverything(Shard shard, boolean startsAllThatCan) {
    Inspection inspection = shard.core.inspection();
    List<Candidate> candidates = inspection.candidates(Integer.MAX_VALUE);
    Set<Cause> causes = EnumSet.noneOf(Cause.class);
    for (WaitingJob waiting : inspection.waitingJobs()) {
      WatchedJob job = requireNonNull(inspection.find(waiting.spec().id()));
      causes.add(job.reasons().first());
      assertThat(job.reasons().causes())
          .isSortedAccordingTo(Comparator.comparingInt(WaitReasons.ORDER::indexOf));
      assertThat(candidates.stream().anyMatch(c -> c.job() == waiting.spec()))
          .as("%s %s", waiting, job.reasons())
          .isEqualTo(job.reasons().first() == Cause.POLICY);
      assertThat(job.othersToShareWith()).isBetween(0, shard.core.waiting());
    }
    if (startsAllThatCan) {
      assertThat(causes).doesNotContain(Cause.POLICY);
    }
    Map<Cause, Integer> counts = inspection.waitingByCause();
    assertThat(counts.keySet()).isEqualTo(causes);
    assertThat(counts.values().stream().mapToInt(i -> i).sum()).isEqualTo(shard.core.waiting());
    assertThat(inspection.lanes()).allMatch(lane -> !lane.idle() || lane.held().isEmpty());
    assertThat(inspection.tokens()).allMatch(tokens -> tokens.free() <= tokens.budget());
  }

  private interface Step {
    void apply(Timed timed);
  }

  private static void drive(RandomFacts random, Shard shard, Step step) {
    random.beginning().forEach(step::apply);
    for (int i = 0; i < 60; i++) {
      step.apply(random.next(shard.core.wakeAtNs(), unanswered(shard), shard.dispatches));
    }
    random.ending().forEach(step::apply);
  }

  private static List<BatchDispatched> unanswered(Shard shard) {
    return Stream.concat(
            kept(shard, RunningBatch.class).map(RunningBatch::dispatch),
            kept(shard, LostBatch.class).map(LostBatch::dispatch))
        .sorted(Comparator.comparing(BatchDispatched::dispatchId))
        .toList();
  }

  private static <E extends CoreEntity> Stream<E> kept(Shard shard, Class<E> kind) {
    return shard.kept.values().stream().filter(kind::isInstance).map(kind::cast);
  }
}
