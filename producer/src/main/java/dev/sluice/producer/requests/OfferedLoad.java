package dev.sluice.producer.requests;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The load that a run will put on its lanes, estimated from the service times seen at warm-up, when
 * each batch ran alone.
 *
 * @param perLane seconds of work per lane and second if each job runs alone; a lane can do at most
 *     1
 * @param perLaneMin seconds of work per lane and second if each job that may share a batch costs as
 *     little per sample as in the best batch size; above 1 the queue must grow without end
 * @param meanServiceMs mean service time of a job alone
 * @param infeasible a line for each class × workload whose isolated time misses its SLO
 */
public record OfferedLoad(
    double perLane, double perLaneMin, double meanServiceMs, List<String> infeasible) {

  public static OfferedLoad of(
      Experiment experiment, RequestList requests, List<Capability> capabilities) {
    Map<String, Capability> byModel = new LinkedHashMap<>();
    capabilities.forEach(c -> byModel.put(key(c.workload(), c.backend(), c.precision()), c));
    boolean joins = experiment.joinsJobs();
    Map<String, String> infeasible = new LinkedHashMap<>();
    double aloneNs = 0;
    double leastNs = 0;
    for (int i = 0; i < requests.size(); i++) {
      Request request = requests.get(i);
      Capability capability =
          byModel.get(key(request.workload(), request.backend(), request.precision()));
      if (capability == null) {
        throw new IllegalStateException("no lane can run " + request);
      }
      JobClass jobClass = experiment.jobClass(request.classType());
      double ns = serviceNs(capability, request.samples());
      aloneNs += ns;
      leastNs +=
          joins && jobClass.microbatch()
              ? Math.min(ns, leastNsPerSample(capability) * request.samples())
              : ns;
      if (ns > request.sloNs()) {
        infeasible.putIfAbsent(
            String.join(
                "/",
                request.classType(),
                request.workload(),
                request.backend(),
                request.precision()),
            describeMiss(request, ns));
      }
    }
    double laneNs =
        (experiment.load().durationSeconds() + experiment.load().tailSeconds())
            * 1e9
            * experiment.lanes().count()
            * experiment.kafka().shards();
    return new OfferedLoad(
        aloneNs / laneNs,
        leastNs / laneNs,
        aloneNs / Math.max(1, requests.size()) / 1e6,
        new ArrayList<>(infeasible.values()));
  }

  private static String describeMiss(Request request, double ns) {
    return String.format(
        Locale.ROOT,
        "%s × %s on %s%s takes %.0f ms at %d sample%s, its SLO is %.0f ms",
        request.classType(),
        request.workload(),
        request.backend(),
        request.precision().equals("fp32") ? "" : " in " + request.precision(),
        ns / 1e6,
        request.samples(),
        request.samples() == 1 ? "" : "s",
        request.sloNs() / 1e6);
  }

  private static String key(String workload, String backend, String precision) {
    return workload + "/" + backend + "/" + precision;
  }

  /**
   * Returns the warm-up's time for a number of samples, or the time for the nearest number, scaled.
   */
  private static double serviceNs(Capability capability, int samples) {
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
