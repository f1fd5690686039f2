package dev.sluice.producer.requests;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The load that a run will put on its lanes, estimated from the service times seen at warm-up, when
 * each batch ran alone. It is that of the jobs meant to arrive before the window's end: a list from
 * a file may end there, and then brings no work in the tail.
 *
 * @param jobsPerSecond jobs meant to arrive in a second; times {@code meanServiceMs}, divided by
 *     the lanes, it is {@code perLane}
 * @param perLane seconds of work per lane and second if each job runs alone; a lane can do at most
 *     1
 * @param perLaneMin seconds of work per lane and second if each job that may share a batch costs as
 *     little per sample as in the best batch size; above 1 the queue must grow without end
 * @param meanServiceMs mean service time of a job alone
 * @param infeasible a line for each class × workload whose isolated time misses its SLO
 */
public record OfferedLoad(
    double jobsPerSecond,
    double perLane,
    double perLaneMin,
    double meanServiceMs,
    List<String> infeasible) {

  public static OfferedLoad of(
      Experiment experiment, RequestList requests, List<Capability> capabilities) {
    Map<ModelKey, Capability> byModel = byModel(capabilities);
    List<JobKind> kinds = requests.kinds();
    var aloneNsOf = new double[kinds.size()];
    var leastNsOf = new double[kinds.size()];
    Map<String, String> infeasible = new LinkedHashMap<>();
    for (int i = 0; i < aloneNsOf.length; i++) {
      JobKind kind = kinds.get(i);
      Capability capability = byModel.get(kind.model());
      if (capability == null) {
        throw new IllegalStateException("no lane can run " + kind);
      }
      double ns = serviceNs(capability, kind.samples());
      boolean joined = experiment.joinsJobs() && experiment.jobClass(kind.classType()).microbatch();
      aloneNsOf[i] = ns;
      leastNsOf[i] = joined ? Math.min(ns, leastNsPerSample(capability) * kind.samples()) : ns;
      if (ns > kind.sloNs()) {
        infeasible.putIfAbsent(
            String.join("/", kind.classType(), kind.workload(), kind.backend(), kind.precision()),
            describeMiss(kind, ns));
      }
    }
    double windowNs = experiment.load().durationSeconds() * 1e9;
    int jobs = requests.countBefore(Math.round(windowNs));
    double aloneNs = 0;
    double leastNs = 0;
    for (int i = 0; i < jobs; i++) {
      aloneNs += aloneNsOf[requests.kindNumber(i)];
      leastNs += leastNsOf[requests.kindNumber(i)];
    }
    double laneNs = windowNs * experiment.lanes().count() * experiment.kafka().shards();
    return new OfferedLoad(
        jobs / experiment.load().durationSeconds(),
        aloneNs / laneNs,
        leastNs / laneNs,
        aloneNs / Math.max(1, jobs) / 1e6,
        new ArrayList<>(infeasible.values()));
  }

  static Map<ModelKey, Capability> byModel(List<Capability> capabilities) {
    Map<ModelKey, Capability> byModel = new HashMap<>();
    capabilities.forEach(capability -> byModel.put(capability.model(), capability));
    return byModel;
  }

  private static String describeMiss(JobKind kind, double ns) {
    return String.format(
        Locale.ROOT,
        "%s × %s on %s%s takes %.0f ms at %d sample%s, its SLO is %.0f ms",
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision().equals("fp32") ? "" : " in " + kind.precision(),
        ns / 1e6,
        kind.samples(),
        kind.samples() == 1 ? "" : "s",
        kind.sloNs() / 1e6);
  }

  /** The warm-up's time for the samples, or that for the nearest number, scaled. */
  static double serviceNs(Capability capability, int samples) {
    WarmUp nearest = capability.warmUps().get(0);
    for (WarmUp warmUp : capability.warmUps()) {
      if (Math.abs(warmUp.samples() - samples) < Math.abs(nearest.samples() - samples)) {
        nearest = warmUp;
      }
    }
    return (double) nearest.serviceNs() * samples / nearest.samples();
  }

  private static double leastNsPerSample(Capability capability) {
    return capability.warmUps().stream()
        .mapToDouble(w -> (double) w.serviceNs() / w.samples())
        .min()
        .orElseThrow();
  }
}
