package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.JobId;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.simulation.Hops;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.Requests;
import dev.sluice.scheduling.simulation.Simulation;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import dev.sluice.scheduling.simulation.SimulationSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The log that a simulation makes, with its decisions: two lanes, windows, a batch ahead, hops. */
public final class SimulatedFacts {
  static final int JOBS = 400;

  private static final long MS = 1_000_000;
  private static final long TAIL_END_NS = 60_000 * MS;
  private static final List<String> WORKLOADS = List.of("small", "middle", "large");

  private SimulatedFacts() {}

  public static RecordedRun of(String policy) {
    List<RecordedRun.Dated> facts = new ArrayList<>();
    List<BatchDispatched> dispatches = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    var reader =
        new LogFold() {
          @Override
          public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
            facts.add(new RecordedRun.Dated(appendedAtEpochMs, fact));
          }

          @Override
          public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
            dispatches.add(dispatch);
          }

          @Override
          public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
            outcomes.add(outcome);
          }
        };
    var started =
        new RunStarted("r", Simulation.TIME_ZERO_EPOCH_MS, 7, "c", "r", 1, 1, TAIL_END_NS);
    Simulation.run(
        new SimulationSettings(
            started,
            RecordedRun.SETTINGS,
            () -> Policies.create(policy, Map.of()),
            1,
            2,
            400L,
            true,
            "cpu",
            WORKLOADS.stream()
                .map(
                    w ->
                        new Capability(
                            w, "onnx", "fp32", 1_000_000_000, List.of(new WarmUp(1, 3 * MS))))
                .toList(),
            null,
            1,
            0,
            TAIL_END_NS,
            Hops.recorded(
                List.of(
                    new Hop(0, Kind.REQUEST, 90_000, 400_000, 2 * MS),
                    new Hop(500 * MS, Kind.REQUEST, 200_000, 2 * MS, 9 * MS),
                    new Hop(0, Kind.COMPLETION, 100_000, 600_000, 3 * MS)),
                7)),
        new Times(),
        new Jobs(),
        reader);
    return new RecordedRun(RecordedRun.SETTINGS, facts, dispatches, outcomes);
  }

  /** Service times that are longer by a half beside another lane. */
  private static final class Times implements ServiceModel {
    @Override
    public double[] nsByBusyLanes(Work batch) {
      double ns = (2 + 0.7 * batch.samples()) * MS;
      return new double[] {ns, 1.5 * ns};
    }

    @Override
    public double factor(Work batch, long startsAtNs) {
      return 0.8 + 0.05 * (JobId.index(batch.jobs().get(0).jobId()) % 9);
    }
  }

  private static final class Jobs implements Requests {
    private final Random random = new Random(11);
    private int index;
    private long atNs;

    @Override
    public @Nullable JobRequested next(int generator) {
      if (index == JOBS) {
        return null;
      }
      atNs += random.nextInt((int) (9 * MS));
      boolean interactive = random.nextInt(10) < 3;
      return new JobRequested(
          "job-" + index,
          0,
          index++,
          interactive ? "interactive" : "batch",
          WORKLOADS.get(random.nextInt(WORKLOADS.size())),
          "onnx",
          "fp32",
          1 << random.nextInt(4),
          (interactive ? 100 : 1000) * MS,
          atNs,
          atNs);
    }

    @Override
    public boolean isMeasured(String jobId) {
      return true;
    }
  }
}
