package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * fairness_ratio: average wait of the done measured jobs of classes that are not interactive / that
 * of the interactive ones, null where either is below 1 ms. Beside it slo_attainment_min: the
 * lowest share of jobs that met their promise in any class × workload that has measured jobs, and
 * which one it is ({@code slo_attainment_min_of}; of equal ones the first by name).
 */
final class FairnessFigures implements Figure {
  private static final double LEAST_WAIT_NS = 1e6;

  @Override
  public List<String> names() {
    return List.of("fairness_ratio", "slo_attainment_min");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    OptionalDouble batchNs = averageWaitNs(run, false);
    OptionalDouble interactiveNs = averageWaitNs(run, true);
    boolean defined =
        batchNs.orElse(0) >= LEAST_WAIT_NS && interactiveNs.orElse(0) >= LEAST_WAIT_NS;
    summary.put(
        "fairness_ratio",
        defined ? batchNs.getAsDouble() / interactiveNs.getAsDouble() : Double.NaN);
    addLowestAttainment(summary, run);
  }

  private static OptionalDouble averageWaitNs(RunRows run, boolean interactive) {
    return run.jobs().stream()
        .filter(job -> job.isMeasured() && job.isDone())
        .filter(job -> run.isInteractive(job.request().classType()) == interactive)
        .mapToLong(JobRow::waitNs)
        .average();
  }

  private static void addLowestAttainment(Summary summary, RunRows run) {
    Map<String, long[]> metAndCount = new TreeMap<>();
    for (JobRow job : run.measured()) {
      String group = job.request().classType() + " × " + job.request().workload();
      long[] counts = metAndCount.computeIfAbsent(group, g -> new long[2]);
      counts[0] += job.isViolation() ? 0 : 1;
      counts[1]++;
    }
    double lowest = Double.NaN;
    String lowestGroup = null;
    for (Map.Entry<String, long[]> entry : metAndCount.entrySet()) {
      double attainment = (double) entry.getValue()[0] / entry.getValue()[1];
      if (lowestGroup == null || attainment < lowest) {
        lowest = attainment;
        lowestGroup = entry.getKey();
      }
    }
    summary.put("slo_attainment_min", lowest);
    summary.put("slo_attainment_min_of", lowestGroup);
  }
}
