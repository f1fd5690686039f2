package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.check.RunFolder.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Recounts the figures of measured jobs in summary.json. */
final class RunSummary {
  private static final double TOLERANCE = 0.002;
  private static final int[] PERCENTILES = {50, 95, 99};

  private final RunFolder folder;
  private final Findings findings;

  RunSummary(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
  }

  void check() {
    List<Row> measured = folder.jobs().stream().filter(job -> job.is("phase", "measured")).toList();
    check("all", measured);
    if (folder.config().get("classes") instanceof Map<?, ?> classes) {
      for (Object name : classes.keySet()) {
        check(
            name.toString(),
            measured.stream().filter(job -> job.is("class_type", name.toString())).toList());
      }
    }
  }

  private void check(String name, List<Row> jobs) {
    List<Row> done = jobs.stream().filter(job -> job.is("status", "done")).toList();
    equal(name + "_count", jobs.size());
    equal(name + "_done", done.size());
    equal(name + "_total_samples", sum(jobs, "batch_size"));
    equal(name + "_avg_e2e_ms", average(done, "e2e_ms"));
    equal(name + "_avg_wait_ms", average(done, "wait_ms"));
    equal(name + "_avg_service_ms", average(done, "service_ms"));
    double[] endToEndMs = sorted(jobs, RunSummary::endToEndMs);
    double[] completedMs = sorted(done, RunSummary::endToEndMs);
    for (int percent : PERCENTILES) {
      equal(name + "_p" + percent + "_e2e_ms", nearestRank(endToEndMs, percent));
      equal(name + "_completed_p" + percent + "_e2e_ms", nearestRank(completedMs, percent));
    }
    double violations = sum(jobs, "slo_violation");
    equal(name + "_slo_violations", violations);
    equal(name + "_slo_violation_rate", jobs.isEmpty() ? Double.NaN : violations / jobs.size());
    double windowSeconds = folder.summary().path("window_seconds").asDouble(Double.NaN);
    equal(name + "_goodput_jobs_sec", (jobs.size() - violations) / windowSeconds);
  }

  /** End-to-end time; infinite for a job that was not done. */
  private static double endToEndMs(Row job) {
    return job.is("status", "done") ? job.number("e2e_ms") : Double.POSITIVE_INFINITY;
  }

  private static double[] sorted(List<Row> rows, ToDoubleFunction<Row> value) {
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

  private static double sum(List<Row> rows, String column) {
    return rows.stream().mapToDouble(row -> row.number(column)).sum();
  }

  private static double average(List<Row> rows, String column) {
    return rows.isEmpty() ? Double.NaN : sum(rows, column) / rows.size();
  }

  /** Compares a figure with its recount; NaN and infinity stand for null. */
  private void equal(String figure, double counted) {
    JsonNode stated = folder.summary().path(figure);
    findings.looked(Rule.SUMMARY, 1);
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
