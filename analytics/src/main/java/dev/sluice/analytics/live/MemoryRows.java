package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.value.DispatchId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a run that has just ended, as its tables will have them. */
final class MemoryRows implements RunSource {
  private final RunRows run;

  MemoryRows(RunRows run) {
    this.run = run;
  }

  @Override
  public void batches(Consumer<RunBatch> to) {
    Batches batches = run.batches();
    for (int i = 0; i < batches.size(); i++) {
      to.accept(batch(batches, batches.at(i)));
    }
  }

  private RunBatch batch(Batches rows, int batch) {
    return new RunBatch(
        rows.shard(batch),
        new DispatchId(rows.factOffset(batch), rows.index(batch)),
        rows.laneId(batch),
        new RunBatch.Jobs(
            run.jobs().id(rows.job(batch, 0)), rows.jobCount(batch), rows.samples(batch)),
        rows.tokens(batch),
        rows.attempt(batch),
        rows.result(batch),
        new RunBatch.Times(
            micros(rows.decidedAtNs(batch)),
            orMicros(rows.startedAtNs(batch)),
            orMicros(rows.finishedAtNs(batch)),
            orMicros(rows.completedAtNs(batch))),
        rows.model(batch),
        new RunBatch.Predicted(
            rows.predictedNs(batch),
            orNull(rows.predictedP95Ns(batch)),
            orNull(rows.predictedP99Ns(batch))),
        rows.ran(batch) ? Long.valueOf(rows.serviceNs(batch)) : null,
        () -> Decimals.terms(rows.scoreTerms(batch)));
  }

  @Override
  public void jobs(Consumer<RunJob> to) {
    Jobs jobs = run.jobs();
    for (int i = 0; i < jobs.size(); i++) {
      to.accept(job(jobs, jobs.at(i)));
    }
  }

  private RunJob job(Jobs jobs, int job) {
    int batch = jobs.batch(job);
    long completedAtNs = batch < 0 ? Jobs.NONE : run.batches().completedAtNs(batch);
    boolean done = jobs.isDone(job);
    return new RunJob(
        run.classNames().get(run.classOf(job)),
        jobs.status(job),
        micros(jobs.intendedAtNs(job)),
        micros(jobs.sentAtNs(job)),
        micros(jobs.appendedAtNs(job)),
        batch < 0 ? null : Long.valueOf(micros(run.batches().decidedAtNs(batch))),
        orMicros(completedAtNs == Jobs.NONE ? jobs.observedAtNs(job) : completedAtNs),
        done ? jobs.endToEndNs(job) : 0,
        !jobs.isViolation(job));
  }

  @Override
  public void blocked(Consumer<Blocked> to) {
    run.blocked().forEach(to);
  }

  @Override
  public Map<String, String> classesOf(Set<String> jobIds) {
    Map<String, String> classes = new HashMap<>();
    Jobs jobs = run.jobs();
    for (int i = 0; i < jobs.size(); i++) {
      String id = jobs.id(jobs.at(i));
      if (jobIds.contains(id)) {
        classes.put(id, jobs.kind(jobs.at(i)).classType());
      }
    }
    return classes;
  }

  @Override
  public BatchSpans spans() {
    var spans = new BatchSpans();
    Batches batches = run.batches();
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      if (batches.ran(batch)) {
        spans.add(
            batches.laneId(batch),
            micros(batches.startedAtNs(batch)),
            micros(batches.finishedAtNs(batch)));
      }
    }
    return spans;
  }

  @Override
  public int lanes() {
    return run.lanes();
  }

  /** What the tables keep of a time: microseconds, half up. */
  private static long micros(long ns) {
    return Math.floorDiv(ns + 500, 1000L) * 1000L;
  }

  private static @Nullable Long orMicros(long ns) {
    return ns == Jobs.NONE ? null : Long.valueOf(micros(ns));
  }

  private static @Nullable Long orNull(long ns) {
    return ns == Jobs.NONE ? null : Long.valueOf(ns);
  }
}
