package dev.sluice.scheduling.gates;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.BatchLimits;
import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.simulation.Hops;
import dev.sluice.scheduling.simulation.Requests;
import dev.sluice.scheduling.simulation.Simulation;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import dev.sluice.scheduling.simulation.SimulationSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cell of published comparisons: models whose service times are exactly known, on equal lanes
 * that cost nothing beside, in virtual time.
 */
public final class Cell {
  static final double MS = 1e6;
  private static final int SAMPLES_MAX = 128;

  private final Map<String, IntToDoubleFunction> serviceMs = new HashMap<>();
  private int lanes = 1;
  private int samplesMax = SAMPLES_MAX;
  private Map<String, BatchLimits> limits = Map.of();
  private double spread;
  private int modelsHeld;
  private long loadNs;

  /** What a run came to. */
  public static final class Run implements LogFold {
    public final List<BatchDispatched> dispatches = new ArrayList<>();
    public final List<BatchCompleted> completions = new ArrayList<>();
    public final List<LanePrepared> loads = new ArrayList<>();
    public final Map<String, JobEnded> ends = new HashMap<>();
    private final Map<String, Long> finishedNs = new HashMap<>();
    private final Map<String, JobRequested> jobs = new HashMap<>();
    private final Map<Object, BatchDispatched> running = new HashMap<>();
    final List<JobRequested> requests;

    Run(List<JobRequested> requests) {
      this.requests = requests;
      requests.forEach(job -> jobs.put(job.jobId(), job));
    }

    @Override
    public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
      dispatches.add(dispatch);
      running.put(dispatch.dispatchId(), dispatch);
    }

    @Override
    public void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {
      loads.add(dispatch);
    }

    @Override
    public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
      if (fact instanceof BatchCompleted completed) {
        completions.add(completed);
        BatchDispatched batch = running.remove(completed.dispatchId());
        if (completed.result() == BatchCompleted.Result.DONE) {
          batch.jobs().forEach(job -> finishedNs.put(job.jobId(), completed.finishedAtNs()));
        }
      }
    }

    @Override
    public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
      if (outcome instanceof JobEnded end) {
        ends.put(end.jobId(), end);
      }
    }

    /** Returns whether the job was done within its promise. */
    public boolean isGood(JobRequested job) {
      JobEnded end = ends.get(job.jobId());
      Long finished = finishedNs.get(job.jobId());
      return end != null
          && end.status() == JobEnded.Status.DONE
          && finished != null
          && finished - job.intendedAtNs() <= job.sloNs();
    }

    boolean isDone(JobRequested job) {
      JobEnded end = ends.get(job.jobId());
      return end != null && end.status() == JobEnded.Status.DONE;
    }

    double goodShare() {
      return requests.stream().filter(this::isGood).count() / (double) requests.size();
    }

    double meanBatch() {
      return dispatches.stream().mapToInt(BatchDispatched::samples).average().orElse(0);
    }

    /** Returns when the job's batch ended, in milliseconds. */
    public double finishedMs(int index) {
      return finishedNs.get("job-" + index) / MS;
    }
  }

  public static Cell of(String model, IntToDoubleFunction serviceMs, int lanes) {
    Cell cell = new Cell();
    cell.serviceMs.put(model, serviceMs);
    cell.lanes = lanes;
    return cell;
  }

  public Cell and(String model, IntToDoubleFunction ms) {
    serviceMs.put(model, ms);
    return this;
  }

  public Cell samplesMax(int most) {
    samplesMax = most;
    return this;
  }

  /** Gives lanes room for that many models, each of which takes a time to be loaded. */
  public Cell holding(int models, double loadMs) {
    modelsHeld = models;
    loadNs = Math.round(loadMs * MS);
    return this;
  }

  /** Lets each batch's time vary around its mean, by a lognormal factor that its start draws. */
  Cell varying(double sd) {
    spread = sd;
    return this;
  }

  Cell limits(Map<String, BatchLimits> byModel) {
    limits = byModel;
    return this;
  }

  /** Service times that rise evenly: alpha for each sample and beta for each batch. */
  static IntToDoubleFunction linear(double alphaMs, double betaMs) {
    return samples -> alphaMs * samples + betaMs;
  }

  public static JobRequested job(int index, String model, int samples, double sloMs, double atMs) {
    return job(index, "class", model, samples, sloMs, atMs);
  }

  /**
   * Returns a request of a class: {@code class}, whose jobs are interactive, or {@code bulk}, whose
   * jobs are not.
   */
  public static JobRequested job(
      int index, String classType, String model, int samples, double sloMs, double atMs) {
    long atNs = Math.round(atMs * MS);
    return new JobRequested(
        "job-" + index,
        0,
        index,
        classType,
        model,
        "onnx",
        "fp32",
        samples,
        Math.round(sloMs * MS),
        atNs,
        atNs);
  }

  private static Requests requests(List<JobRequested> jobs) {
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

  Run run(String policy, Map<String, Double> parameters, List<JobRequested> jobs) {
    return run(() -> Policies.create(policy, parameters), jobs);
  }

  public Run run(Supplier<SchedulingPolicy> policies, List<JobRequested> jobs) {
    CoreSettings core =
        CoreSettings.of(
                7,
                List.of(new JobClass("class", 1, true, true), new JobClass("bulk", 2, false, true)),
                serviceMs.keySet().stream()
                    .collect(java.util.stream.Collectors.toMap(m -> m, m -> 1)))
            .with(new Microbatch(true, 0, samplesMax, false, limits))
            .with(new CoreSettings.Placing(0, false, CoreSettings.Switching.NONE, modelsHeld))
            .with(new Leases(1_000_000_000L, 1_000_000_000_000L, 3));
    var settings =
        new SimulationSettings(
            new RunStarted(
                "gate", Simulation.TIME_ZERO_EPOCH_MS, 7, "", "", 1, 1, Long.MAX_VALUE / 2),
            core,
            policies,
            1,
            lanes,
            null,
            true,
            "made-up",
            serviceMs.entrySet().stream()
                .map(
                    entry ->
                        new Capability(
                            entry.getKey(),
                            "onnx",
                            "fp32",
                            1,
                            IntStream.rangeClosed(1, 2 * samplesMax)
                                .mapToObj(
                                    samples ->
                                        new WarmUp(
                                            samples,
                                            Math.round(
                                                entry.getValue().applyAsDouble(samples) * MS)))
                                .toList(),
                            modelsHeld == 0 ? null : loadNs,
                            modelsHeld == 0 ? null : 1L))
                .toList(),
            null,
            1,
            0,
            Long.MAX_VALUE / 2,
            Hops.NONE);
    ServiceModel service =
        new ServiceModel() {
          @Override
          public double[] nsByBusyLanes(Work batch) {
            var ms = serviceMs.get(batch.model().workload());
            return new double[] {Math.round(ms.applyAsDouble(batch.samples()) * MS)};
          }

          @Override
          public double factor(Work batch, long startsAtNs) {
            return Math.exp(spread * new Random(startsAtNs).nextGaussian());
          }
        };
    Run run = new Run(jobs);
    Simulation.run(settings, service, requests(jobs), run);
    return run;
  }
}
