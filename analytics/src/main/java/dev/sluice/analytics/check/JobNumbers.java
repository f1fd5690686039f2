package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Counts, latencies, violations and rates of jobs: of all, of each class, of each workload in it.
 */
final class JobNumbers {
  private static final int FEW_FOR_P95 = 130;
  private static final int FEW_FOR_P99 = 662;

  private final Recount recount;

  JobNumbers(Recount recount) {
    this.recount = recount;
  }

  void count() {
    var config = recount.folder.config();
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
    List<Job> measured = new ArrayList<>();
    List<Job> done = new ArrayList<>();
    List<Job> inside = new ArrayList<>();
    List<Job> atEdge = new ArrayList<>();
    Map<String, Long> byStatus = new HashMap<>();
    for (Job job : jobs) {
      if (job.isMeasured()) {
        measured.add(job);
        byStatus.merge(job.status, 1L, Long::sum);
        if (job.isDone()) {
          done.add(job);
        }
      }
      if (job.isDone() && recount.isAtEdge(job.endNs)) {
        atEdge.add(job);
      } else if (job.isDone() && recount.isInside(job.endNs)) {
        inside.add(job);
      }
    }
    long kept = done.stream().filter(job -> job.endToEndNs <= job.sloNs).count();
    long count = measured.size();
    recount.equal(prefix + "count", (double) count);
    recount.equal(prefix + "total_samples", samples(measured));
    for (String status : List.of("done", "dropped", "failed", "open")) {
      recount.equal(prefix + status, byStatus.getOrDefault(status, 0L));
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
    recount.equal(prefix + "avg_wait_ms", Recount.meanMs(Recount.sorted(done, job -> job.waitNs)));
    recount.equal(
        prefix + "avg_service_ms", Recount.meanMs(Recount.sorted(done, job -> job.serviceNs)));
    recount.equal(prefix + "slo_violations", (double) (count - kept));
    recount.equal(prefix + "slo_violation_rate", (double) (count - kept) / count);
    rate(prefix + "throughput_sps", samples(inside), samples(atEdge));
    rate(prefix + "throughput_jobs_sec", inside.size(), atEdge.size());
    if (sameBase) {
      rate(prefix + "goodput_jobs_sec", inTime(inside), inTime(atEdge));
    } else {
      recount.equal(prefix + "goodput_jobs_sec", kept / recount.windowSeconds());
    }
    if (prefix.equals("all_")) {
      rate("overall_throughput_sps", samples(inside), samples(atEdge));
      rate("overall_throughput_jobs_sec", inside.size(), atEdge.size());
    }
  }

  /** Compares a rate, of which a part may have come just before the window or just after it. */
  private void rate(String path, double sure, double perhaps) {
    double seconds = recount.windowSeconds();
    recount.between(path, sure / seconds, (sure + perhaps) / seconds, (sure + perhaps) / seconds);
  }

  private static double inTime(List<Job> jobs) {
    return jobs.stream().filter(job -> job.endToEndNs <= job.sloNs).count();
  }

  private static double samples(List<Job> jobs) {
    return jobs.stream().mapToLong(job -> job.samples).sum();
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
    Map<String, int[]> keptOf = new TreeMap<>();
    for (Job job : recount.measured) {
      int[] counts = keptOf.computeIfAbsent(job.classType + " × " + job.workload, k -> new int[2]);
      counts[0] += job.isDone() && job.endToEndNs <= job.sloNs ? 1 : 0;
      counts[1]++;
    }
    recount.equal(
        "slo_attainment_min",
        keptOf.values().stream().mapToDouble(c -> (double) c[0] / c[1]).min().orElse(Double.NaN));
  }

  private long[] waits(boolean interactive) {
    var config = recount.folder.config();
    return Recount.sorted(
        recount.measured.stream()
            .filter(Job::isDone)
            .filter(job -> config.flag("classes", job.classType, "interactive") == interactive)
            .toList(),
        job -> job.waitNs);
  }
}
