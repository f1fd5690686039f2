package dev.sluice.scheduling.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.core.RandomFacts.Timed;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.LostBatch;
import dev.sluice.scheduling.driver.CoreEntity.RunningBatch;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.naive.NaiveScheduler;
import dev.sluice.scheduling.naive.NaiveScheduler.End;
import dev.sluice.scheduling.naive.NaiveScheduler.Start;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What holds after every fact of any run, under every policy, with and without micro-batches. */
final class SchedulingCorePropertyTest {
  private static final int FACTS = 150;

  /** What random runs must meet, so that the properties say something. */
  private static final List<String> RULES =
      List.of(
          "ended: null",
          "ended: cause",
          "ended: expired",
          "ended: hopeless",
          "ended: lane_lost",
          "ended: over_budget",
          "ended: queue_full",
          "ended: run_ended",
          "ended: waited_too_long",
          "blocked: capability",
          "blocked: tokens",
          "blocked: window",
          "outside the budget",
          "from published",
          "from published_nearest",
          "from running_mean",
          "from warm_up",
          "from nearest_samples",
          "from flops",
          "a refused table",
          "a gang",
          "an upper bound",
          "a reservation",
          "a second batch on a lane",
          "a lost executor",
          "a lane that refuses",
          "an overdue batch",
          "a lost batch without a lane",
          "a batch with a job that has ended elsewhere");

  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(Policies.names());
  }

  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void decidesAsTheNaiveScheduler(
      @ForAll("policies") String name, @ForAll boolean joining, @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    decideTheSame(random, policy(name), new NaiveScheduler(random.settings, name));
  }

  @Provide
  Arbitrary<Map<String, Double>> weightsOfDynamic() {
    Arbitrary<Double> weight = Arbitraries.of(0.0, 1e-3, 0.1, 1.0, 2.0, 5.0, 10.0, 300.0, 1e6, 1e9);
    return weight
        .list()
        .ofSize(6)
        .map(
            drawn ->
                Map.of(
                    "interactive",
                    drawn.get(0),
                    "urgency",
                    Math.min(drawn.get(1), drawn.get(2)),
                    "overdue",
                    Math.max(drawn.get(1), drawn.get(2)),
                    "batchability",
                    drawn.get(3),
                    "short_service",
                    drawn.get(4),
                    "tokens",
                    drawn.get(5)));
  }

  /** The policy reads one job of each group alone; its twin scores each job that waits. */
  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void dynamicStartsTheHighestScoreFirst_whateverItsWeights(
      @ForAll("weightsOfDynamic") Map<String, Double> weights,
      @ForAll boolean joining,
      @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    decideTheSame(
        random,
        Policies.create("dynamic", weights),
        NaiveScheduler.ofDynamic(random.settings, weights));
  }

  private static void decideTheSame(
      RandomFacts random, SchedulingPolicy policy, NaiveScheduler naive) {
    Shard shard = new Shard(random.settings, policy);
    int[] endsBefore = {0};
    drive(
        random,
        shard,
        timed -> {
          List<BatchDispatched> started = shard.at(timed.atNs(), timed.step());
          List<Start> expected = naive.apply(timed.atNs(), timed.step(), started);
          assertThat(started.stream().map(SchedulingCorePropertyTest::toStart).toList())
              .as("%s", timed)
              .isEqualTo(expected);
          assertThat(ends(shard, endsBefore[0]))
              .as("%s", timed)
              .containsExactlyInAnyOrderElementsOf(naive.ends());
          endsBefore[0] = shard.ends.size();
          assertThat(shard.blocked).as("%s", timed).isEqualTo(naive.blocked());
          long wakeAtNs = shard.core.wakeAtNs();
          assertThat(naive.hasSomethingToDoAt(wakeAtNs - 1))
              .as("slept until %d at %s", wakeAtNs, timed)
              .isFalse();
        });
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void keepsItsPromises(
      @ForAll("policies") String name, @ForAll boolean joining, @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    Shard shard = new Shard(random.settings, policy(name));
    Promises promises = new Promises(random.settings);
    drive(
        random,
        shard,
        timed -> {
          int endsBefore = shard.ends.size();
          promises.learn(timed.step());
          shard.at(timed.atNs(), timed.step()).forEach(promises::started);
          shard.ends.subList(endsBefore, shard.ends.size()).forEach(promises::ended);
          promises.checkWhereJobsAre(shard);
          promises.checkBlocked(shard);
        });
    assertThat(promises.ended).isEqualTo(promises.arrived);
    assertThat(shard.core.waiting()).isZero();
    assertThat(shard.core.running()).isZero();
    assertThat(shard.kept.keySet())
        .allMatch(
            key ->
                key.matches(
                    "(executor|lane|mean|table|device|workload|samples|seen|rate)/.*|memory|progress"));
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void decidesTheSame_whenCutRestoredAndContinued(
      @ForAll("policies") String name, @ForAll boolean joining, @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    Shard uncut = new Shard(random.settings, policy(name));
    Random cuts = new Random(seed);
    Shard[] cut = {new Shard(random.settings, policy(name))};
    drive(
        random,
        uncut,
        timed -> {
          List<BatchDispatched> expected = uncut.at(timed.atNs(), timed.step());
          if (cuts.nextInt(8) == 0) {
            List<CoreEntity> shuffled = new ArrayList<>(cut[0].kept.values());
            Collections.shuffle(shuffled, cuts);
            cut[0] = cut[0].restored(random.settings, policy(name), shuffled);
          }
          int endsBefore = cut[0].ends.size();
          assertThat(cut[0].at(timed.atNs(), timed.step())).isEqualTo(expected);
          int newEnds = cut[0].ends.size() - endsBefore;
          assertThat(cut[0].ends.subList(endsBefore, cut[0].ends.size()))
              .isEqualTo(uncut.ends.subList(uncut.ends.size() - newEnds, uncut.ends.size()));
          assertThat(cut[0].kept).isEqualTo(uncut.kept);
          assertThat(cut[0].blocked)
              .isEqualTo(
                  uncut.blocked.subList(
                      uncut.blocked.size() - cut[0].blocked.size(), uncut.blocked.size()));
          assertThat(cut[0].core.wakeAtNs()).isEqualTo(uncut.core.wakeAtNs());
          assertThat(cut[0].core.waiting()).isEqualTo(uncut.core.waiting());
          assertThat(cut[0].core.running()).isEqualTo(uncut.core.running());
        });
  }

  /** The properties above say little of what their runs do not contain. */
  @Example
  void randomRunsMeetEveryRule() {
    Set<String> met = new TreeSet<>();
    for (int seed = 0; seed < 150 && !met.containsAll(RULES); seed++) {
      int run = seed;
      RandomFacts random = new RandomFacts(seed, seed % 2 == 0);
      Shard shard = new Shard(random.settings, policy("priority_slo"));
      drive(
          random,
          shard,
          timed -> {
            shard.at(timed.atNs(), timed.step());
            noteWhatIsMet(shard, met);
            boolean held = kept(shard, LostBatch.class).anyMatch(LostBatch::held);
            if (held && !met.contains("lost in run " + run)) {
              if (kept(shard, CoreEntity.Executor.class).anyMatch(CoreEntity.Executor::lost)) {
                met.add("lost in run " + run);
              } else {
                met.add("an overdue batch"); // a held one is lost with its executor, or overdue
              }
            }
          });
      shard.ends.forEach(end -> met.add("ended: " + end.reason()));
      shard.refusals.forEach(reason -> met.add("a refused table"));
      shard.dispatches.forEach(dispatch -> met.add("from " + dispatch.prediction().source()));
      if (shard.dispatches.stream().anyMatch(d -> d.lanes().size() == 3)) {
        met.add("a gang");
      }
      if (shard.dispatches.stream().anyMatch(d -> d.prediction().p95Ns() != null)) {
        met.add("an upper bound");
      }
      shard.blocked.forEach(span -> met.add("blocked: " + span.cause()));
      shard.dispatches.stream()
          .filter(dispatch -> dispatch.tokens() == 0)
          .forEach(dispatch -> met.add("outside the budget"));
    }
    assertThat(met).containsAll(RULES);
  }

  private static void noteWhatIsMet(Shard shard, Set<String> met) {
    long nowNs = kept(shard, CoreEntity.Progress.class).findFirst().orElseThrow().nowNs();
    if (kept(shard, CoreEntity.PassedOver.class).anyMatch(passed -> passed.dueNs() <= nowNs)) {
      met.add("a reservation");
    }
    if (kept(shard, CoreEntity.Executor.class).anyMatch(CoreEntity.Executor::lost)) {
      met.add("a lost executor");
    }
    if (kept(shard, LostBatch.class).anyMatch(batch -> !batch.held())) {
      met.add("a lost batch without a lane");
    }
    if (kept(shard, CoreEntity.Lane.class).anyMatch(CoreEntity.Lane::refuses)) {
      met.add("a lane that refuses");
    }
    if (kept(shard, RunningBatch.class)
        .anyMatch(batch -> batch.jobs().size() < batch.dispatch().jobs().size())) {
      met.add("a batch with a job that has ended elsewhere");
    }
    long lanes =
        kept(shard, RunningBatch.class)
            .map(batch -> batch.dispatch().executorId() + batch.dispatch().lanes())
            .distinct()
            .count();
    if (lanes < shard.core.running()) {
      met.add("a second batch on a lane");
    }
  }

  private interface Apply {
    void apply(Timed timed);
  }

  /** A whole run: it ends when nothing runs any more after the last arrival. */
  private static void drive(RandomFacts random, Shard shard, Apply apply) {
    random.beginning().forEach(apply::apply);
    for (int i = 0; i < FACTS; i++) {
      apply.apply(random.next(shard.core.wakeAtNs(), unanswered(shard), shard.dispatches));
    }
    random.ending().forEach(apply::apply);
    while (!unanswered(shard).isEmpty()) {
      apply.apply(random.completionOfAny(unanswered(shard)));
    }
  }

  /** The batches that run, and the lost ones that are remembered. */
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

  private static SchedulingPolicy policy(String name) {
    return Policies.create(name, Map.of());
  }

  private static Start toStart(BatchDispatched dispatch) {
    return new Start(
        dispatch.executorId(),
        dispatch.lanes().get(0),
        dispatch.lanes().size(),
        Shard.jobIds(dispatch),
        NaiveScheduler.Predicted.of(dispatch.prediction()));
  }

  private static List<End> ends(Shard shard, int from) {
    return shard.ends.subList(from, shard.ends.size()).stream()
        .map(
            end ->
                new End(
                    end.jobId(),
                    end.status(),
                    end.reason() == null ? "" : end.reason(),
                    end.attempt()))
        .toList();
  }

  /** Remembers just enough to see a broken promise. */
  private static final class Promises {
    final Set<String> arrived = new HashSet<>();
    final Set<String> ended = new HashSet<>();
    private final Map<String, Integer> lanesNeeded = new HashMap<>();
    private final Map<String, ExecutorReported> executors = new HashMap<>();
    private final Map<DispatchId, BatchDispatched> unanswered = new TreeMap<>();
    private final Set<DispatchId> names = new HashSet<>();
    private final CoreSettings settings;

    Promises(CoreSettings settings) {
      this.settings = settings;
    }

    void learn(Step step) {
      step.facts().forEach(this::learn);
      step.jobs().forEach(this::learn);
    }

    private void learn(JobSpec job) {
      arrived.add(job.id());
      lanesNeeded.put(job.id(), job.lanesNeeded());
    }

    private void learn(Fact fact) {
      if (fact instanceof ExecutorReported report) {
        ExecutorReported known = executors.get(report.executorId());
        boolean isNews =
            known == null
                || known.incarnation() < report.incarnation()
                || (known.incarnation() == report.incarnation() && !known.leaving());
        if (isNews) {
          executors.put(report.executorId(), report);
          boolean isGone =
              known != null && (report.leaving() || known.incarnation() < report.incarnation());
          if (isGone) {
            unanswered.values().removeIf(d -> d.executorId().equals(report.executorId()));
          }
        }
      } else if (fact instanceof BatchCompleted completion) {
        unanswered.remove(completion.dispatchId());
      }
    }

    void started(BatchDispatched dispatch) {
      ExecutorReported executor = executors.get(dispatch.executorId());
      assertThat(executor.leaving()).isFalse();
      assertThat(dispatch.incarnation()).isEqualTo(executor.incarnation());
      List<Integer> lanes = dispatch.lanes();
      assertThat(lanes)
          .hasSize(lanesNeeded.get(dispatch.jobs().get(0).jobId()))
          .isEqualTo(IntStream.range(lanes.get(0), lanes.get(0) + lanes.size()).boxed().toList());
      assertThat(lanes.get(lanes.size() - 1)).isLessThan(executor.lanes().size());
      assertThat(names.add(dispatch.dispatchId())).as("name twice: %s", dispatch).isTrue();
      assertThat(dispatch.work().attempt()).isBetween(1, settings.leases().maxAttempts());
      assertThat(dispatch.samples())
          .isEqualTo(dispatch.jobs().stream().mapToInt(DispatchedJob::samples).sum());
      DispatchId cancelled = dispatch.decision().cancels();
      if (cancelled != null) {
        BatchDispatched ran = unanswered.remove(cancelled);
        assertThat(ran).as("what %s cancels", dispatch).isNotNull();
        assertThat(ran.place()).isEqualTo(dispatch.place());
      }
      unanswered.put(dispatch.dispatchId(), dispatch);
      assertThat(
              unanswered.values().stream()
                  .filter(d -> d.executorId().equals(dispatch.executorId()))
                  .filter(d -> !Collections.disjoint(d.lanes(), dispatch.lanes())))
          .hasSizeLessThanOrEqualTo(1 + settings.placing().ahead());
      if (dispatch.tokens() > 0) {
        assertThat(
                unanswered.values().stream()
                    .filter(d -> d.executorId().equals(dispatch.executorId()))
                    .mapToLong(BatchDispatched::tokens)
                    .sum())
            .isLessThanOrEqualTo(executor.tokens() == null ? Long.MAX_VALUE : executor.tokens());
      } else {
        assertThat(settings.placing().cpuFallback()).isTrue();
        assertThat(dispatch.jobs()).hasSize(1);
      }
    }

    void ended(JobEnded end) {
      assertThat(arrived).contains(end.jobId());
      assertThat(ended.add(end.jobId())).as("ended twice: %s", end).isTrue();
    }

    /** Each job that came and has not ended waits or runs, and is there once. */
    void checkWhereJobsAre(Shard shard) {
      List<String> there =
          Stream.concat(
                  kept(shard, WaitingJob.class),
                  kept(shard, RunningBatch.class).flatMap(batch -> batch.jobs().stream()))
              .map(job -> job.spec().id())
              .toList();
      Set<String> expected = new HashSet<>(arrived);
      expected.removeAll(ended);
      assertThat(there).containsExactlyInAnyOrderElementsOf(expected);
    }

    void checkBlocked(Shard shard) {
      long untilNs = 0;
      for (Blocked blocked : shard.blocked) {
        assertThat(blocked.fromNs()).isGreaterThanOrEqualTo(untilNs);
        assertThat(blocked.toNs()).isGreaterThanOrEqualTo(blocked.fromNs() + Facts.MS);
        untilNs = blocked.toNs();
      }
    }
  }
}
