package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Counts, latencies, violations and rates of jobs: of all, of each class, of each workload in it.
 */
final class JobNumbers extends Numbers {
  private static final int FEW_FOR_P95 = 130;
  private static final int FEW_FOR_P99 = 662;

  /** Sums over some jobs. */
  private static final class Sums {
    long count;
    long samples;
    long inTime;

    void add(Job job) {
      count++;
      samples += job.samples;
      inTime += job.isInTime() ? 1 : 0;
    }
  }

  JobNumbers(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    List<Job> jobs = folder.jobs();
    block("all_", jobs);
    Map<String, List<Job>> byClass =
        jobs.stream().collect(Collectors.groupingBy(job -> job.classType));
    for (String name : config.sectionsByName("classes").keySet()) {
      List<Job> ofClass = byClass.getOrDefault(name, List.of());
      block(escaped(name) + "_", ofClass);
      Map<String, List<Job>> byWorkload =
          ofClass.stream().collect(Collectors.groupingBy(job -> job.workload));
      for (String workload : config.workloads().keySet()) {
        block(
            "by_class_workload/%s/%s/".formatted(escaped(name), escaped(workload)),
            byWorkload.getOrDefault(workload, List.of()));
      }
    }
    reasons("drops_by_reason", "dropped");
    reasons("failures_by_reason", "failed");
    fairness();
  }

  private void block(String prefix, List<Job> jobs) {
    boolean sameBase = folder.summary().has("schema_version");
    var all = new Sums();
    var inside = new Sums();
    var atEdge = new Sums();
    Map<String, Sums> byStatus = new HashMap<>();
    List<Job> done = new ArrayList<>();
    for (Job job : jobs) {
      if (job.isMeasured()) {
        all.add(job);
        byStatus.computeIfAbsent(job.status, status -> new Sums()).add(job);
        if (job.isDone()) {
          done.add(job);
        }
      }
      if (job.isDone()) {
        if (isAtEdge(job.endNs)) {
          atEdge.add(job);
        } else if (isInside(job.endNs)) {
          inside.add(job);
        }
      }
    }
    double kept = all.inTime;
    long count = all.count;
    equal(prefix + "count", (double) count);
    equal(prefix + "total_samples", (double) all.samples);
    for (String status : List.of("done", "dropped", "failed", "open")) {
      equal(prefix + status, (double) byStatus.getOrDefault(status, new Sums()).count);
    }
    long[] latencies = sorted(done, job -> job.endToEndNs);
    equal(prefix + "avg_e2e_ms", meanMs(latencies));
    for (int percent : new int[] {50, 95, 99}) {
      equal(prefix + "p" + percent + "_e2e_ms", rankMs(latencies, count, percent));
      equal(prefix + "completed_p" + percent + "_e2e_ms", rankMs(latencies, percent));
    }
    if (sameBase) {
      same(prefix + "p95_few_jobs", count < FEW_FOR_P95);
    }
    same(prefix + "p99_few_jobs", count < FEW_FOR_P99);
    equal(prefix + "avg_wait_ms", meanMs(done, job -> job.waitNs));
    equal(prefix + "avg_service_ms", meanMs(done, job -> job.serviceNs));
    equal(prefix + "slo_violations", count - kept);
    equal(prefix + "slo_violation_rate", (count - kept) / count);
    rate(prefix + "throughput_sps", inside.samples, atEdge.samples);
    rate(prefix + "throughput_jobs_sec", inside.count, atEdge.count);
    if (sameBase) {
      rate(prefix + "goodput_jobs_sec", inside.inTime, atEdge.inTime);
    } else {
      equal(prefix + "goodput_jobs_sec", kept / windowSeconds());
    }
    if (prefix.equals("all_")) {
      rate("overall_throughput_sps", inside.samples, atEdge.samples);
      rate("overall_throughput_jobs_sec", inside.count, atEdge.count);
    }
  }

  /** Compares a rate, of which a part may have come just before the window or just after it. */
  private void rate(String path, long sure, long perhaps) {
    double seconds = windowSeconds();
    double most = ((double) sure + perhaps) / seconds;
    between(path, sure / seconds, most, most);
  }

  private static double meanMs(List<Job> jobs, ToLongFunction<Job> ns) {
    return meanMs(jobs.stream().mapToLong(ns).toArray());
  }

  private void reasons(String path, String status) {
    equalEach(
        path,
        measured.stream()
            .filter(job -> job.status.equals(status))
            .collect(
                Collectors.groupingBy(job -> job.reason, TreeMap::new, Collectors.counting())));
  }

  private void fairness() {
    long[] interactive = waits(true);
    long[] others = waits(false);
    double interactiveMs = meanMs(interactive);
    double othersMs = meanMs(others);
    equal(
        "fairness_ratio",
        interactiveMs >= 1 && othersMs >= 1 ? othersMs / interactiveMs : Double.NaN);
    Map<String, Double> attainment =
        measured.stream()
            .collect(
                Collectors.groupingBy(
                    job -> job.classType + " × " + job.workload,
                    Collectors.averagingDouble(job -> job.isInTime() ? 1 : 0)));
    equal(
        "slo_attainment_min",
        attainment.values().stream().mapToDouble(share -> share).min().orElse(Double.NaN));
  }

  private long[] waits(boolean interactive) {
    return sorted(
        measured.stream()
            .filter(Job::isDone)
            .filter(job -> config.flag("classes", job.classType, "interactive") == interactive)
            .toList(),
        job -> job.waitNs);
  }
}
