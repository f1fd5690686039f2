package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Placing;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import dev.sluice.scheduling.simulation.Simulation.SimulationEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small simulation and all that it told. */
final class Simulated implements LogFold {
  static final long MS = 1_000_000;
  static final List<String> WORKLOADS = List.of("small", "large");

  /** All that was told, a line each, in order. */
  final List<String> lines = new ArrayList<>();

  final List<BatchDispatched> dispatches = new ArrayList<>();
  final Map<DispatchId, List<String>> jobs = new HashMap<>();
  final List<Batch> batches = new ArrayList<>();
  final List<JobEnded> ends = new ArrayList<>();
  final List<String> requested = new ArrayList<>();
  final List<Long> intendedAtNs = new ArrayList<>();
  final List<Logged> facts = new ArrayList<>();

  @Nullable SimulationEnd end;

  /** A batch that was done. */
  record Batch(int shard, BatchCompleted fact, long appendedAtNs) {
    String lane() {
      return shard + "/" + fact.lane();
    }
  }

  /** A fact in log order. */
  record Logged(int shard, long appendedAtNs) {}

  /** Jobs in a list, all of one generator. */
  static Requests requests(List<JobRequested> jobs) {
    return new Requests() {
      private int next;

      @Override
      public @Nullable JobRequested next(int generator) {
        return next == jobs.size() ? null : jobs.get(next++);
      }

      @Override
      public boolean isMeasured(String jobId) {
        return true;
      }
    };
  }

  static JobRequested job(int index, String workload, int samples, long intendedAtNs) {
    boolean interactive = index % 3 == 0;
    return new JobRequested(
        "job-" + index,
        0,
        index,
        interactive ? "interactive" : "batch",
        workload,
        "onnx",
        "fp32",
        samples,
        interactive ? 50 * MS : 500 * MS,
        intendedAtNs,
        intendedAtNs);
  }

  static CoreSettings core(boolean joins, int ahead) {
    return CoreSettings.of(
            7,
            List.of(
                new JobClass("interactive", 1, true, false), new JobClass("batch", 5, false, true)),
            Map.of("small", 80, "large", 260))
        .with(new Microbatch(joins, 5 * MS, 16))
        .with(new Leases(200 * MS, 2000 * MS, 3))
        .with(new Placing(ahead, false, Switching.NONE, 0));
  }

  static RunStarted started(int shards) {
    return new RunStarted(
        "simulated", Simulation.TIME_ZERO_EPOCH_MS, 7, "", "", shards, 1, Long.MAX_VALUE / 2);
  }

  static SimulationSettings settings(
      CoreSettings core, String policy, int shards, int lanes, long tokens, Hops hops) {
    return new SimulationSettings(
        started(shards),
        core,
        () -> Policies.create(policy, Map.of()),
        shards,
        lanes,
        tokens,
        true,
        "made-up",
        WORKLOADS.stream()
            .map(w -> new Capability(w, "onnx", "fp32", 1_000_000, List.of(new WarmUp(1, 5 * MS))))
            .toList(),
        null,
        1,
        0,
        Long.MAX_VALUE / 2,
        hops);
  }

  /** Batches that take so long by samples, alone or not. */
  static ServiceModel constant(long nsPerSample) {
    return new ServiceModel() {
      @Override
      public double[] nsByBusyLanes(Work batch) {
        return new double[] {nsPerSample * batch.samples()};
      }

      @Override
      public double factor(Work batch, long startsAtNs) {
        return 1;
      }
    };
  }

  static Simulated run(SimulationSettings settings, ServiceModel service, Requests requests) {
    var told = new Simulated();
    told.end = Simulation.run(settings, service, requests, told);
    return told;
  }

  SimulationEnd end() {
    if (end == null) {
      throw new AssertionError("it has not ended");
    }
    return end;
  }

  /** The batch that a job was done in. */
  Batch batchOf(String jobId) {
    return batches.stream()
        .filter(batch -> jobs.getOrDefault(batch.fact.dispatchId(), List.of()).contains(jobId))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    long appendedAtNs = (appendedAtEpochMs - Simulation.TIME_ZERO_EPOCH_MS) * MS;
    facts.add(new Logged(shard, appendedAtNs));
    lines.add(shard + " " + appendedAtNs + " " + fact);
    if (fact instanceof JobRequested job) {
      requested.add(job.jobId());
      intendedAtNs.add(job.intendedAtNs());
    } else if (fact instanceof BatchCompleted completed) {
      batches.add(new Batch(shard, completed, appendedAtNs));
    }
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    dispatches.add(dispatch);
    jobs.put(dispatch.dispatchId(), dispatch.jobs().stream().map(DispatchedJob::jobId).toList());
    lines.add(shard + " " + dispatch);
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (outcome instanceof JobEnded end) {
      ends.add(end);
    }
    lines.add(shard + " " + outcome);
  }
}
