package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.policy.Choice;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Rows of a run that has just ended, as its tables will have them. */
final class MemoryRows extends RunSource {
  private final RunRows run;

  MemoryRows(RunRows run) {
    this.run = run;
  }

  @Override
  void batches(Choice choice, Consumer<FinishedBatch> to) {
    Batches batches = run.batches();
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      long startedNs = micros(batches.startedAtNs(batch));
      long endedNs = micros(batches.finishedAtNs(batch));
      if (choice.reads(batches.laneId(batch), startedNs, endedNs)) {
        to.accept(batch(batches, batch));
      }
    }
  }

  @Override
  void countJobs(FinishedWindows windows) {
    Jobs jobs = run.jobs();
    for (int i = 0; i < jobs.size(); i++) {
      count(jobs, jobs.at(i), windows);
    }
  }

  private void count(Jobs jobs, int job, FinishedWindows windows) {
    JobStatus status = jobs.status(job);
    int batch = jobs.batch(job);
    windows.take(
        run.classNames().get(run.classOf(job)),
        status,
        micros(jobs.sentAtNs(job)) - micros(jobs.intendedAtNs(job)),
        micros(jobs.appendedAtNs(job)),
        batch < 0 ? Jobs.NONE : micros(run.batches().decidedAtNs(batch)),
        endedNs(jobs, job, batch),
        status == JobStatus.DONE ? jobs.endToEndNs(job) : 0,
        !jobs.isViolation(job));
  }

  /** End of a job as the tables hold it; {@link Jobs#NONE}: it is in no table. */
  private long endedNs(Jobs jobs, int job, int batch) {
    long completedNs = batch < 0 ? Jobs.NONE : run.batches().completedAtNs(batch);
    long endedNs = completedNs == Jobs.NONE ? jobs.observedAtNs(job) : completedNs;
    return micros(endedNs);
  }

  private FinishedBatch batch(Batches rows, int batch) {
    return new FinishedBatch(
        rows.shard(batch),
        new DispatchId(rows.factOffset(batch), rows.index(batch)),
        rows.laneId(batch),
        new FinishedBatch.Members(
            run.jobs().id(rows.job(batch, 0)), rows.jobCount(batch), rows.samples(batch)),
        rows.tokens(batch),
        rows.attempt(batch),
        rows.result(batch),
        new FinishedBatch.Times(
            micros(rows.decidedAtNs(batch)),
            micros(rows.startedAtNs(batch)),
            micros(rows.finishedAtNs(batch)),
            micros(rows.completedAtNs(batch))),
        rows.model(batch),
        new FinishedBatch.Predicted(
            rows.predictedNs(batch), rows.predictedP95Ns(batch), rows.predictedP99Ns(batch)),
        rows.ran(batch) ? rows.serviceNs(batch) : Jobs.NONE,
        rows.emulatedServiceNs(batch),
        rows.busyLanes(batch),
        () -> rows.scoreTerms(batch));
  }

  @Override
  void blocked(Consumer<Blocked> to) {
    run.blocked().forEach(to);
  }

  @Override
  Map<String, String> classesOf(Set<String> jobIds) {
    Map<String, String> classes = new HashMap<>();
    Jobs jobs = run.jobs();
    for (int i = 0; i < jobs.size() && classes.size() < jobIds.size(); i++) {
      String id = jobs.id(jobs.at(i));
      if (jobIds.contains(id)) {
        classes.put(id, jobs.kind(jobs.at(i)).classType());
      }
    }
    return classes;
  }

  @Override
  int lanes() {
    return run.lanes();
  }

  /** What the tables keep of a time: microseconds, half up; nothing of {@link Jobs#NONE}. */
  private static long micros(long ns) {
    return ns == Jobs.NONE ? Jobs.NONE : Math.floorDiv(ns + 500, 1000L) * 1000L;
  }
}
