package dev.sluice.scheduling.simulation;

import static dev.sluice.scheduling.simulation.Simulated.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.JobId;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.Simulated.Batch;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds of every simulation, whatever is simulated. */
final class SimulationPropertyTest {
  private static final long TOKENS = 600;

  @Property(tries = 50)
  void isTheSame_whenSeedAndSettingsAre(@ForAll long seed) {
    assertThat(simulate(seed).lines).isEqualTo(simulate(seed).lines);
  }

  @Property(tries = 50)
  void givesEachJobOneOutcome(@ForAll long seed) {
    Simulated told = simulate(seed);
    assertThat(told.ends.stream().map(JobEnded::jobId))
        .containsExactlyInAnyOrderElementsOf(told.requested);
    assertThat(told.end().jobs()).isEqualTo(told.requested.size());
  }

  @Property(tries = 50)
  void runsOneBatchAtATimeOnALane(@ForAll long seed) {
    Map<String, List<Batch>> byLane = new HashMap<>();
    for (Batch batch : simulate(seed).batches) {
      if (batch.fact().result() == Result.DONE) {
        byLane.computeIfAbsent(batch.lane(), lane -> new ArrayList<>()).add(batch);
      }
    }
    for (List<Batch> lane : byLane.values()) {
      lane.sort(Comparator.comparingLong(batch -> batch.fact().startedAtNs()));
      for (int i = 1; i < lane.size(); i++) {
        assertThat(lane.get(i).fact().startedAtNs())
            .isGreaterThanOrEqualTo(lane.get(i - 1).fact().finishedAtNs());
      }
    }
  }

  @Property(tries = 50)
  void neverHoldsMoreTokensThanThereAre(@ForAll long seed) {
    Simulated told = simulate(seed);
    Map<String, List<long[]>> changes = new HashMap<>(); // by executor: fact, tokens
    Map<String, Map<DispatchId, BatchDispatched>> byName = new HashMap<>();
    for (BatchDispatched dispatch : told.dispatches) {
      changes
          .computeIfAbsent(dispatch.executorId(), e -> new ArrayList<>())
          .add(new long[] {dispatch.decidedAtNs(), 1, dispatch.tokens()});
      byName
          .computeIfAbsent(dispatch.executorId(), e -> new HashMap<>())
          .put(dispatch.dispatchId(), dispatch);
    }
    for (Batch batch : told.batches) {
      String executor = batch.fact().executorId();
      BatchDispatched dispatch = byName.get(executor).get(batch.fact().dispatchId());
      long freedAtNs =
          told.dispatches.stream()
              .filter(
                  d ->
                      d.executorId().equals(executor)
                          && dispatch.dispatchId().equals(d.decision().cancels()))
              .mapToLong(d -> Math.min(d.decidedAtNs(), batch.appendedAtNs()))
              .findFirst()
              .orElse(batch.appendedAtNs()); // or the start that took its place
      changes.get(executor).add(new long[] {freedAtNs, 0, -dispatch.tokens()});
    }
    for (List<long[]> executor : changes.values()) {
      executor.sort(Comparator.<long[]>comparingLong(c -> c[0]).thenComparingLong(c -> c[1]));
      long held = 0;
      for (long[] change : executor) {
        held += change[2];
        assertThat(held).isLessThanOrEqualTo(TOKENS);
      }
    }
  }

  @Property(tries = 50)
  void appendsFactsInWholeMillisecondsThatNeverGoBack(@ForAll long seed) {
    Map<Integer, Long> lastNs = new HashMap<>();
    for (Simulated.Logged fact : simulate(seed).facts) {
      assertThat(fact.appendedAtNs() % MS).isZero();
      assertThat(fact.appendedAtNs())
          .isGreaterThanOrEqualTo(lastNs.getOrDefault(fact.shard(), Long.MIN_VALUE));
      lastNs.put(fact.shard(), fact.appendedAtNs());
    }
  }

  private static Simulated simulate(long seed) {
    var random = new Random(seed);
    List<JobRequested> jobs = new ArrayList<>();
    long atNs = 0;
    int gapNsMax = 1 + random.nextInt(8_000_000);
    for (int i = 0; i < 150; i++) {
      atNs += random.nextInt(gapNsMax);
      jobs.add(
          Simulated.job(
              i, Simulated.WORKLOADS.get(random.nextInt(2)), 1 + random.nextInt(8), atNs));
    }
    List<String> policies = List.copyOf(Policies.names());
    String policy = policies.get(random.nextInt(policies.size()));
    int lanes = 1 + random.nextInt(5);
    double slower = random.nextInt(3) * 0.2;
    return Simulated.run(
        Simulated.settings(
            Simulated.core(random.nextBoolean(), random.nextInt(2)),
            policy,
            1 + random.nextInt(3),
            lanes,
            TOKENS,
            random.nextBoolean() ? Hops.NONE : hops(random)),
        contended(lanes, slower),
        Simulated.requests(jobs));
  }

  private static ServiceModel contended(int lanes, double slower) {
    return new ServiceModel() {
      @Override
      public double[] nsByBusyLanes(Work batch) {
        var ns = new double[slower == 0 ? 1 : lanes];
        for (int busy = 0; busy < ns.length; busy++) {
          ns[busy] = (4 + batch.samples()) * MS * (1 + slower * busy);
        }
        return ns;
      }

      @Override
      public double factor(Work batch, long startsAtNs) {
        return 0.8 + 0.4 * (JobId.index(batch.jobs().get(0).jobId()) % 11) / 10;
      }
    };
  }

  private static Hops hops(Random random) {
    List<Hop> hops = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      hops.add(
          new Hop(
              random.nextInt(2_000_000_000),
              i % 2 == 0 ? Kind.REQUEST : Kind.COMPLETION,
              random.nextInt(200_000),
              random.nextInt(3_000_000),
              random.nextInt(10_000_000)));
    }
    return Hops.recorded(hops, 5);
  }
}
