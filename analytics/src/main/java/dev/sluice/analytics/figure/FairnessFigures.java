package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.summary.Summary;
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
    Jobs jobs = run.jobs();
    List<Boolean> counts =
        run.classNames().stream().map(name -> run.isInteractive(name) == interactive).toList();
    long sumNs = 0;
    long count = 0;
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (counts.get(run.classOf(job)) && jobs.isMeasured(job) && jobs.isDone(job)) {
        sumNs += jobs.waitNs(job);
        count++;
      }
    }
    return count == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) sumNs / count);
  }

  private static void addLowestAttainment(Summary summary, RunRows run) {
    Jobs jobs = run.jobs();
    var met = new long[run.classNames().size()][run.workloadNames().size()];
    var measured = new long[run.classNames().size()][run.workloadNames().size()];
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job)) {
        met[run.classOf(job)][run.workloadOf(job)] += jobs.isViolation(job) ? 0 : 1;
        measured[run.classOf(job)][run.workloadOf(job)]++;
      }
    }
    Map<String, long[]> metAndCount = new TreeMap<>();
    for (int i = 0; i < met.length; i++) {
      for (int j = 0; j < met[i].length; j++) {
        if (measured[i][j] > 0) {
          String group = run.classNames().get(i) + " × " + run.workloadNames().get(j);
          metAndCount.put(group, new long[] {met[i][j], measured[i][j]});
        }
      }
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
