package dev.sluice.analytics.check.figure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.check.Findings;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.folder.Job;
import dev.sluice.analytics.check.folder.RunFolder;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Recounts the figures of measured jobs in summary.json. */
public final class RunSummary {
  private static final double TOLERANCE = 0.002;
  private static final int[] PERCENTILES = {50, 95, 99};

  private final RunFolder folder;
  private final Findings findings;

  public RunSummary(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  public void check() {
    check("all", folder.jobs());
    for (String name : folder.config().sectionsByName("classes").keySet()) {
      check(name, folder.jobs().stream().filter(job -> job.classType.equals(name)).toList());
    }
  }

  private void check(String name, List<Job> ofAllPhases) {
    List<Job> jobs = ofAllPhases.stream().filter(job -> job.isMeasured()).toList();
    List<Job> done = jobs.stream().filter(job -> job.isDone()).toList();
    equal(name + "_count", jobs.size());
    equal(name + "_done", done.size());
    equal(name + "_total_samples", sum(jobs, job -> job.samples));
    equal(name + "_avg_e2e_ms", average(done, job -> job.endToEndNs / 1e6));
    equal(name + "_avg_wait_ms", average(done, job -> job.waitNs / 1e6));
    equal(name + "_avg_service_ms", average(done, job -> job.serviceNs / 1e6));
    double[] endToEndMs = sorted(jobs, RunSummary::endToEndMs);
    double[] completedMs = sorted(done, RunSummary::endToEndMs);
    for (int percent : PERCENTILES) {
      equal(name + "_p" + percent + "_e2e_ms", nearestRank(endToEndMs, percent));
      equal(name + "_completed_p" + percent + "_e2e_ms", nearestRank(completedMs, percent));
    }
    double violations = jobs.stream().filter(job -> job.violation.equals("1")).count();
    equal(name + "_slo_violations", violations);
    equal(name + "_slo_violation_rate", jobs.isEmpty() ? Double.NaN : violations / jobs.size());
    long fromNs = folder.config().warmupNs();
    long toNs = folder.config().durationNs();
    long inTime =
        ofAllPhases.stream()
            .filter(job -> job.isDone() && job.violation.equals("0"))
            .filter(job -> fromNs <= job.endNs && job.endNs < toNs)
            .count();
    equal(name + "_goodput_jobs_sec", inTime / ((toNs - fromNs) / 1e9));
  }

  /** End-to-end time; infinite for a job that was not done. */
  private static double endToEndMs(Job job) {
    return job.isDone() ? job.endToEndNs / 1e6 : Double.POSITIVE_INFINITY;
  }

  private static double[] sorted(List<Job> rows, ToDoubleFunction<Job> value) {
    double[] values = rows.stream().mapToDouble(value).toArray();
    Arrays.sort(values);
    return values;
  }

  private static double nearestRank(double[] sorted, int percent) {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    int rank = (percent * sorted.length + 99) / 100;
    return sorted[Math.max(1, rank) - 1];
  }

  private static double sum(List<Job> rows, ToDoubleFunction<Job> value) {
    return rows.stream().mapToDouble(value).sum();
  }

  private static double average(List<Job> rows, ToDoubleFunction<Job> value) {
    return rows.isEmpty() ? Double.NaN : sum(rows, value) / rows.size();
  }

  /** Compares a figure with its recount; NaN and infinity stand for null. */
  private void equal(String figure, double counted) {
    JsonNode stated = folder.summary().path(figure);
    findings.looked(Rule.SUMMARY, 1);
    findings.number();
    boolean same =
        Double.isFinite(counted)
            ? stated.isNumber()
                && Math.abs(counted - stated.asDouble()) <= TOLERANCE + 1e-9 * Math.abs(counted)
            : stated.isNull();
    if (!same) {
      findings.fault(
          Rule.SUMMARY,
          "summary.json " + figure,
          "it says (%s), and the trace comes to (%s)".formatted(stated, counted));
    }
  }
}
