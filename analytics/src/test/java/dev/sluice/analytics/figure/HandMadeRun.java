package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.analytics.summary.Summary;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
    return id;
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
    var id = new DispatchId(offset++, 0);
    put(
        "dispatches",
        new BatchDispatched(
            id,
            new Place(batch.executor, batch.incarnation, batch.lanes),
            new Work(
                new ModelKey("resnet18", "onnx", "fp32"),
                List.of(new DispatchedJob(job, 1)),
                1,
                84,
                batch.attempt),
            new Decision(decidedMs * MS, null, Map.of()),
            Prediction.ofMean(predictedNs, "running_mean", 1)),
        decidedMs);
    long completedMs = Math.floorDiv(endNs, MS) + 1;
    put(
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
            BatchCompleted.Result.DONE,
            null,
            List.of(),
            meantNs == 0 ? null : Long.valueOf(meantNs),
            1),
        completedMs);
    List<SyntheticRun.Entry> end = new ArrayList<>();
    RunReportTest.ended(end, job, JobEnded.Status.DONE, null, id, batch.attempt, completedMs);
    end.forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    return this;
  }

  HandMadeRun put(String topic, dev.sluice.contract.event.Event event, long atMs) {
    SyntheticRun.apply(
        fold, new SyntheticRun.Entry(event, topic, SyntheticRun.ZERO_EPOCH_MS + atMs), 0);
    return this;
  }

  HandMadeRun ended(boolean interrupted) {
    return put("runs", new RunEnded("run-1", jobs, false, interrupted, 4000 * MS, null), 4000);
  }

  RunRows rows() {
    return fold.rows(SyntheticRun.context(experiment));
  }

  Summary summary() {
    return Figures.summarize(rows());
  }

  double figure(String name) {
    Double value = summary().figure(name);
    return value == null ? Double.NaN : value;
  }
}
