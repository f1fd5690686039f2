package dev.sluice.analytics.abort;

import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One threshold, as its jobs end: whether some end of the jobs to come can still make it met.
 *
 * <p>The best and the worst that the jobs to come can do is known: each may be done at once or in
 * any time, in the measured window if it may be, or not be done at all. Most jobs of a run are
 * known before it. Where fewer are asked for (a stop, generators that were started again), a bound
 * that counts as lost is lost all the more.
 */
final class BoundWatch {
  private static final Set<String> COUNTS =
      Set.of("done", "dropped", "failed", "slo_violations", "slo_violation_rate");
  private static final Set<String> RATES =
      Set.of("throughput_sps", "throughput_jobs_sec", "goodput_jobs_sec");
  private static final Set<String> MEANS = Set.of("avg_e2e_ms", "avg_wait_ms", "avg_service_ms");
  private static final String COMPLETED = "completed_";
  private static final Set<String> PERCENTILES = Set.of("p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms");
  private static final List<String> BEFORE_THE_RUN = List.of("count", "total_samples");

  private final String name;
  private final Threshold threshold;
  private final Scope scope;

  /** First nanosecond of the measured window, and the first one behind it. */
  private final long fromNs;

  private final long toNs;

  /**
   * True if each job has its intended time; false if a job is meant to arrive when the one before
   * it has ended, so that the list holds more jobs than the run will ask for.
   */
  private final boolean timesAreKnown;

  /** Number of measured jobs to come. */
  private long left;

  /** Number of jobs to come that may finish in the window, by the figure's own count. */
  private long leftForWindow;

  private long measured;
  private long done;
  private long insideWindow;

  /** Sum of what measured jobs add to the figure; of a percentile, those that break the bound. */
  private long counted;

  BoundWatch(
      String name, Threshold threshold, Experiment experiment, Iterable<JobRequested> planned) {
    this.name = name;
    this.threshold = threshold;
    this.scope = Scope.of(name, experiment);
    this.fromNs = experiment.load().warmupNs();
    this.toNs = experiment.load().durationNs();
    this.timesAreKnown = experiment.load().scenario() != Scenario.SINGLE_STREAM;
    for (JobRequested job : planned) {
      if (scope.holds(job)) {
        left += !timesAreKnown || isInWindow(job.intendedAtNs()) ? 1 : 0;
        leftForWindow += forWindow(job);
      }
    }
  }

  /** Tells whether a figure of jobs, without a class, can be told before the run's end. */
  static boolean isKnown(String figure) {
    return COUNTS.contains(figure)
        || RATES.contains(figure)
        || MEANS.contains(figure)
        || PERCENTILES.contains(percentile(figure))
        || BEFORE_THE_RUN.contains(figure)
        || figure.equals("open");
  }

  private static String percentile(String figure) {
    return figure.startsWith(COMPLETED) ? figure.substring(COMPLETED.length()) : figure;
  }

  /** Reason why the figure can never be told early; null if it can. */
  static @Nullable String refusal(String figure, Threshold threshold) {
    if (BEFORE_THE_RUN.contains(figure)) {
      return "it is known before the run, and no job's end changes it";
    }
    if (figure.equals("open")) {
      return "it counts jobs without an end, which are known when nothing more comes";
    }
    if (MEANS.contains(figure) && !threshold.isUpper()) {
      return "one job to come may take any time, so that a mean can always rise until the last one";
    }
    return isKnown(figure) ? null : "it does not follow from the ends of single jobs";
  }

  /** Number of measured jobs that the threshold's figure may stand on. */
  long planned() {
    return left;
  }

  /** Least number of jobs that the figure may stand on; fewer leave the threshold undecided. */
  long least() {
    return scope.figure().contains("p99_")
        ? NearestRank.COUNT_FOR_P99
        : scope.figure().contains("p95_") ? NearestRank.COUNT_FOR_P95 : 1;
  }

  private boolean isInWindow(long atNs) {
    return fromNs <= atNs && atNs < toNs;
  }

  void take(EndOfJob job) {
    JobRequested request = job.request();
    if (!scope.holds(request)) {
      return;
    }
    leftForWindow -= forWindow(request);
    if (job.isDone() && isInWindow(job.finishedAtNs())) {
      insideWindow += countedInside(job);
    }
    boolean isMeasured = isInWindow(request.intendedAtNs());
    if (isMeasured || !timesAreKnown) {
      left--;
    }
    if (isMeasured) {
      measured++;
      done += job.isDone() ? 1 : 0;
      counted += added(job);
    }
  }

  private long added(EndOfJob job) {
    String figure = scope.figure();
    if (PERCENTILES.contains(percentile(figure))) {
      boolean counts = job.isDone() || !figure.startsWith(COMPLETED);
      double ms = job.isDone() ? job.endToEndNs() / 1e6 : Double.POSITIVE_INFINITY;
      return counts && !threshold.holds(ms) ? 1 : 0;
    }
    return switch (figure) {
      case "done" -> job.isDone() ? 1 : 0;
      case "dropped" -> job.status() == Status.DROPPED ? 1 : 0;
      case "failed" -> job.status() == Status.FAILED ? 1 : 0;
      case "slo_violations", "slo_violation_rate" -> job.isViolation() ? 1 : 0;
      case "avg_wait_ms" -> job.isDone() ? job.startedAtNs() - job.request().intendedAtNs() : 0;
      case "avg_service_ms" -> job.serviceNs();
      case "avg_e2e_ms" -> job.isDone() ? job.endToEndNs() : 0;
      default -> 0;
    };
  }

  private long countedInside(EndOfJob job) {
    return switch (scope.figure()) {
      case "throughput_sps" -> job.request().samples();
      case "goodput_jobs_sec" -> job.isViolation() ? 0 : 1;
      default -> 1;
    };
  }

  /** What a job to come may add in the window, at most. */
  private long forWindow(JobRequested job) {
    if (timesAreKnown && job.intendedAtNs() >= toNs) {
      return 0;
    }
    return switch (scope.figure()) {
      case "throughput_sps" -> job.samples();
      case "goodput_jobs_sec" -> // in time, and not before the window
          !timesAreKnown || job.sloNs() >= fromNs - job.intendedAtNs() ? 1 : 0;
      default -> 1;
    };
  }

  /** Tells whether some end of the jobs to come makes the threshold met. */
  boolean canHold() {
    String figure = scope.figure();
    if (PERCENTILES.contains(percentile(figure))) {
      long total = values();
      long rank = NearestRank.of(percent(), total);
      long atBest = counted + (threshold.holds(0) || !threshold.isUpper() ? 0 : left);
      return total >= least() && (threshold.isUpper() ? atBest <= total - rank : atBest < rank);
    }
    return !Double.isNaN(best()) && threshold.holds(best());
  }

  /** Number of values that the figure stands on if all jobs to come are done. */
  private long values() {
    boolean ofDone = scope.figure().startsWith(COMPLETED) || MEANS.contains(scope.figure());
    return (ofDone ? done : measured) + left;
  }

  private int percent() {
    return Integer.parseInt(percentile(scope.figure()).substring(1, 3));
  }

  /** The value of a figure, no percentile, that keeps the bound best; NaN without one. */
  private double best() {
    long most = threshold.isUpper() ? 0 : left;
    double inWindow = insideWindow + (double) (threshold.isUpper() ? 0 : leftForWindow);
    return switch (scope.figure()) {
      case "done", "dropped", "failed", "slo_violations" -> counted + most;
      case "slo_violation_rate" -> (double) (counted + most) / values();
      case "throughput_sps", "throughput_jobs_sec", "goodput_jobs_sec" ->
          inWindow / ((toNs - fromNs) / 1e9);
      default ->
          (double) counted / values() / 1e6; // a mean, of which the jobs to come take nothing
    };
  }

  /** Why the threshold cannot be met, in words. */
  String why() {
    String bound = "threshold " + name + " " + threshold.text() + " cannot hold any more: ";
    long total = values();
    if (scope.figure().equals("slo_violation_rate")) {
      return bound
          + String.format(
              Locale.ROOT,
              "%,d of %,d jobs break their promise at %s",
              counted + (threshold.isUpper() ? 0 : left),
              total,
              threshold.isUpper() ? "least" : "most");
    }
    if (!PERCENTILES.contains(percentile(scope.figure()))) {
      return bound + "with the best end of all jobs to come it is " + Decimals.short3(best());
    }
    if (total < least()) {
      return bound
          + String.format(Locale.ROOT, "at most %,d jobs are done, fewer than %,d", total, least());
    }
    long rank = NearestRank.of(percent(), total);
    return bound
        + String.format(
            Locale.ROOT,
            "%,d jobs of at most %,d do not keep it, and %,d may not",
            counted,
            total,
            threshold.isUpper() ? total - rank : rank - 1);
  }

  /**
   * The jobs that a figure is of, and its name among theirs.
   *
   * @param classType null: jobs of all classes
   * @param workload null: jobs of all workloads
   */
  record Scope(@Nullable String classType, @Nullable String workload, String figure) {
    private static final String BY_CLASS_WORKLOAD = "by_class_workload.";

    /** The scope that a figure's path in summary.json names. */
    static Scope of(String path, Experiment experiment) {
      if (path.startsWith(BY_CLASS_WORKLOAD)) {
        String rest = path.substring(BY_CLASS_WORKLOAD.length());
        int first = rest.indexOf('.');
        int last = rest.lastIndexOf('.'); // a workload's name may hold dots
        return new Scope(
            rest.substring(0, first), rest.substring(first + 1, last), rest.substring(last + 1));
      }
      for (JobClass one : experiment.jobs().classes()) {
        String prefix = one.name() + "_";
        if (path.startsWith(prefix) && BoundWatch.isKnown(path.substring(prefix.length()))) {
          return new Scope(one.name(), null, path.substring(prefix.length()));
        }
      }
      for (String prefix : List.of("all_", "overall_")) {
        if (path.startsWith(prefix)) {
          return new Scope(null, null, path.substring(prefix.length()));
        }
      }
      return new Scope(null, null, path);
    }

    boolean holds(JobRequested job) {
      return (classType == null || classType.equals(job.classType()))
          && (workload == null || workload.equals(job.workload()));
    }
  }

  /**
   * A job with its end.
   *
   * @param startedAtNs start of the batch that did the job; 0 unless it is done
   * @param finishedAtNs end of that batch; 0 unless the job is done
   * @param serviceNs service time of that batch; 0 unless the job is done
   */
  record EndOfJob(
      JobRequested request, Status status, long startedAtNs, long finishedAtNs, long serviceNs) {
    boolean isDone() {
      return status == Status.DONE;
    }

    long endToEndNs() {
      return finishedAtNs - request.intendedAtNs();
    }

    boolean isViolation() {
      return !isDone() || endToEndNs() > request.sloNs();
    }
  }
}
