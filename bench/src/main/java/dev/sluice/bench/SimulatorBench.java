package dev.sluice.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.executor.emulation.Emulation;
import dev.sluice.harness.simulate.HopsFile;
import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.WarmUp;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Bounds;
import dev.sluice.scheduling.fact.CoreSettings.Leases;
import dev.sluice.scheduling.fact.CoreSettings.Microbatch;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobName;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.Hops;
import dev.sluice.scheduling.simulation.Requests;
import dev.sluice.scheduling.simulation.ServiceModel;
import dev.sluice.scheduling.simulation.Simulation;
import dev.sluice.scheduling.simulation.SimulationEnd;
import dev.sluice.scheduling.simulation.SimulationListener;
import dev.sluice.scheduling.simulation.SimulationSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Simulations of {@value #LANES} lanes on one thread, without rows, and their rate of jobs. Jobs
 * come as a stream, so that memory does not grow with their number.
 */
final class SimulatorBench {
  private static final int LANES = 16;
  private static final int WAITING = 30_000;
  private static final double LOAD = 0.9;
  private static final double OVERLOAD = 1.02;
  private static final double LOAD_WHOLE = 0.5;
  private static final int DRAWN = 1 << 16;
  private static final int WARM_UPS = 5;
  private static final int WARM_UP_JOBS = 2_000_000;
  private static final long MS = 1_000_000;
  private static final double NS_PER_SECOND = 1e9;
  private static final int SAMPLES_MAX = 128;
  private static final List<Integer> SAMPLES = List.of(1, 8, 32);
  private static final List<String> WORKLOADS = List.of("resnet18", "vit");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");

  private SimulatorBench() {}

  /**
   * Load of a simulation.
   *
   * @param joined whether jobs are joined into micro-batches
   * @param overloaded whether {@value #WAITING} jobs wait all the time, and what comes beyond them
   *     is turned away; else the load is {@value #LOAD} if each job runs alone
   * @param whole whether lanes slow each other down, with noise, and hops are those of a recording;
   *     at a load of {@value #LOAD_WHOLE}, for contention and hops come to it
   */
  record Load(String policy, boolean joined, boolean overloaded, boolean whole) {}

  /** Rates of one simulation. */
  record Reading(double jobsPerSecond, double eventsPerSecond) {}

  /**
   * Measures one load, after {@value #WARM_UPS} simulations of {@value #WARM_UP_JOBS} jobs each:
   * the end of the first one, and the beginning of another, let the compiler begin anew.
   *
   * @param nanoTime clock that the rates are measured by
   */
  static Reading measure(Load load, int jobs, LongSupplier nanoTime) {
    for (int i = 0; i < WARM_UPS; i++) {
      simulate(load, WARM_UP_JOBS);
    }
    long beganNs = nanoTime.getAsLong();
    SimulationEnd end = simulate(load, jobs);
    double seconds = (nanoTime.getAsLong() - beganNs) / NS_PER_SECOND;
    if (end.jobs() != jobs) {
      throw new IllegalStateException("of (" + jobs + ") jobs (" + end.jobs() + ") were sent");
    }
    return new Reading(end.jobs() / seconds, end.events() / seconds);
  }

  private static SimulationEnd simulate(Load load, int jobs) {
    var core =
        CoreSettings.of(
                7,
                List.of(
                    new JobClass("interactive", 1, true, false),
                    new JobClass("batch", 5, false, true)),
                Map.of("resnet18", 80, "vit", 260))
            .with(new Microbatch(load.joined(), 10 * MS, SAMPLES_MAX))
            .with(new Bounds(load.overloaded() ? WAITING : Integer.MAX_VALUE, Long.MAX_VALUE))
            .with(new Leases(200 * MS, 2_000 * MS, 3));
    List<Capability> capabilities = new ArrayList<>();
    for (String workload : WORKLOADS) {
      for (String backend : BACKENDS) {
        capabilities.add(
            new Capability(
                workload,
                backend,
                "fp32",
                1_800_000_000L,
                SAMPLES.stream()
                    .map(n -> new WarmUp(n, (long) serviceNs(workload, backend, n)))
                    .toList()));
      }
    }
    var settings =
        new SimulationSettings(
            core,
            () -> Policies.create(load.policy(), Map.of()),
            1,
            LANES,
            Long.MAX_VALUE,
            "accelerator",
            capabilities,
            null,
            1,
            0,
            Long.MAX_VALUE / 2,
            load.whole() ? HopsFile.shipped().play(7) : Hops.NONE);
    return Simulation.run(
        settings, new Times(load.whole()), new Stream(load, jobs), SimulationListener.NONE);
  }

  /** About an accelerator's: a fixed part, and one in proportion to the samples. */
  private static double serviceNs(String workload, String backend, int samples) {
    double alphaNs = workload.equals("vit") ? 4 * MS : 2 * MS;
    double betaNs = backend.equals("pytorch") ? 300_000 : 200_000;
    return alphaNs + betaNs * samples;
  }

  /** A stream of jobs, whose kinds and gaps come from a pool that was drawn before. */
  private static final class Stream implements Requests {
    private record Kind(
        String classType, String workload, String backend, int samples, long sloNs) {}

    private final List<Kind> kinds = kinds();

    /** Indexes of kinds, drawn before; few enough that reading them hardly counts in the time. */
    private final byte[] kindAt = new byte[DRAWN];

    private final double[] gaps = new double[DRAWN];

    /** Id of the last job; its digits are counted on, which costs little for each job. */
    private final byte[] id = "job-00000000".getBytes(ISO_8859_1);

    private final double gapNs;
    private final int jobs;
    private final int atOnce;
    private int sent;
    private double nowNs;

    Stream(Load load, int jobs) {
      this.jobs = jobs;
      atOnce = load.overloaded() ? WAITING : 0;
      var random = new SplittableRandom(7);
      double sumNs = 0;
      for (int i = 0; i < DRAWN; i++) {
        boolean interactive = random.nextInt(10) < 3;
        int ofClass = random.nextInt(kinds.size() / 2);
        kindAt[i] = (byte) (interactive ? ofClass : kinds.size() / 2 + ofClass);
        Kind kind = kinds.get(kindAt[i]);
        sumNs += serviceNs(kind.workload, kind.backend, kind.samples);
        gaps[i] = -StrictMath.log(1 - random.nextDouble());
      }
      gapNs =
          sumNs / DRAWN / LANES / (load.overloaded() ? OVERLOAD : load.whole() ? LOAD_WHOLE : LOAD);
    }

    /** Kinds of jobs, interactive ones first. */
    private static List<Kind> kinds() {
      List<Kind> kinds = new ArrayList<>();
      for (boolean interactive : new boolean[] {true, false}) {
        for (String workload : WORKLOADS) {
          for (String backend : BACKENDS) {
            for (int samples : SAMPLES) {
              kinds.add(
                  new Kind(
                      interactive ? "interactive" : "batch",
                      workload,
                      backend,
                      samples,
                      (interactive ? 100 : 1000) * MS));
            }
          }
        }
      }
      return kinds;
    }

    @Override
    public @Nullable JobSpec next(int generator) {
      if (sent == jobs) {
        return null;
      }
      int index = sent++;
      Kind kind = kinds.get(kindAt[(int) (index * 31L & (DRAWN - 1))]);
      if (index >= atOnce) {
        nowNs += gaps[index & (DRAWN - 1)] * gapNs;
      }
      return new JobSpec(
          nextId(),
          0,
          index,
          kind.classType,
          kind.workload,
          kind.backend,
          "fp32",
          kind.samples,
          1,
          kind.sloNs,
          (long) nowNs);
    }

    private String nextId() {
      int digit = id.length - 1;
      while (id[digit] == '9') {
        id[digit--] = '0';
      }
      id[digit]++;
      return new String(id, ISO_8859_1);
    }

    @Override
    public boolean isMeasured(JobName job) {
      return true;
    }
  }

  /** Service times, looked up once for each model and samples. */
  private static final class Times implements ServiceModel {
    private static final double SLOWER_BESIDE_ANOTHER = 0.02;
    private static final double NOISE = 0.1;

    private final double[][] ns = new double[4 * (SAMPLES_MAX + 1)][];
    private final boolean whole;

    Times(boolean whole) {
      this.whole = whole;
    }

    @Override
    public double[] nsByBusyLanes(JobSpec first, int samples) {
      int model =
          (first.workload().equals("vit") ? 2 : 0) + (first.backend().equals("onnx") ? 1 : 0);
      int at = model * (SAMPLES_MAX + 1) + samples;
      double[] known = ns[at];
      if (known == null) {
        known = new double[whole ? LANES : 1];
        for (int busy = 0; busy < known.length; busy++) {
          known[busy] =
              serviceNs(first.workload(), first.backend(), samples)
                  * (1 + SLOWER_BESIDE_ANOTHER * busy);
        }
        ns[at] = known;
      }
      return known;
    }

    @Override
    public double factor(JobSpec first, int samples, int attempt, long startsAtNs) {
      return whole ? Emulation.noise(7, first.id(), attempt, NOISE) : 1;
    }
  }
}
