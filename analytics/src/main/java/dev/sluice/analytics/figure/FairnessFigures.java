package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import java.util.List;
import java.util.Map;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("fairness_ratio", RATIO),
        Definition.of("slo_attainment_min", RATIO).within(Bounds.SHARE).moreIsBetter());
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    int classes = run.classNames().size();
    int workloads = run.workloadNames().size();
    long[] waitSumNs = new long[classes];
    long[] done = new long[classes];
    long[][] met = new long[classes][workloads];
    long[][] measured = new long[classes][workloads];
    for (JobRow job : run.measured()) {
      int ofClass = run.classOf(job);
      int workload = run.workloadOf(job);
      measured[ofClass][workload]++;
      met[ofClass][workload] += job.isViolation() ? 0 : 1;
      if (job.isDone()) {
        waitSumNs[ofClass] += job.waitNs();
        done[ofClass]++;
      }
    }
    double batchNs = averageWaitNs(run, false, waitSumNs, done);
    double interactiveNs = averageWaitNs(run, true, waitSumNs, done);
    boolean defined = batchNs >= LEAST_WAIT_NS && interactiveNs >= LEAST_WAIT_NS;
    summary.put("fairness_ratio", defined ? batchNs / interactiveNs : Double.NaN);
    Map<String, Double> attainments = new TreeMap<>();
    for (int i = 0; i < classes; i++) {
      for (int j = 0; j < workloads; j++) {
        if (measured[i][j] > 0) {
          String group = run.classNames().get(i) + " × " + run.workloadNames().get(j);
          attainments.put(group, (double) met[i][j] / measured[i][j]);
        }
      }
    }
    var lowest = attainments.entrySet().stream().min(Map.Entry.comparingByValue());
    summary.put("slo_attainment_min", lowest.map(Map.Entry::getValue).orElse(null));
    summary.put("slo_attainment_min_of", lowest.map(Map.Entry::getKey).orElse(null));
  }

  private static double averageWaitNs(
      RunRows run, boolean interactive, long[] waitSumNs, long[] done) {
    long sumNs = 0;
    long count = 0;
    for (int i = 0; i < done.length; i++) {
      if (run.isInteractive(run.classNames().get(i)) == interactive) {
        sumNs += waitSumNs[i];
        count += done[i];
      }
    }
    return count == 0 ? 0 : (double) sumNs / count;
  }
}
