package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.compare.ComparedJobs.ComparedJob;
import dev.sluice.analytics.compare.Comparison.Sample;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.statistic.BatchMeans;
import dev.sluice.analytics.statistic.PairedDifference;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Samples of one pair of runs: batch means of the difference of the two, job by job for means and
 * shares, stretch by stretch for rates. A percentile of one run has no interval.
 *
 * <p>The ratio of two means is judged by its linear part: the mean of ln r + b / mean(b) − a /
 * mean(a) is ln r, and its batch means vary as ln r does (W. G. Cochran, Sampling Techniques, 3rd
 * edition 1977, section 6.4).
 */
final class BatchesOfTwoRuns implements Sample.Source {
  private static final String OF_ALL = "all_";
  private static final String BY_CLASS = "by_class_workload.";
  private static final String OTHER_JOBS = "the two runs had other jobs";
  private static final String NO_RATIO = "0 in a run, so that there is no ratio";

  private final Side a;
  private final Side b;

  private record Side(JsonNode summary, List<ComparedJob> jobs, List<ComparedJob> measured) {
    static Side of(FinishedRun run, @Nullable List<ComparedJob> read) throws UserMistakeException {
      List<ComparedJob> jobs = read == null ? ComparedJob.read(run) : read;
      return new Side(run.summary(), jobs, jobs.stream().filter(ComparedJob::measured).toList());
    }

    List<ComparedJob> counted(HeadlineFigure figure) {
      return measured.stream().filter(BatchesOfTwoRuns.counted(figure)).toList();
    }
  }

  /**
   * @param jobsOfA jobs of A; null: they are read here
   * @param jobsOfB jobs of B
   */
  BatchesOfTwoRuns(
      FinishedRun a,
      FinishedRun b,
      @Nullable List<ComparedJob> jobsOfA,
      @Nullable List<ComparedJob> jobsOfB)
      throws UserMistakeException {
    this.a = Side.of(a, jobsOfA);
    this.b = Side.of(b, jobsOfB);
  }

  @Override
  public String method() {
    return "one pair of runs: Student's t over %d paired batch means".formatted(BatchMeans.BATCHES);
  }

  @Override
  public Sample of(HeadlineFigure figure) {
    Double ofA = figure.in(a.summary);
    Double ofB = figure.in(b.summary);
    if (ofA == null || ofB == null) {
      return Sample.none(
          Objects.requireNonNullElse(ofA, Double.NaN),
          Objects.requireNonNullElse(ofB, Double.NaN),
          "infinite or without a value in a run");
    }
    return switch (figure.definition().name()) {
      case "avg_e2e_ms" -> means(figure, ofA, ofB, ComparedJob::endToEndMs);
      case "avg_wait_ms" -> means(figure, ofA, ofB, ComparedJob::waitMs);
      case "slo_violation_rate" -> shares(figure, ofA, ofB);
      case "goodput_jobs_sec" -> rates(figure, ofA, ofB, job -> !job.violation());
      case "throughput_jobs_sec", "overall_throughput_jobs_sec" ->
          rates(figure, ofA, ofB, job -> true);
      default -> Sample.none(ofA, ofB, "of one pair, means and rates alone have an interval");
    };
  }

  /** The jobs that a figure counts. */
  private static Predicate<ComparedJob> counted(HeadlineFigure figure) {
    String group = figure.scope();
    if (group.equals(OF_ALL) || group.isEmpty()) {
      return job -> true;
    }
    if (group.startsWith(BY_CLASS)) {
      return job -> group.equals(BY_CLASS + job.classType() + "." + job.workload() + ".");
    }
    return job -> group.equals(job.classType() + "_");
  }

  private Sample means(
      HeadlineFigure figure, double ofA, double ofB, ToDoubleFunction<ComparedJob> value) {
    String left = PairsOfRuns.leftOut(figure, List.of(List.of(a.summary, b.summary)));
    if (left != null) {
      return Sample.none(ofA, ofB, left);
    }
    if (ofA <= 0 || ofB <= 0) {
      String why = sameJobs(a.counted(figure), b.counted(figure)) ? NO_RATIO : OTHER_JOBS;
      return Sample.none(ofA, ofB, why);
    }
    double ratio = Math.log(ofB / ofA);
    return jobByJob(
        figure,
        ofA,
        ofB,
        (jobA, jobB) -> ratio + value.applyAsDouble(jobB) / ofB - value.applyAsDouble(jobA) / ofA);
  }

  private Sample shares(HeadlineFigure figure, double ofA, double ofB) {
    return jobByJob(
        figure,
        ofA,
        ofB,
        (jobA, jobB) -> (jobB.violation() ? 1 : 0) - (double) (jobA.violation() ? 1 : 0));
  }

  private Sample jobByJob(
      HeadlineFigure figure,
      double ofA,
      double ofB,
      ToDoubleBiFunction<ComparedJob, ComparedJob> difference) {
    List<ComparedJob> jobsA = a.counted(figure);
    List<ComparedJob> jobsB = b.counted(figure);
    if (!sameJobs(jobsA, jobsB)) {
      return Sample.none(ofA, ofB, OTHER_JOBS);
    }
    var series = new double[jobsA.size()];
    Arrays.setAll(series, i -> difference.applyAsDouble(jobsA.get(i), jobsB.get(i)));
    return judged(ofA, ofB, series);
  }

  private static boolean sameJobs(List<ComparedJob> ofA, List<ComparedJob> ofB) {
    return ofA.stream()
        .map(ComparedJob::id)
        .toList()
        .equals(ofB.stream().map(ComparedJob::id).toList());
  }

  private Sample rates(HeadlineFigure figure, double ofA, double ofB, Predicate<ComparedJob> kept) {
    Predicate<ComparedJob> counted = counted(figure).and(ComparedJob::isDone).and(kept);
    double[] ratesA = rates(a, counted);
    double[] ratesB = rates(b, counted);
    Arrays.setAll(ratesB, i -> ratesB[i] - ratesA[i]);
    return judged(ofA, ofB, ratesB);
  }

  /** Jobs per second in each of equal stretches of the measured window, by their ends. */
  private static double[] rates(Side side, Predicate<ComparedJob> counted) {
    double from = side.summary.path("warmup_seconds").asDouble();
    double seconds = side.summary.path("window_seconds").asDouble() / BatchMeans.VALUES_MIN;
    var rates = new double[BatchMeans.VALUES_MIN];
    for (ComparedJob job : side.jobs) {
      double at = (job.endS() - from) / seconds;
      if (at >= 0 && at < rates.length && counted.test(job)) {
        rates[(int) at] += 1 / seconds;
      }
    }
    return rates;
  }

  private static Sample judged(double ofA, double ofB, double[] series) {
    BatchMeans means = BatchMeans.of(series);
    if (means.means().isEmpty()) {
      return Sample.none(
          ofA, ofB, "fewer than %d jobs: too few for batches".formatted(BatchMeans.VALUES_MIN));
    }
    return means.correlated()
        ? Sample.none(ofA, ofB, "neighbouring batches correlate: the runs are too short")
        : new Sample(ofA, ofB, PairedDifference.of(means.means()), null);
  }
}
