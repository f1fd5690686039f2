package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.analytics.row.JobView;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
              .fewBelow(NearestRank.COUNT_FOR_P95),
          Definition.of("p99_e2e_ms", MILLISECONDS)
              .lessIsBetter()
              .fewBelow(NearestRank.COUNT_FOR_P99),
          Definition.of("completed_p50_e2e_ms", MILLISECONDS),
          Definition.of("completed_p95_e2e_ms", MILLISECONDS).fewBelow(NearestRank.COUNT_FOR_P95),
          Definition.of("completed_p99_e2e_ms", MILLISECONDS).fewBelow(NearestRank.COUNT_FOR_P99),
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
  public Fold begin(RunRows run) {
    return new Groups(run);
  }

  /** What each class and workload has. */
  private static final class Groups implements OfJobs {
    private final RunRows run;

    /** Groups by the places of classes and workloads. */
    private final Group[][] groups;

    private final Group[] ofKind;
    private final long fromNs;
    private final long toNs;

    Groups(RunRows run) {
      this.run = run;
      fromNs = run.windowStartNs();
      toNs = run.windowEndNs();
      groups = new Group[run.classNames().size()][run.workloadNames().size()];
      for (Group[] ofClass : groups) {
        Arrays.setAll(ofClass, workload -> new Group(List.of(new LongBag())));
      }
      ofKind = new Group[run.jobs().kinds().size()];
      Arrays.setAll(ofKind, kind -> groups[run.classOfKind(kind)][run.workloadOfKind(kind)]);
    }

    @Override
    public void take(JobView job) {
      ofKind[job.kindNumber()].take(job, fromNs, toNs);
    }

    @Override
    public void addTo(Summary summary) {
      List<String> classes = run.classNames();
      List<String> workloads = run.workloadNames();
      double seconds = run.windowSeconds();
      Group.of(Arrays.stream(groups).flatMap(Arrays::stream).toList())
          .block(seconds)
          .forEach((name, value) -> summary.put("all_" + name, value));
      for (int i = 0; i < groups.length; i++) {
        String name = classes.get(i);
        Group.of(List.of(groups[i]))
            .block(seconds)
            .forEach((figure, value) -> summary.put(name + "_" + figure, value));
      }
      Map<String, Object> byClass = new LinkedHashMap<>();
      for (int i = 0; i < groups.length; i++) {
        Map<String, Object> byWorkload = new LinkedHashMap<>();
        for (int j = 0; j < groups[i].length; j++) {
          byWorkload.put(workloads.get(j), groups[i][j].block(seconds));
        }
        byClass.put(classes.get(i), byWorkload);
      }
      summary.put("by_class_workload", byClass);
      for (Group[] ofClass : groups) {
        for (Group group : ofClass) {
          group.endToEndNs.forEach(LongBag::clear);
        }
      }
    }
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

  /** Jobs of some classes and workloads, as far as figures need them. */
  private static final class Group {
    final List<LongBag> endToEndNs;
    final long[] byStatus = new long[JobStatus.values().length];
    long samples;
    long endToEndSumNs;
    long waitSumNs;
    long serviceSumNs;
    long violations;
    long finishedInside;
    long finishedInsideSamples;
    long finishedInsideInTime;

    Group(List<LongBag> endToEndNs) {
      this.endToEndNs = endToEndNs;
    }

    /** Groups as one. */
    static Group of(List<Group> groups) {
      var all = new Group(groups.stream().flatMap(g -> g.endToEndNs.stream()).toList());
      for (Group group : groups) {
        Arrays.setAll(all.byStatus, status -> all.byStatus[status] + group.byStatus[status]);
        all.samples += group.samples;
        all.endToEndSumNs += group.endToEndSumNs;
        all.waitSumNs += group.waitSumNs;
        all.serviceSumNs += group.serviceSumNs;
        all.violations += group.violations;
        all.finishedInside += group.finishedInside;
        all.finishedInsideSamples += group.finishedInsideSamples;
        all.finishedInsideInTime += group.finishedInsideInTime;
      }
      return all;
    }

    void take(JobView job, long windowStartNs, long windowEndNs) {
      boolean violation = job.isViolation();
      if (job.isDone()) {
        long finishedAtNs = job.finishedAtNs();
        if (windowStartNs <= finishedAtNs && finishedAtNs < windowEndNs) {
          finishedInside++;
          finishedInsideSamples += job.samples();
          finishedInsideInTime += violation ? 0 : 1;
        }
      }
      if (job.isMeasured()) {
        byStatus[job.status().number()]++;
        samples += job.samples();
        violations += violation ? 1 : 0;
        if (job.isDone()) {
          long ns = job.endToEndNs();
          endToEndNs.get(0).add(ns);
          endToEndSumNs += ns;
          waitSumNs += job.waitNs();
          serviceSumNs += job.serviceNs();
        }
      }
    }

    Map<String, @Nullable Object> block(double windowSeconds) {
      long done = byStatus[JobStatus.DONE.number()];
      long count = Arrays.stream(byStatus).sum();
      double[] ofAll = NearestRank.percentiles(endToEndNs, count, PERCENTS);
      double[] ofDone = done == count ? ofAll : NearestRank.percentiles(endToEndNs, done, PERCENTS);
      Map<String, @Nullable Object> block = new LinkedHashMap<>();
      block.put("count", count);
      block.put("total_samples", samples);
      for (JobStatus status : JobStatus.values()) {
        block.put(status.text(), byStatus[status.number()]);
      }
      block.put("avg_e2e_ms", orNull((double) endToEndSumNs / done / 1e6));
      for (int i = 0; i < PERCENTS.length; i++) {
        block.put("p" + PERCENTS[i] + "_e2e_ms", orNull(ofAll[i] / 1e6));
      }
      block.put("p95_few_jobs", count < NearestRank.COUNT_FOR_P95);
      block.put("p99_few_jobs", count < NearestRank.COUNT_FOR_P99);
      for (int i = 0; i < PERCENTS.length; i++) {
        block.put("completed_p" + PERCENTS[i] + "_e2e_ms", orNull(ofDone[i] / 1e6));
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

  private static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
