package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Latency, violations and throughput of all jobs ({@code all_…}), of each class ({@code
 * interactive_…}) and of each class and workload ({@code by_class_workload}).
 *
 * <ul>
 *   <li>count, total_samples, done, dropped, failed, open: measured jobs and their samples.
 *   <li>p50, p95, p99_e2e_ms: nearest rank over all measured jobs; a job that is not done counts as
 *       infinite. completed_p…: over done jobs. p95_few_jobs, p99_few_jobs: the percentile stands
 *       on fewer than {@value NearestRank#COUNT_FOR_P95} or {@value NearestRank#COUNT_FOR_P99}
 *       jobs.
 *   <li>avg_…: mean over done jobs; their number is {@code done}.
 *   <li>slo_violations: measured jobs above their promise or not done; slo_violation_rate: of
 *       count.
 *   <li>throughput_sps, throughput_jobs_sec: samples and jobs that are done and finished inside the
 *       measured window, whenever they arrived, per second of it: what the system did in that time.
 *   <li>goodput_jobs_sec: those of the jobs that throughput_jobs_sec counts which kept their
 *       promise, per second of the measured window: never more than the throughput.
 * </ul>
 */
public final class JobFigures implements Figure {
  private static final Pattern PERCENTILE = Pattern.compile("(.*?)p\\d\\d_e2e_ms");

  /** Names of the numbers, in their order, without a class. */
  public static final List<String> NAMES =
      List.of(
          "count",
          "total_samples",
          "done",
          "dropped",
          "failed",
          "open",
          "avg_e2e_ms",
          "p50_e2e_ms",
          "p95_e2e_ms",
          "p99_e2e_ms",
          "completed_p50_e2e_ms",
          "completed_p95_e2e_ms",
          "completed_p99_e2e_ms",
          "avg_wait_ms",
          "avg_service_ms",
          "slo_violations",
          "slo_violation_rate",
          "throughput_sps",
          "throughput_jobs_sec",
          "goodput_jobs_sec");

  @Override
  public List<String> names() {
    return NAMES;
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    block(run, run.jobs()).forEach((name, value) -> summary.put("all_" + name, value));
    for (String classType : run.classNames()) {
      block(run, ofClass(run.jobs(), classType))
          .forEach((name, value) -> summary.put(classType + "_" + name, value));
    }
    Map<String, Object> byClass = new LinkedHashMap<>();
    for (String classType : run.classNames()) {
      Map<String, Object> byWorkload = new LinkedHashMap<>();
      for (String workload : run.workloadNames()) {
        List<JobRow> jobs =
            ofClass(run.jobs(), classType).stream()
                .filter(job -> job.request().workload().equals(workload))
                .toList();
        byWorkload.put(workload, block(run, jobs));
      }
      byClass.put(classType, byWorkload);
    }
    summary.put("by_class_workload", byClass);
  }

  @Override
  public boolean owns(String name) {
    return NAMES.stream().anyMatch(own -> name.equals(own) || name.endsWith("_" + own));
  }

  @Override
  public String countBehind(String name) {
    Matcher percentile = PERCENTILE.matcher(name);
    if (!percentile.matches()) {
      return "all_count";
    }
    String prefix = percentile.group(1);
    return prefix.endsWith("completed_")
        ? prefix.substring(0, prefix.length() - "completed_".length()) + "done"
        : prefix + "count";
  }

  /** Jobs of a class, in their order. */
  public static List<JobRow> ofClass(List<JobRow> jobs, String classType) {
    return jobs.stream().filter(job -> job.request().classType().equals(classType)).toList();
  }

  private static Map<String, @Nullable Object> block(RunRows run, List<JobRow> jobs) {
    List<JobRow> measured = jobs.stream().filter(JobRow::isMeasured).toList();
    List<JobRow> done = measured.stream().filter(JobRow::isDone).toList();
    List<JobRow> finishedInside = jobs.stream().filter(job -> finishedInside(run, job)).toList();
    long[] endToEndNs = done.stream().mapToLong(JobRow::endToEndNs).sorted().toArray();
    long count = measured.size();
    long violations = measured.stream().filter(JobRow::isViolation).count();
    long inTime = finishedInside.stream().filter(job -> !job.isViolation()).count();
    Map<String, @Nullable Object> block = new LinkedHashMap<>();
    block.put("count", count);
    block.put("total_samples", samples(measured));
    for (JobRow.Status status : JobRow.Status.values()) {
      block.put(status.text(), measured.stream().filter(j -> j.status() == status).count());
    }
    block.put("avg_e2e_ms", averageMs(done, JobRow::endToEndNs));
    for (int percent : new int[] {50, 95, 99}) {
      block.put(
          "p" + percent + "_e2e_ms",
          orNull(NearestRank.percentile(endToEndNs, percent, count) / 1e6));
    }
    block.put("p95_few_jobs", count < NearestRank.COUNT_FOR_P95);
    block.put("p99_few_jobs", count < NearestRank.COUNT_FOR_P99);
    for (int percent : new int[] {50, 95, 99}) {
      block.put(
          "completed_p" + percent + "_e2e_ms",
          orNull(NearestRank.percentile(endToEndNs, percent) / 1e6));
    }
    block.put("avg_wait_ms", averageMs(done, JobRow::waitNs));
    block.put("avg_service_ms", averageMs(done, JobRow::serviceNs));
    block.put("slo_violations", violations);
    block.put("slo_violation_rate", orNull((double) violations / count));
    block.put("throughput_sps", orNull(samples(finishedInside) / run.windowSeconds()));
    block.put("throughput_jobs_sec", orNull(finishedInside.size() / run.windowSeconds()));
    block.put("goodput_jobs_sec", orNull(inTime / run.windowSeconds()));
    return block;
  }

  private static boolean finishedInside(RunRows run, JobRow job) {
    if (!job.isDone()) {
      return false;
    }
    long finishedAtNs = job.doneDispatch().requireFinishedAtNs();
    return run.windowStartNs() <= finishedAtNs && finishedAtNs < run.windowEndNs();
  }

  private static long samples(List<JobRow> jobs) {
    return jobs.stream().mapToLong(job -> job.request().samples()).sum();
  }

  private static @Nullable Double averageMs(List<JobRow> jobs, ToLongFunction<JobRow> ns) {
    return orNull((double) jobs.stream().mapToLong(ns).sum() / jobs.size() / 1e6);
  }

  private static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
