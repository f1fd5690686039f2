package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Predictor;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The real core, the dynamic policy and an executor of four lanes in virtual time, under Poisson
 * arrivals: batches share the machine as emulated lanes do, each amount of work done at a rate that
 * depends on how many lanes are busy, with lognormal noise.
 */
final class VirtualLanes implements CoreListener {
  static final String KIND = "virtual";
  private static final int LANES = 4;
  private static final int SAMPLES_MAX = 8;
  private static final long MS = 1_000_000;
  private static final List<String> WORKLOADS = List.of("resnet18", "resnet50");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");

  /**
   * A batch that completed.
   *
   * @param typicalNs what it would have taken without noise, at the rates that it met
   * @param spread standard deviation of the logarithm of its noise
   */
  record Done(
      BatchDispatched dispatch, long endedAtNs, long serviceNs, double typicalNs, double spread) {
    String workload() {
      ModelKey job = dispatch.work().model();
      return job.workload() + "/" + job.backend();
    }
  }

  private static final class Running {
    final BatchDispatched dispatch;
    final double noise;
    final double spread;
    final double slowness;
    final long startedNs;
    double left = 1;

    Running(
        BatchDispatched dispatch, double noise, double spread, double slowness, long startedNs) {
      this.dispatch = dispatch;
      this.noise = noise;
      this.spread = spread;
      this.slowness = slowness;
      this.startedNs = startedNs;
    }

    double nsPerWhole(int busyLanes) {
      ModelKey job = dispatch.work().model();
      return meanNs(job.workload(), job.backend(), dispatch.samples(), busyLanes)
          * slowness
          * noise;
    }
  }

  final List<Done> done = new ArrayList<>();
  private final Random arrivals;
  private final Random noise;
  private final Random mix;
  private final SchedulingCore core;
  private final LongToDoubleFunction slowness;
  private final List<Running> running = new ArrayList<>();
  private final List<BatchDispatched> started = new ArrayList<>();
  private final double gapMeanNs;
  private long nowNs;
  private long facts;
  private int jobs;

  /**
   * @param load offered work as a share of what four busy lanes do
   * @param slowness by how much all takes longer, of the number of batches that completed
   */
  VirtualLanes(long seed, double load, LongToDoubleFunction slowness) {
    arrivals = new Random(seed);
    noise = new Random(seed + 1);
    mix = new Random(seed + 2);
    this.slowness = slowness;
    gapMeanNs = meanNs("resnet18", "onnx", 2, LANES) * 2.4 / LANES / load;
    CoreSettings settings =
        CoreSettings.of(
                seed,
                List.of(
                    new JobClass("interactive", 1, true, false),
                    new JobClass("batch", 5, false, true)),
                Map.of("resnet18", 80, "resnet50", 160))
            .with(new Microbatch(true, 5 * MS, SAMPLES_MAX))
            .with(new Predictor(true, 0.95));
    core = new SchedulingCore(settings, Policies.create("dynamic", Map.of()));
    List<Capability> capabilities = new ArrayList<>();
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        capabilities.add(new Capability(workload, backend, "fp32", 1_000_000_000, List.of()));
      }
    }
    apply(Facts.executor("e", 1, false, KIND, LANES, Long.MAX_VALUE, capabilities));
    apply(Facts.started(1, Long.MAX_VALUE));
  }

  static double meanNs(String workload, String backend, int samples, int busyLanes) {
    double ms = (workload.equals("resnet50") ? 12 : 6) * (backend.equals("onnx") ? 1 : 1.8);
    return ms * MS * (0.5 + 0.5 * samples) * (0.85 + 0.15 * busyLanes);
  }

  private static double spread(String workload, String backend) {
    return (workload.equals("resnet50") ? 0.05 : 0.08) * (backend.equals("onnx") ? 1 : 1.5);
  }

  /** Publishes a table that errs by 3 % a key, as a model fitted to noisy measurements does. */
  VirtualLanes publish(long tableVersion, double trainedAtSlowness) {
    Random errors = new Random(99 + tableVersion);
    List<Service> services = new ArrayList<>();
    List<Calibration> calibrations = new ArrayList<>();
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        double[] bySamples = errors.doubles(SAMPLES_MAX).map(u -> errors.nextGaussian()).toArray();
        services.add(
            new Service(
                workload,
                backend,
                "fp32",
                IntStream.rangeClosed(1, LANES)
                    .mapToObj(
                        busy ->
                            IntStream.rangeClosed(1, SAMPLES_MAX)
                                .mapToObj(
                                    n ->
                                        Math.round(
                                            meanNs(workload, backend, n, busy)
                                                * trainedAtSlowness
                                                * Math.exp(0.03 * bySamples[n - 1])))
                                .toList())
                    .toList()));
        double off = Math.hypot(spread(workload, backend), 0.03);
        calibrations.add(
            new Calibration(
                workload,
                backend,
                errors
                    .doubles(200)
                    .map(u -> off * errors.nextGaussian())
                    .sorted()
                    .boxed()
                    .toList()));
      }
    }
    apply(
        new PredictionsPublished(
            "e", KIND, "model-" + tableVersion, tableVersion, services, calibrations));
    return this;
  }

  /** Goes on until this number of further batches has completed. */
  VirtualLanes run(int batches) {
    int until = done.size() + batches;
    double nextArrivalNs = nowNs + gapNs();
    while (done.size() < until) {
      double nextEndNs = nextEndNs();
      long wakeNs = core.wakeAtNs();
      double nextNs = Math.min(Math.min(nextArrivalNs, nextEndNs), (double) wakeNs);
      progress(nextNs);
      if (nextNs == nextEndNs) {
        complete();
      } else if (nextNs == nextArrivalNs) {
        nextArrivalNs += gapNs();
        apply(arrival());
      } else {
        nowNs = Math.max(nowNs, wakeNs);
        apply(new Ticked());
      }
    }
    return this;
  }

  private double gapNs() {
    return -Math.log(1 - arrivals.nextDouble()) * gapMeanNs;
  }

  private Fact arrival() {
    boolean interactive = mix.nextInt(10) < 3;
    int index = jobs++;
    return new JobRequested(
        "j" + index,
        0,
        index,
        interactive ? "interactive" : "batch",
        WORKLOADS.get(mix.nextInt(10) < 7 ? 0 : 1),
        BACKENDS.get(mix.nextInt(10) < 7 ? 1 : 0),
        "fp32",
        1 + mix.nextInt(3),
        (interactive ? 100 : 1000) * MS,
        nowNs,
        nowNs);
  }

  private double nextEndNs() {
    double next = Double.POSITIVE_INFINITY;
    for (Running batch : running) {
      next = Math.min(next, nowNs + batch.left * batch.nsPerWhole(running.size()));
    }
    return next;
  }

  private void progress(double toNs) {
    long to = Math.max(nowNs, Math.round(toNs));
    for (Running batch : running) {
      batch.left -= (to - nowNs) / batch.nsPerWhole(running.size());
    }
    nowNs = to;
  }

  private void complete() {
    Running first = running.get(0);
    for (Running batch : running) {
      first = batch.left < first.left ? batch : first;
    }
    running.remove(first);
    long serviceNs = Math.max(1, nowNs - first.startedNs);
    done.add(new Done(first.dispatch, nowNs, serviceNs, serviceNs / first.noise, first.spread));
    apply(Facts.completed(first.dispatch, Result.DONE, serviceNs));
  }

  private void apply(Fact fact) {
    started.clear();
    core.apply(facts++, nowNs, fact, this);
    for (BatchDispatched dispatch : List.copyOf(started)) {
      ModelKey job = dispatch.work().model();
      double spread = spread(job.workload(), job.backend());
      running.add(
          new Running(
              dispatch,
              Math.exp(spread * noise.nextGaussian()),
              spread,
              slowness.applyAsDouble(done.size()),
              nowNs));
    }
  }

  /** By workload and backend, in the order of their ends. */
  Map<String, List<Done>> byWorkload(int from) {
    Map<String, List<Done>> byWorkload = new HashMap<>();
    for (Done batch : done.subList(from, done.size())) {
      byWorkload.computeIfAbsent(batch.workload(), w -> new ArrayList<>()).add(batch);
    }
    return byWorkload;
  }

  @Override
  public void started(BatchDispatched dispatch) {
    started.add(dispatch);
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    throw new AssertionError(reason);
  }

  @Override
  public void ended(JobEnded end) {}

  @Override
  public void blocked(Blocked span) {}
}
