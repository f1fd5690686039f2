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
record JobNumbers(Recount recount) {
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

  void count() {
    RunConfig config = recount.config;
    List<Job> jobs = recount.folder.jobs();
    block("all_", jobs);
    Map<String, List<Job>> byClass =
        jobs.stream().collect(Collectors.groupingBy(job -> job.classType));
    for (String name : config.sectionsByName("classes").keySet()) {
      List<Job> ofClass = byClass.getOrDefault(name, List.of());
      block(Recount.escaped(name) + "_", ofClass);
      Map<String, List<Job>> byWorkload =
          ofClass.stream().collect(Collectors.groupingBy(job -> job.workload));
      for (String workload : config.workloads().keySet()) {
        block(
            "by_class_workload/%s/%s/".formatted(Recount.escaped(name), Recount.escaped(workload)),
            byWorkload.getOrDefault(workload, List.of()));
      }
    }
    reasons("drops_by_reason", "dropped");
    reasons("failures_by_reason", "failed");
    fairness();
  }

  private void block(String prefix, List<Job> jobs) {
    boolean sameBase = recount.folder.summary().has("schema_version");
    var measured = new Sums();
    var inside = new Sums();
    var atEdge = new Sums();
    Map<String, Sums> byStatus = new HashMap<>();
    List<Job> done = new ArrayList<>();
    for (Job job : jobs) {
      if (job.isMeasured()) {
        measured.add(job);
        byStatus.computeIfAbsent(job.status, status -> new Sums()).add(job);
      }
      if (job.isDone()) {
        if (job.isMeasured()) {
          done.add(job);
        }
        if (recount.isAtEdge(job.endNs)) {
          atEdge.add(job);
        } else if (recount.isInside(job.endNs)) {
          inside.add(job);
        }
      }
    }
    double kept = measured.inTime;
    long count = measured.count;
    recount.equal(prefix + "count", count);
    recount.equal(prefix + "total_samples", measured.samples);
    for (String status : List.of("done", "dropped", "failed", "open")) {
      recount.equal(prefix + status, byStatus.getOrDefault(status, new Sums()).count);
    }
    long[] latencies = Recount.sorted(done, job -> job.endToEndNs);
    recount.equal(prefix + "avg_e2e_ms", Recount.meanMs(latencies));
    for (int percent : new int[] {50, 95, 99}) {
      recount.equal(prefix + "p" + percent + "_e2e_ms", Recount.rankMs(latencies, count, percent));
      recount.equal(
          prefix + "completed_p" + percent + "_e2e_ms", Recount.rankMs(latencies, percent));
    }
    if (sameBase) {
      recount.same(prefix + "p95_few_jobs", count < FEW_FOR_P95);
    }
    recount.same(prefix + "p99_few_jobs", count < FEW_FOR_P99);
    recount.equal(prefix + "avg_wait_ms", meanMs(done, job -> job.waitNs));
    recount.equal(prefix + "avg_service_ms", meanMs(done, job -> job.serviceNs));
    recount.equal(prefix + "slo_violations", count - kept);
    recount.equal(prefix + "slo_violation_rate", (count - kept) / count);
    rate(prefix + "throughput_sps", inside.samples, atEdge.samples);
    rate(prefix + "throughput_jobs_sec", inside.count, atEdge.count);
    if (sameBase) {
      rate(prefix + "goodput_jobs_sec", inside.inTime, atEdge.inTime);
    } else {
      recount.equal(prefix + "goodput_jobs_sec", kept / recount.windowSeconds());
    }
    if (prefix.equals("all_")) {
      rate("overall_throughput_sps", inside.samples, atEdge.samples);
      rate("overall_throughput_jobs_sec", inside.count, atEdge.count);
    }
  }

  /** Compares a rate, of which a part may have come just before the window or just after it. */
  private void rate(String path, double sure, double perhaps) {
    double seconds = recount.windowSeconds();
    recount.between(path, sure / seconds, (sure + perhaps) / seconds, (sure + perhaps) / seconds);
  }

  private static double meanMs(List<Job> jobs, ToLongFunction<Job> ns) {
    return Recount.meanMs(jobs.stream().mapToLong(ns).toArray());
  }

  private void reasons(String path, String status) {
    recount.equalEach(
        path,
        recount.measured.stream()
            .filter(job -> job.status.equals(status))
            .collect(
                Collectors.groupingBy(job -> job.reason, TreeMap::new, Collectors.counting())));
  }

  private void fairness() {
    long[] interactive = waits(true);
    long[] others = waits(false);
    double interactiveMs = Recount.meanMs(interactive);
    double othersMs = Recount.meanMs(others);
    recount.equal(
        "fairness_ratio",
        interactiveMs >= 1 && othersMs >= 1 ? othersMs / interactiveMs : Double.NaN);
    Map<String, Double> attainment =
        recount.measured.stream()
            .collect(
                Collectors.groupingBy(
                    job -> job.classType + " × " + job.workload,
                    Collectors.averagingDouble(job -> job.isInTime() ? 1 : 0)));
    recount.equal(
        "slo_attainment_min",
        attainment.values().stream().mapToDouble(share -> share).min().orElse(Double.NaN));
  }

  private long[] waits(boolean interactive) {
    return Recount.sorted(
        recount.measured.stream()
            .filter(Job::isDone)
            .filter(
                job -> recount.config.flag("classes", job.classType, "interactive") == interactive)
            .toList(),
        job -> job.waitNs);
  }
}
