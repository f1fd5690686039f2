package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.WarmUp;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Leases;
import dev.sluice.scheduling.fact.CoreSettings.Microbatch;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobName;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small simulation and all that it told. */
final class Simulated implements SimulationListener {
  static final long MS = 1_000_000;
  static final List<String> WORKLOADS = List.of("small", "large");

  /** All that was told, a line each, in order. */
  final List<String> lines = new ArrayList<>();

  final List<Dispatch> dispatches = new ArrayList<>();
  final Map<DispatchName, List<String>> jobs = new HashMap<>();
  final List<Batch> batches = new ArrayList<>();
  final List<JobEnd> ends = new ArrayList<>();
  final List<String> requested = new ArrayList<>();
  final List<Logged> facts = new ArrayList<>();

  @Nullable SimulationEnd end;

  /** A batch that was done. */
  record Batch(int shard, CoreFact.BatchCompleted fact, Ran ran, long appendedAtNs) {
    String lane() {
      return shard + "/" + fact.lane();
    }
  }

  /** A fact in log order. */
  record Logged(int shard, long appendedAtNs) {}

  /** Jobs in a list, all of one generator. */
  static Requests requests(List<JobSpec> jobs) {
    return new Requests() {
      private int next;

      @Override
      public @Nullable JobSpec next(int generator) {
        return next == jobs.size() ? null : jobs.get(next++);
      }

      @Override
      public boolean isMeasured(JobName job) {
        return true;
      }
    };
  }

  static JobSpec job(int index, String workload, int samples, long intendedAtNs) {
    boolean interactive = index % 3 == 0;
    return new JobSpec(
        "job-" + index,
        0,
        index,
        interactive ? "interactive" : "batch",
        workload,
        "onnx",
        "fp32",
        samples,
        1,
        interactive ? 50 * MS : 500 * MS,
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
        .withAhead(ahead);
  }

  static SimulationSettings settings(
      CoreSettings core, String policy, int shards, int lanes, long tokens, Hops hops) {
    return new SimulationSettings(
        core,
        () -> Policies.create(policy, Map.of()),
        shards,
        lanes,
        tokens,
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
      public double[] nsByBusyLanes(JobSpec first, int samples) {
        return new double[] {nsPerSample * samples};
      }

      @Override
      public double factor(JobSpec first, int samples, int attempt, long startsAtNs) {
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
        .filter(batch -> jobs.getOrDefault(batch.fact.dispatch(), List.of()).contains(jobId))
        .findFirst()
        .orElseThrow();
  }

  private void log(int shard, long appendedAtNs, Object what) {
    facts.add(new Logged(shard, appendedAtNs));
    lines.add(shard + " " + appendedAtNs + " " + what);
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    requested.add(job.id());
    log(shard, appendedAtNs, job + " " + sentAtNs);
  }

  @Override
  public void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {
    batches.add(new Batch(shard, fact, ran, appendedAtNs));
    log(shard, appendedAtNs, fact + " " + ran);
  }

  @Override
  public void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {
    log(shard, appendedAtNs, report + " " + held);
  }

  @Override
  public void appended(int shard, long appendedAtNs, CoreFact fact) {
    log(shard, appendedAtNs, fact);
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    dispatches.add(dispatch);
    jobs.put(dispatch.name(), dispatch.jobs().stream().map(JobSpec::id).toList());
    lines.add(shard + " " + dispatch);
  }

  @Override
  public void ended(int shard, long appendedAtNs, JobEnd end) {
    ends.add(end);
    lines.add(shard + " " + end);
  }

  @Override
  public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
    lines.add(shard + " " + fromNs + " " + toNs + " " + cause);
  }
}
