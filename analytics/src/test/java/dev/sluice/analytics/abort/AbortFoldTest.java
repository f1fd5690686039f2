package dev.sluice.analytics.abort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.analytics.abort.BoundWatch.Scope;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The moment at which a threshold is lost, beside every way in which the jobs to come can end: of
 * small runs all ways are tried.
 */
final class AbortFoldTest {
  private static final long MS = 1_000_000;
  private static final long FROM = 100 * MS;
  private static final long TO = 300 * MS;

  /** A job with its end; a done one has an end of its batch. */
  private record Job(JobRequested request, Status status, long finishedAtNs) {
    boolean measured() {
      return FROM <= request.intendedAtNs() && request.intendedAtNs() < TO;
    }

    boolean done() {
      return status == Status.DONE;
    }

    double ms() {
      return done() ? (finishedAtNs - request.intendedAtNs()) / 1e6 : Double.POSITIVE_INFINITY;
    }

    boolean violates() {
      return !done() || finishedAtNs - request.intendedAtNs() > request.sloNs();
    }

    boolean inside() {
      return done() && FROM <= finishedAtNs && finishedAtNs < TO;
    }
  }

  private static Experiment experiment(Map<String, Threshold> thresholds) {
    return SyntheticRun.experiment(50, FROM / 1e9, TO / 1e9, 1, thresholds);
  }

  private static @Nullable AbortFold fold(
      Map<String, Threshold> thresholds, List<JobRequested> jobs) throws UserMistakeException {
    var parsed =
        new ParsedExperiment(
            experiment(thresholds),
            Path.of("a.yaml"),
            Path.of("."),
            Map.of(),
            List.of(),
            Map.of(),
            new Vocabulary(Map.of(), Map.of(), Map.of(), Map.of(), List.of()));
    return AbortFold.of(parsed, jobs);
  }

  private static JobRequested job(int index, String classType, String workload, long intendedAtNs) {
    long sloNs = (classType.equals("interactive") ? 20 : 60) * MS;
    return new JobRequested(
        "job-" + index,
        0,
        index,
        classType,
        workload,
        "onnx",
        "fp32",
        1 + index % 2,
        sloNs,
        intendedAtNs,
        intendedAtNs);
  }

  private static void end(AbortFold fold, Job job) {
    var id = new DispatchId(job.request.index(), 0);
    if (job.done()) {
      fold.onFact(
          BatchCompleted.done(
              id,
              "local",
              1,
              0,
              job.request.intendedAtNs(),
              job.finishedAtNs - job.request.intendedAtNs(),
              1),
          0,
          0);
      fold.onOutcome(JobEnded.done(job.request.jobId(), id, 1, job.finishedAtNs), 0, 0);
    } else {
      fold.onOutcome(
          new JobEnded(job.request.jobId(), job.status, Reason.LANE_LOST.text(), null, 1, TO),
          0,
          0);
    }
  }

  /** The figure by its definition in docs/results.md; NaN where there is none. */
  private static double figure(Scope scope, List<Job> all) {
    List<Job> jobs = all.stream().filter(j -> scope.holds(j.request)).toList();
    List<Job> measured = jobs.stream().filter(Job::measured).toList();
    List<Job> done = measured.stream().filter(Job::done).toList();
    double windowSeconds = (TO - FROM) / 1e9;
    return switch (scope.figure()) {
      case "done" -> done.size();
      case "dropped" -> measured.stream().filter(j -> j.status == Status.DROPPED).count();
      case "failed" -> measured.stream().filter(j -> j.status == Status.FAILED).count();
      case "slo_violations" -> measured.stream().filter(Job::violates).count();
      case "slo_violation_rate" ->
          (double) measured.stream().filter(Job::violates).count() / measured.size();
      case "avg_e2e_ms", "avg_service_ms" ->
          (double) done.stream().mapToLong(j -> j.finishedAtNs - j.request.intendedAtNs()).sum()
              / done.size()
              / 1e6;
      case "p50_e2e_ms" -> median(measured);
      case "completed_p50_e2e_ms" -> median(done);
      case "throughput_jobs_sec" -> jobs.stream().filter(Job::inside).count() / windowSeconds;
      case "throughput_sps" ->
          jobs.stream().filter(Job::inside).mapToInt(j -> j.request.samples()).sum()
              / windowSeconds;
      case "goodput_jobs_sec" ->
          jobs.stream().filter(j -> j.inside() && !j.violates()).count() / windowSeconds;
      default -> throw new IllegalArgumentException(scope.figure());
    };
  }

  private static double median(List<Job> jobs) {
    return jobs.isEmpty()
        ? Double.NaN
        : jobs.stream().map(Job::ms).sorted().toList().get((jobs.size() + 1) / 2 - 1);
  }

  /** Every end that a job may come to, as far as any figure could tell it from another. */
  private static List<Job> ends(JobRequested job, double boundMs) {
    List<Job> ends = new ArrayList<>();
    ends.add(new Job(job, Status.DROPPED, 0));
    ends.add(new Job(job, Status.FAILED, 0));
    long at = job.intendedAtNs();
    long bound = Math.round(boundMs * 1e6);
    for (long finished :
        new long[] {at, at + job.sloNs(), at + bound, at + bound + 1, FROM, TO - 1, 9 * TO}) {
      if (finished >= at) {
        ends.add(new Job(job, Status.DONE, finished));
      }
    }
    return ends;
  }

  private static boolean someEndHolds(
      Scope scope, Threshold threshold, List<Job> ended, List<JobRequested> toCome, int from) {
    if (from == toCome.size()) {
      double value = figure(scope, ended);
      return !Double.isNaN(value) && threshold.holds(value);
    }
    for (Job end : ends(toCome.get(from), threshold.value())) {
      List<Job> more = new ArrayList<>(ended);
      more.add(end);
      if (someEndHolds(scope, threshold, more, toCome, from + 1)) {
        return true;
      }
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all_done",
        "dropped",
        "failed",
        "interactive_slo_violations",
        "slo_violation_rate",
        "by_class_workload.batch.vit_tiny.slo_violation_rate",
        "avg_e2e_ms",
        "avg_service_ms",
        "p50_e2e_ms",
        "by_class_workload.interactive.resnet18.p50_e2e_ms",
        "completed_p50_e2e_ms",
        "throughput_jobs_sec",
        "overall_throughput_sps",
        "batch_goodput_jobs_sec"
      })
  void aRunEnds_atTheFirstMomentAtWhichNoEndOfTheRestHolds(String name) throws Exception {
    Scope scope = Scope.of(name, experiment(Map.of()));
    int lost = 0;
    int kept = 0;
    for (int seed = 0; seed < 1000; seed++) {
      var random = new Random(seed);
      List<JobRequested> jobs = new ArrayList<>();
      int count = seed % 20 == 0 ? 4 : 1 + random.nextInt(3);
      for (int i = 0; i < count; i++) {
        jobs.add(
            job(
                i,
                random.nextBoolean() ? "interactive" : "batch",
                random.nextBoolean() ? "resnet18" : "vit_tiny",
                random.nextInt(380) * MS));
      }
      String comparison = List.of("<", "<=", ">", ">=").get(random.nextInt(4));
      if (name.startsWith("avg")) {
        comparison = random.nextBoolean() ? "<" : "<=";
      }
      double value =
          name.contains("_ms")
              ? random.nextInt(120)
              : name.contains("rate") ? random.nextInt(5) / 4.0 : 5 * random.nextInt(5);
      value = name.matches(".*(done|dropped|failed|violations)") ? random.nextInt(4) : value;
      var threshold = new Threshold(comparison, value, true);
      boolean holds = someEndHolds(scope, threshold, List.of(), jobs, 0);
      AbortFold fold;
      try {
        fold = fold(Map.of(name, threshold), jobs);
      } catch (UserMistakeException e) {
        boolean measuresNothing =
            jobs.stream().noneMatch(j -> scope.holds(j) && new Job(j, Status.FAILED, 0).measured());
        assertThat(holds && !measuresNothing).as("%d: %s", seed, e.getMessage()).isFalse();
        continue;
      }
      assertThat(holds).as("%d: %s %s at the start", seed, name, threshold.text()).isTrue();
      List<JobRequested> toCome = new ArrayList<>(jobs);
      List<Job> ended = new ArrayList<>();
      jobs.forEach(j -> fold.onFact(j, 0, 0));
      while (!toCome.isEmpty() && fold.lost() == null) {
        JobRequested next = toCome.remove(random.nextInt(toCome.size()));
        List<Job> ends = ends(next, threshold.value());
        Job end = ends.get(random.nextInt(ends.size()));
        ended.add(end);
        end(fold, end);
        assertThat(fold.lost() == null)
            .as("%d: %s %s after %s before %s", seed, name, threshold.text(), ended, toCome)
            .isEqualTo(someEndHolds(scope, threshold, ended, toCome, 0));
      }
      lost += fold.lost() == null ? 0 : 1;
      kept += fold.lost() == null ? 1 : 0;
    }
    assertThat(lost).isGreaterThan(50);
    assertThat(kept).isGreaterThan(50);
  }

  @ParameterizedTest
  @CsvSource({
    "p99_e2e_ms, <, 1000, 10", // 1 % of 1,000 may be above the bound, and rank 990 may not
    "p95_e2e_ms, <, 1000, 50",
    "p99_e2e_ms, <, 700, 7",
    "p99_e2e_ms, >=, 1000, 989", // as many may be below it
    "completed_p99_e2e_ms, <, 1000, 10"
  })
  void aTailPercentile_isLostWithTheJobThatIsOneTooMany(
      String name, String comparison, int jobs, int allowed) throws Exception {
    List<JobRequested> all = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      all.add(job(i, "batch", "vit_tiny", FROM));
    }
    AbortFold fold = fold(Map.of(name, new Threshold(comparison, 40, true)), all);
    all.forEach(j -> fold.onFact(j, 0, 0));
    long latencyNs = (comparison.equals("<") ? 41 : 39) * MS;
    for (int i = 0; i < allowed; i++) {
      end(fold, new Job(all.get(i), Status.DONE, FROM + latencyNs));
    }
    assertThat(fold.lost()).isNull();
    end(fold, new Job(all.get(allowed), Status.DONE, FROM + latencyNs));
    assertThat(fold.lost()).contains("threshold " + name + " " + comparison + " 40 cannot hold");
  }

  @Test
  void aJobWithoutAProvenEnd_andASecondOutcome_countNothing() throws Exception {
    List<JobRequested> jobs =
        List.of(job(0, "batch", "vit_tiny", FROM), job(1, "batch", "vit_tiny", FROM));
    AbortFold fold = fold(Map.of("slo_violations", new Threshold("<", 2, true)), jobs);
    jobs.forEach(j -> fold.onFact(j, 0, 0));
    fold.onOutcome(JobEnded.done("job-0", new DispatchId(0, 0), 1, TO), 0, 0);
    Job dropped = new Job(jobs.get(1), Status.DROPPED, 0);
    end(fold, dropped);
    fold.onFact(jobs.get(1), 0, 0);
    end(fold, dropped);
    assertThat(fold.lost()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "count, '>', 1, known before the run",
    "total_samples, '>', 1, known before the run",
    "open, '<', 1, without an end",
    "avg_e2e_ms, '>', 1, a mean can always rise",
    "lane_use, '<', 1, does not follow from the ends of single jobs",
    "lateness_p99_ms, '<', 1, does not follow from the ends of single jobs",
    "slo_violation_rate, '<', 0, never holds",
    "p99_e2e_ms, '<', 9, 'can never be decided: at most 1 jobs are measured, and it needs 662'",
    "interactive_p50_e2e_ms, '<', 9, 'at most 0 jobs are measured'"
  })
  void aBound_thatNothingCouldDecideEarly_isRefused(
      String name, String comparison, double value, String why) {
    assertThatThrownBy(
            () ->
                fold(
                    Map.of(name, new Threshold(comparison, value, true)),
                    List.of(job(0, "batch", "vit_tiny", FROM))))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("thresholds." + name)
        .hasMessageContaining(why)
        .hasMessageContaining("Maybe");
  }
}
