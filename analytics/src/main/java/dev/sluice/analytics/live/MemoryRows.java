package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.DispatchRow;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.Prediction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a run that has just ended, as its tables will have them. */
final class MemoryRows implements RunSource {
  private final RunRows run;
  private final Map<String, List<String>> laneIds = new HashMap<>();

  MemoryRows(RunRows run) {
    this.run = run;
  }

  @Override
  public void batches(Consumer<RunBatch> to) {
    for (DispatchRow row : run.dispatches()) {
      to.accept(batch(row));
    }
  }

  private RunBatch batch(DispatchRow row) {
    Work work = row.dispatch().work();
    Prediction prediction = row.prediction();
    return new RunBatch(
        row.shard(),
        row.dispatch().dispatchId(),
        laneId(row.dispatch().place()),
        new RunBatch.Jobs(work.jobs().get(0).jobId(), work.jobs().size(), work.samples()),
        work.tokens(),
        work.attempt(),
        row.result(),
        new RunBatch.Times(
            micros(row.dispatch().decision().decidedAtNs()),
            orMicros(row.startedAtNs()),
            orMicros(row.finishedAtNs()),
            orMicros(row.completedAtNs())),
        row.model(),
        new RunBatch.Predicted(prediction.meanNs(), prediction.p95Ns(), prediction.p99Ns()),
        row.ran() ? Long.valueOf(row.serviceNs()) : null,
        () -> Decimals.terms(row.dispatch().decision().scoreTerms()));
  }

  /** Executor and first lane; one text for all batches of a lane. */
  private String laneId(Place place) {
    List<String> ids = laneIds.computeIfAbsent(place.executorId(), id -> new ArrayList<>());
    int lane = place.lanes().get(0);
    while (ids.size() <= lane) {
      ids.add(place.executorId() + "/" + ids.size());
    }
    return ids.get(lane);
  }

  @Override
  public void jobs(Consumer<RunJob> to) {
    for (JobRow row : run.jobs()) {
      to.accept(job(row));
    }
  }

  private static RunJob job(JobRow row) {
    JobRequested request = row.request();
    DispatchRow dispatch = row.dispatch();
    Long completedAtNs = dispatch == null ? null : dispatch.completedAtNs();
    return new RunJob(
        request.classType(),
        row.status(),
        micros(request.intendedAtNs()),
        micros(request.sentAtNs()),
        micros(row.appendedAtNs()),
        dispatch == null
            ? null
            : Long.valueOf(micros(dispatch.dispatch().decision().decidedAtNs())),
        orMicros(completedAtNs == null ? row.observedAtNs() : completedAtNs),
        row.isDone() ? row.endToEndNs() : 0,
        !row.isViolation());
  }

  @Override
  public void blocked(Consumer<Blocked> to) {
    run.blocked().forEach(to);
  }

  @Override
  public Map<String, String> classesOf(Set<String> jobIds) {
    Map<String, String> classes = new HashMap<>();
    for (JobRow row : run.jobs()) {
      if (jobIds.contains(row.request().jobId())) {
        classes.put(row.request().jobId(), row.request().classType());
      }
    }
    return classes;
  }

  @Override
  public BatchSpans spans() {
    var spans = new BatchSpans();
    for (DispatchRow row : run.dispatches()) {
      Long startedNs = row.startedAtNs();
      Long endedNs = row.finishedAtNs();
      if (startedNs != null && endedNs != null) {
        spans.add(laneId(row.dispatch().place()), micros(startedNs), micros(endedNs));
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

  private static @Nullable Long orMicros(@Nullable Long ns) {
    return ns == null ? null : Long.valueOf(micros(ns));
  }
}
