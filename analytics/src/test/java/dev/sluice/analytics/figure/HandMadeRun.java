package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of a few jobs, each named by its times in milliseconds, with a measured window of [1 s, 3
 * s) unless another experiment is given. Interactive jobs promise 200 ms.
 */
final class HandMadeRun {
  private static final long MS = 1_000_000;

  final Experiment experiment;
  private final RunFold fold = new RunFold();
  private long offset;
  private int jobs;
  private final Map<String, String> workloads = new HashMap<>();

  HandMadeRun() {
    this(SyntheticRun.experiment(2.5, 1, 3, 2, Map.of()));
  }

  HandMadeRun(Experiment experiment) {
    this.experiment = experiment;
    var started =
        new RunStarted("run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null);
    put("runs", started, -100);
    put("facts", started, -90);
  }

  /** A batch under construction: where it ran, and as which attempt. */
  record Batch(String executor, long incarnation, List<Integer> lanes, int attempt) {
    static final Batch ON_LANE_0 = new Batch("local", 1, List.of(0), 1);

    static Batch onLanes(Integer... lanes) {
      return new Batch("local", 1, List.of(lanes), 1);
    }

    Batch incarnation(long newIncarnation) {
      return new Batch(executor, newIncarnation, lanes, attempt);
    }
  }

  /** A job that is meant for a time, sent and appended then; returns its id. */
  String job(long intendedMs) {
    return job("interactive", "resnet18", 1, intendedMs * MS, intendedMs * MS);
  }

  String job(String classType, String workload, int samples, long intendedNs, long sentNs) {
    return job(classType, workload, samples, intendedNs, sentNs, Math.floorDiv(sentNs, MS));
  }

  String job(
      String classType,
      String workload,
      int samples,
      long intendedNs,
      long sentNs,
      long appendedMs) {
    String id = "job-" + jobs;
    long sloNs = (classType.equals("interactive") ? 200 : 1000) * MS;
    put(
        "facts",
        new JobRequested(
            id, 0, jobs, classType, workload, "onnx", "fp32", samples, sloNs, intendedNs, sentNs),
        appendedMs);
    jobs++;
    workloads.put(id, workload);
    return id;
  }

  /** Jobs of the list that no generator sends. */
  void skipJobs(int count) {
    jobs += count;
  }

  /** A batch of one job that is decided, starts and ends at these times, in milliseconds. */
  HandMadeRun batch(Batch batch, String job, long decidedMs, long startMs, long endMs) {
    return batch(batch, job, decidedMs, startMs * MS, endMs * MS, 100 * MS, 0);
  }

  /**
   * @param meantNs service time that an emulated lane meant to take; 0 on a real one
   */
  HandMadeRun batch(
      Batch batch,
      String job,
      long decidedMs,
      long startNs,
      long endNs,
      long predictedNs,
      long meantNs) {
    DispatchId id = dispatched(batch, job, decidedMs, predictedNs);
    answered(batch, id, BatchCompleted.Result.DONE, startNs, endNs, meantNs);
    return ended(job, JobEnded.Status.DONE, null, id, Math.floorDiv(endNs, MS) + 1);
  }

  /** A dispatch of one job, which may never be answered; returns its name. */
  DispatchId dispatched(Batch batch, String job, long decidedMs, long predictedNs) {
    var id = new DispatchId(offset++, 0);
    put(
        "dispatches",
        new BatchDispatched(
            id,
            new Place(batch.executor, batch.incarnation, batch.lanes),
            new Work(
                new ModelKey(workloads.get(job), "onnx", "fp32"),
                List.of(new DispatchedJob(job, 1)),
                1,
                84,
                batch.attempt),
            new Decision(decidedMs * MS, null, Map.of(), null, null),
            Prediction.ofMean(predictedNs, "running_mean", 1)),
        decidedMs);
    return id;
  }

  /** The completion of a dispatch, one millisecond after its end. */
  HandMadeRun answered(
      Batch batch,
      DispatchId id,
      BatchCompleted.Result result,
      long startNs,
      long endNs,
      long meantNs) {
    return put(
        "facts",
        new BatchCompleted(
            id,
            batch.executor,
            batch.incarnation,
            batch.lanes.get(0),
            startNs,
            endNs,
            endNs - startNs,
            0,
            result,
            result == BatchCompleted.Result.DONE ? null : "it broke",
            List.of(),
            meantNs == 0 ? null : Long.valueOf(meantNs),
            1),
        Math.floorDiv(endNs, MS) + 1);
  }

  /** The outcome of a job; of its first attempt if a dispatch is named. */
  HandMadeRun ended(
      String job,
      JobEnded.Status status,
      @Nullable String reason,
      @Nullable DispatchId dispatch,
      long atMs) {
    int attempts = dispatch == null ? 0 : 1;
    return put(
        "outcomes", new JobEnded(job, status, reason, dispatch, attempts, atMs * MS), atMs + 2);
  }

  HandMadeRun dropped(String job, String reason, long atMs) {
    return ended(job, JobEnded.Status.DROPPED, reason, null, atMs);
  }

  HandMadeRun put(String topic, dev.sluice.contract.event.Event event, long atMs) {
    SyntheticRun.apply(
        fold, new SyntheticRun.Entry(event, topic, SyntheticRun.ZERO_EPOCH_MS + atMs), 0);
    return this;
  }

  /** The run's end, with the number of jobs that were sent. */
  HandMadeRun ended(int sent, boolean interrupted) {
    return put(
        "runs", new RunEnded("run-1", sent, false, interrupted, 4000 * MS, null, null), 4000);
  }

  /** The end of a run with a number of jobs that no generator sent; null: nobody knows it. */
  HandMadeRun endedWithout(@Nullable Long neverSent, int sent) {
    return put("runs", new RunEnded("run-1", sent, false, false, 4000 * MS, null, neverSent), 4000);
  }

  RunRows rows() {
    return fold.rows(SyntheticRun.context(experiment));
  }

  RunReport report() {
    return RunReport.of(fold, SyntheticRun.context(experiment));
  }

  Summary summary() {
    return Figures.summarize(rows());
  }

  double figure(String name) {
    Double value = summary().figure(name);
    return value == null ? Double.NaN : value;
  }
}
