package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final int[] PERCENTS = {50, 95, 99};

  /** The completed_p… have no better end: they gain by jobs that are dropped. */
  static final List<Definition> NUMBERS =
      List.of(
          Definition.of("count", COUNT),
          Definition.of("total_samples", COUNT),
          Definition.of("done", COUNT).moreIsBetter(),
          Definition.of("dropped", COUNT).lessIsBetter(),
          Definition.of("failed", COUNT).lessIsBetter(),
          Definition.of("open", COUNT),
          Definition.of("avg_e2e_ms", MILLISECONDS).lessIsBetter().ofDoneJobs(),
          Definition.of("p50_e2e_ms", MILLISECONDS).lessIsBetter(),
          Definition.of("p95_e2e_ms", MILLISECONDS)
              .lessIsBetter()
              .fewBelow(NearestRank.COUNT_FOR_P95, "count"),
          Definition.of("p99_e2e_ms", MILLISECONDS)
              .lessIsBetter()
              .fewBelow(NearestRank.COUNT_FOR_P99, "count"),
          Definition.of("completed_p50_e2e_ms", MILLISECONDS),
          Definition.of("completed_p95_e2e_ms", MILLISECONDS)
              .fewBelow(NearestRank.COUNT_FOR_P95, "done"),
          Definition.of("completed_p99_e2e_ms", MILLISECONDS)
              .fewBelow(NearestRank.COUNT_FOR_P99, "done"),
          Definition.of("avg_wait_ms", MILLISECONDS).lessIsBetter().ofDoneJobs(),
          Definition.of("avg_service_ms", MILLISECONDS).ofDoneJobs(),
          Definition.of("slo_violations", COUNT).lessIsBetter(),
          Definition.of("slo_violation_rate", RATIO).within(Bounds.SHARE).lessIsBetter(),
          Definition.of("throughput_sps", PER_SECOND).moreIsBetter(),
          Definition.of("throughput_jobs_sec", PER_SECOND).moreIsBetter(),
          Definition.of("goodput_jobs_sec", PER_SECOND).moreIsBetter());

  @Override
  public List<Definition> numbers() {
    return NUMBERS;
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    List<List<Group>> ofBoth =
        run.classNames().stream().map(any -> groups(run, run.workloadNames())).toList();
    for (JobRow job : run.jobs().all()) {
      ofBoth.get(run.classOf(job)).get(run.workloadOf(job)).take(job);
    }
    List<Group> ofClasses = ofBoth.stream().map(groups -> Group.of(run, groups)).toList();
    Group.of(run, ofClasses)
        .block()
        .forEach((figure, value) -> summary.put("all_" + figure, value));
    Map<String, Object> byClass = new LinkedHashMap<>();
    for (int i = 0; i < ofClasses.size(); i++) {
      String name = run.classNames().get(i);
      ofClasses.get(i).block().forEach((f, value) -> summary.put(name + "_" + f, value));
      Map<String, Object> byWorkload = new LinkedHashMap<>();
      for (int j = 0; j < ofBoth.get(i).size(); j++) {
        byWorkload.put(run.workloadNames().get(j), ofBoth.get(i).get(j).block());
      }
      byClass.put(name, byWorkload);
    }
    summary.put("by_class_workload", byClass);
  }

  private static List<Group> groups(RunRows run, List<String> names) {
    return names.stream().map(name -> new Group(run)).toList();
  }

  /** Jobs of some classes and workloads, as far as figures need them. */
  private static final class Group {
    private final RunRows run;
    private final LongBag endToEndNs = new LongBag();
    private final Map<JobStatus, Long> byStatus = new EnumMap<>(JobStatus.class);
    private long samples;
    private long endToEndSumNs;
    private long waitSumNs;
    private long serviceSumNs;
    private long violations;
    private long finishedInside;
    private long finishedInsideSamples;
    private long finishedInsideInTime;

    Group(RunRows run) {
      this.run = run;
    }

    /** All jobs of several groups. */
    static Group of(RunRows run, List<Group> groups) {
      var sum = new Group(run);
      for (Group group : groups) {
        sum.endToEndNs.addAll(group.endToEndNs.sorted());
        group.byStatus.forEach((status, count) -> sum.byStatus.merge(status, count, Long::sum));
        sum.samples += group.samples;
        sum.endToEndSumNs += group.endToEndSumNs;
        sum.waitSumNs += group.waitSumNs;
        sum.serviceSumNs += group.serviceSumNs;
        sum.violations += group.violations;
        sum.finishedInside += group.finishedInside;
        sum.finishedInsideSamples += group.finishedInsideSamples;
        sum.finishedInsideInTime += group.finishedInsideInTime;
      }
      return sum;
    }

    void take(JobRow job) {
      boolean violation = job.isViolation();
      if (run.isDoneInWindow(job)) {
        finishedInside++;
        finishedInsideSamples += job.samples();
        finishedInsideInTime += violation ? 0 : 1;
      }
      if (job.isMeasured()) {
        byStatus.merge(job.status(), 1L, Long::sum);
        samples += job.samples();
        violations += violation ? 1 : 0;
        if (job.isDone()) {
          endToEndNs.add(job.endToEndNs());
          endToEndSumNs += job.endToEndNs();
          waitSumNs += job.waitNs();
          serviceSumNs += job.serviceNs();
        }
      }
    }

    Map<String, @Nullable Object> block() {
      long[] sortedNs = endToEndNs.sorted();
      long done = sortedNs.length;
      long count = byStatus.values().stream().mapToLong(jobsOfIt -> jobsOfIt).sum();
      double windowSeconds = run.windowSeconds();
      Map<String, @Nullable Object> block = new LinkedHashMap<>();
      block.put("count", count);
      block.put("total_samples", samples);
      for (JobStatus status : JobStatus.values()) {
        block.put(status.text(), byStatus.getOrDefault(status, 0L));
      }
      block.put("avg_e2e_ms", orNull((double) endToEndSumNs / done / 1e6));
      for (int percent : PERCENTS) {
        double ns = NearestRank.percentile(sortedNs, percent, count);
        block.put("p" + percent + "_e2e_ms", orNull(ns / 1e6));
      }
      block.put("p95_few_jobs", count < NearestRank.COUNT_FOR_P95);
      block.put("p99_few_jobs", count < NearestRank.COUNT_FOR_P99);
      for (int percent : PERCENTS) {
        double ns = NearestRank.percentile(sortedNs, percent);
        block.put("completed_p" + percent + "_e2e_ms", orNull(ns / 1e6));
      }
      block.put("avg_wait_ms", orNull((double) waitSumNs / done / 1e6));
      block.put("avg_service_ms", orNull((double) serviceSumNs / done / 1e6));
      block.put("slo_violations", violations);
      block.put("slo_violation_rate", orNull((double) violations / count));
      block.put("throughput_sps", orNull(finishedInsideSamples / windowSeconds));
      block.put("throughput_jobs_sec", orNull(finishedInside / windowSeconds));
      block.put("goodput_jobs_sec", orNull(finishedInsideInTime / windowSeconds));
      return block;
    }
  }

  static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
