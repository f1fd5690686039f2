package dev.sluice.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.CoreFact.BatchCompleted;
import dev.sluice.scheduling.CoreFact.ExecutorReported;
import dev.sluice.scheduling.CoreFact.JobArrived;
import dev.sluice.scheduling.CoreFact.Result;
import dev.sluice.scheduling.NaiveScheduler.End;
import dev.sluice.scheduling.NaiveScheduler.Start;
import dev.sluice.scheduling.RandomFacts.Timed;
import dev.sluice.scheduling.policy.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What holds after every fact of any run, under every policy, with and without micro-batches. */
final class SchedulingCorePropertyTest {
  private static final int FACTS = 150;

  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(Policies.names());
  }

  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void decidesAsTheNaiveScheduler(
      @ForAll("policies") String name, @ForAll boolean joining, @ForAll long seed) {
    RandomFacts random = new RandomFacts(seed, joining);
    Shard shard = new Shard(random.settings, policy(name));
    NaiveScheduler naive = new NaiveScheduler(random.settings, name);
    int[] endsBefore = {0};
    drive(
        random,
        shard,
        timed -> {
          List<Dispatch> started = shard.at(timed.atNs(), timed.fact());
          List<Start> expected = naive.apply(timed.atNs(), timed.fact(), started);
          assertThat(started.stream().map(SchedulingCorePropertyTest::toStart).toList())
              .as("%s", timed)
              .isEqualTo(expected);
          assertThat(ends(shard, endsBefore[0]))
              .as("%s", timed)
              .containsExactlyInAnyOrderElementsOf(naive.ends());
          endsBefore[0] = shard.ends.size();
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
    Promises promises = new Promises();
    drive(
        random,
        shard,
        timed -> {
          int endsBefore = shard.ends.size();
          promises.learn(timed.fact());
          shard.at(timed.atNs(), timed.fact()).forEach(promises::started);
          shard.ends.subList(endsBefore, shard.ends.size()).forEach(promises::ended);
        });
    assertThat(promises.ended).isEqualTo(promises.arrived);
    assertThat(shard.core.waiting()).isZero();
    assertThat(shard.core.running()).isZero();
    assertThat(shard.kept.keySet())
        .noneMatch(key -> key.startsWith("job/") || key.startsWith("batch/"));
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
          List<Dispatch> expected = uncut.at(timed.atNs(), timed.fact());
          if (cuts.nextInt(8) == 0) {
            List<CoreEntity> shuffled = new ArrayList<>(cut[0].kept.values());
            Collections.shuffle(shuffled, cuts);
            cut[0] = cut[0].restored(random.settings, policy(name), shuffled);
          }
          int endsBefore = cut[0].ends.size();
          assertThat(cut[0].at(timed.atNs(), timed.fact())).isEqualTo(expected);
          int newEnds = cut[0].ends.size() - endsBefore;
          assertThat(cut[0].ends.subList(endsBefore, cut[0].ends.size()))
              .isEqualTo(uncut.ends.subList(uncut.ends.size() - newEnds, uncut.ends.size()));
          assertThat(cut[0].kept).isEqualTo(uncut.kept);
          assertThat(cut[0].core.wakeAtNs()).isEqualTo(uncut.core.wakeAtNs());
          assertThat(cut[0].core.waiting()).isEqualTo(uncut.core.waiting());
          assertThat(cut[0].core.running()).isEqualTo(uncut.core.running());
        });
  }

  private interface Step {
    void apply(Timed timed);
  }

  /** A whole run: it ends when nothing runs any more after the last arrival. */
  private static void drive(RandomFacts random, Shard shard, Step step) {
    random.beginning().forEach(step::apply);
    for (int i = 0; i < FACTS; i++) {
      step.apply(random.next(shard.core.wakeAtNs(), running(shard)));
    }
    random.ending().forEach(step::apply);
    while (!running(shard).isEmpty()) {
      step.apply(random.completionOfAny(running(shard)));
    }
  }

  private static List<DispatchName> running(Shard shard) {
    return shard.kept.values().stream()
        .filter(CoreEntity.RunningBatch.class::isInstance)
        .map(entity -> ((CoreEntity.RunningBatch) entity).dispatch().name())
        .sorted()
        .toList();
  }

  private static SchedulingPolicy policy(String name) {
    return Policies.create(name, Map.of());
  }

  private static Start toStart(Dispatch dispatch) {
    return new Start(dispatch.executorId(), dispatch.lanes().get(0), Shard.jobIds(dispatch));
  }

  private static List<End> ends(Shard shard, int from) {
    return shard.ends.subList(from, shard.ends.size()).stream()
        .map(end -> new End(end.jobId(), end.status(), end.reason() == null ? "" : end.reason()))
        .toList();
  }

  /** Remembers just enough to see a broken promise. */
  private static final class Promises {
    final Set<String> arrived = new HashSet<>();
    final Set<String> ended = new HashSet<>();
    private final Set<String> runningJobs = new HashSet<>();
    private final Map<String, ExecutorReported> executors = new HashMap<>();
    private final Map<String, Long> tokensHeld = new HashMap<>();
    private final Set<String> busyLanes = new HashSet<>();
    private final Map<DispatchName, Dispatch> running = new TreeMap<>();
    private final Map<Integer, Long> highest = new HashMap<>();

    void learn(CoreFact fact) {
      if (fact instanceof JobArrived arrival) {
        JobSpec job = arrival.job();
        if (highest.getOrDefault(job.source(), -1L) < job.index()) {
          highest.put(job.source(), job.index());
          arrived.add(job.id());
        }
      } else if (fact instanceof ExecutorReported report) {
        ExecutorReported known = executors.get(report.executorId());
        if (known == null
            || (known.incarnation() <= report.incarnation()
                && !(known.leaving() && known.incarnation() == report.incarnation()))) {
          executors.put(report.executorId(), report);
        }
      } else if (fact instanceof BatchCompleted completion
          && running.containsKey(completion.dispatch())) {
        Dispatch dispatch = running.remove(completion.dispatch());
        busyLanes.remove(lane(dispatch));
        tokensHeld.merge(dispatch.executorId(), (long) -dispatch.tokens(), Long::sum);
        if (completion.result() == Result.REFUSED) {
          Shard.jobIds(dispatch).forEach(runningJobs::remove);
        }
      }
    }

    void started(Dispatch dispatch) {
      ExecutorReported executor = executors.get(dispatch.executorId());
      assertThat(executor.leaving()).isFalse();
      assertThat(dispatch.incarnation()).isEqualTo(executor.incarnation());
      assertThat(dispatch.lanes().get(0)).isLessThan(executor.lanes());
      assertThat(busyLanes.add(lane(dispatch))).as("lane twice: %s", dispatch).isTrue();
      for (String job : Shard.jobIds(dispatch)) {
        assertThat(arrived).contains(job);
        assertThat(ended).doesNotContain(job);
        assertThat(runningJobs.add(job)).as("job twice: %s", dispatch).isTrue();
      }
      long held = tokensHeld.merge(dispatch.executorId(), (long) dispatch.tokens(), Long::sum);
      assertThat(held).isLessThanOrEqualTo(executor.tokens());
      assertThat(dispatch.samples())
          .isEqualTo(dispatch.jobs().stream().mapToInt(JobSpec::samples).sum());
      running.put(dispatch.name(), dispatch);
    }

    void ended(JobEnd end) {
      assertThat(arrived).contains(end.jobId());
      assertThat(ended.add(end.jobId())).as("ended twice: %s", end).isTrue();
      runningJobs.remove(end.jobId());
    }

    private static String lane(Dispatch dispatch) {
      return dispatch.executorId() + "/" + dispatch.lanes();
    }
  }
}
