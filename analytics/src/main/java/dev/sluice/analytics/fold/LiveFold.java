package dev.sluice.analytics.fold;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import dev.sluice.contract.window.MetricsWindow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run that still goes on: counts, and the jobs that wait or run. It forgets ended
 * jobs, so memory does not grow with jobs. Not thread-safe.
 *
 * <p>A dispatch or an outcome must come after the facts that it rests on; a job that is unknown by
 * then has ended before.
 */
public final class LiveFold implements LogFold {
  /** Delay after which a second is closed: by then its outcomes have been committed. */
  private static final long WINDOW_DELAY_NS = 3_000_000_000L;

  /** Delay after its possible end at which a run without an end counts as abandoned. */
  private static final long ABANDONED_AFTER_NS = 15_000_000_000L;

  private final Map<String, Job> jobs = new HashMap<>();
  private final Map<DispatchKey, Batch> batches = new HashMap<>();
  private final Map<DispatchKey, BatchCompleted> early = new HashMap<>();
  private final Map<Integer, Shard> shards = new TreeMap<>();
  private final Map<String, Lanes> lanes = new HashMap<>();
  private final Map<String, Long> violations = new TreeMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final Histogram endToEndNs = new Histogram(3);
  private final MetricsWindows windows = new MetricsWindows();
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long requested;
  private long running;
  private long done;
  private long dropped;
  private long failed;
  private long droppedAtTheEnd;
  private long lastEndedAtNs;

  /** A job that has not ended. */
  private static final class Job {
    final String classType;
    final long intendedAtNs;
    final long sloNs;
    @Nullable Batch batch;

    Job(String classType, long intendedAtNs, long sloNs) {
      this.classType = classType;
      this.intendedAtNs = intendedAtNs;
      this.sloNs = sloNs;
    }
  }

  /** A dispatch with jobs that have not ended and are in no later dispatch. */
  private static final class Batch {
    final DispatchKey key;
    final long decidedAtNs;
    final int lanes;
    final List<Job> jobs = new ArrayList<>();
    int open;
    @Nullable Long finishedAtNs;

    Batch(DispatchKey key, long decidedAtNs, int lanes) {
      this.key = key;
      this.decidedAtNs = decidedAtNs;
      this.lanes = lanes;
    }
  }

  private static final class Shard {
    final Map<Integer, Long> lastIndexes = new HashMap<>();
    final Map<Integer, Long> announced = new HashMap<>();
    long ended;
    @Nullable DispatchId lastDispatch;
    long factAtEpochMs;
  }

  private record Lanes(int count, long joinedAtNs) {}

  @Override
  public void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    if (entry instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (entry instanceof RunEnded end) {
      ended = ended == null ? end : ended;
    }
  }

  @Override
  public void onFact(Fact fact, int shardIndex, long appendedAtEpochMs) {
    Shard shard = shard(shardIndex);
    shard.factAtEpochMs = Math.max(shard.factAtEpochMs, appendedAtEpochMs);
    if (fact instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (fact instanceof JobRequested request) {
      onRequested(request, shard, sinceZeroNs(appendedAtEpochMs));
    } else if (fact instanceof BatchCompleted completion) {
      onCompleted(completion, shard, shardIndex, sinceZeroNs(appendedAtEpochMs));
    } else if (fact instanceof ExecutorReported report) {
      long atNs = started == null ? 0 : sinceZeroNs(appendedAtEpochMs);
      lanes.merge(
          report.executorId(),
          new Lanes(report.lanes().size(), atNs),
          (old, now) -> new Lanes(Math.max(old.count(), now.count()), old.joinedAtNs()));
    } else if (fact instanceof ArrivalsEnded arrivals) {
      shard.announced.putIfAbsent(arrivals.generator(), arrivals.jobsSent());
    }
  }

  private void onRequested(JobRequested request, Shard shard, long atNs) {
    Long last = shard.lastIndexes.get(request.generator());
    if (last != null && request.index() <= last) {
      return; // sent again: indexes rise per generator and shard
    }
    shard.lastIndexes.put(request.generator(), request.index());

    requested++;
    String classType = names.computeIfAbsent(request.classType(), name -> name);
    violations.putIfAbsent(classType, 0L);
    jobs.put(request.jobId(), new Job(classType, request.intendedAtNs(), request.sloNs()));
    windows.requested(classType, atNs);
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shardIndex, long appendedAtEpochMs) {
    var key = new DispatchKey(shardIndex, dispatch.dispatchId());
    Shard shard = shard(shardIndex);
    if (shard.lastDispatch != null && dispatch.dispatchId().compareTo(shard.lastDispatch) <= 0) {
      return; // a further copy
    }
    shard.lastDispatch = dispatch.dispatchId();
    var batch = new Batch(key, dispatch.decision().decidedAtNs(), dispatch.place().lanes().size());
    for (BatchDispatched.DispatchedJob member : dispatch.work().jobs()) {
      Job job = jobs.get(member.jobId());
      if (job != null) {
        if (job.batch == null) {
          running++;
          windows.moved(dispatch.decision().decidedAtNs(), -1, 1);
        } else {
          leave(job.batch);
        }
        job.batch = batch;
        batch.jobs.add(job);
        batch.open++;
      }
    }
    if (batch.open > 0) {
      batches.put(key, batch);
    }
    BatchCompleted completion = early.remove(key);
    if (completion != null && batch.open > 0) {
      apply(completion, batch, dispatch.decision().decidedAtNs());
    }
  }

  private void onCompleted(BatchCompleted completion, Shard shard, int shardIndex, long atNs) {
    var key = new DispatchKey(shardIndex, completion.dispatchId());
    boolean seen =
        shard.lastDispatch != null && completion.dispatchId().compareTo(shard.lastDispatch) <= 0;
    Batch batch = batches.get(key);
    if (!seen) { // the dispatch has not been committed yet
      if (early.putIfAbsent(key, withoutResults(completion)) == null) {
        countBusy(completion, 1);
      }
    } else if (batch != null && batch.finishedAtNs == null) {
      countBusy(completion, batch.lanes);
      apply(completion, batch, atNs);
    }
  }

  private void countBusy(BatchCompleted completion, int lanesOfIt) {
    if (completion.startedAtNs() != null && completion.finishedAtNs() != null) {
      for (int i = 0; i < lanesOfIt; i++) {
        windows.busy(completion.startedAtNs(), completion.finishedAtNs());
      }
    }
  }

  private void apply(BatchCompleted completion, Batch batch, long atNs) {
    if (completion.result() != BatchCompleted.Result.REFUSED) {
      batch.finishedAtNs = completion.finishedAtNs();
      return;
    }
    batches.remove(batch.key);
    for (Job job : batch.jobs) {
      if (job.batch == batch) {
        job.batch = null;
        running--;
        windows.moved(atNs, 1, -1);
      }
    }
  }

  private static BatchCompleted withoutResults(BatchCompleted completion) {
    return completion.results().isEmpty()
        ? completion
        : new BatchCompleted(
            completion.dispatchId(),
            completion.executorId(),
            completion.incarnation(),
            completion.lane(),
            completion.startedAtNs(),
            completion.finishedAtNs(),
            completion.serviceNs(),
            completion.switchNs(),
            completion.result(),
            completion.cause(),
            List.of(),
            completion.emulatedServiceNs(),
            completion.busyLanes());
  }

  @Override
  public void onOutcome(Outcome outcome, int shardIndex, long appendedAtEpochMs) {
    if (!(outcome instanceof JobEnded end)) {
      return;
    }
    Job job = jobs.remove(end.jobId());
    if (job == null) {
      return; // a second outcome, or one of an unknown job: the report names them
    }
    shard(shardIndex).ended++;
    lastEndedAtNs = Math.max(lastEndedAtNs, end.endedAtNs());
    long finishedAtNs = finishedAtNs(end, shardIndex);
    if (job.batch == null) {
      windows.moved(end.endedAtNs(), -1, 0);
    } else {
      running--;
      windows.moved(end.endedAtNs(), 0, -1);
      leave(job.batch);
      job.batch = null;
    }
    long latencyNs = Math.max(0, finishedAtNs - job.intendedAtNs);
    switch (end.status()) {
      case DONE -> {
        done++;
        endToEndNs.recordValue(latencyNs);
      }
      case DROPPED -> {
        dropped++;
        droppedAtTheEnd += Reason.RUN_ENDED.is(end.reason()) ? 1 : 0;
      }
      case FAILED -> failed++;
    }
    boolean inTime = end.status() == JobEnded.Status.DONE && latencyNs <= job.sloNs;
    violations.merge(job.classType, inTime ? 0L : 1L, Long::sum);
    windows.ended(job.classType, end.endedAtNs(), end.status(), latencyNs, inTime);
  }

  /** End on the lane if known, else the log time of the outcome. */
  private long finishedAtNs(JobEnded end, int shardIndex) {
    Batch batch =
        end.dispatchId() == null
            ? null
            : batches.get(new DispatchKey(shardIndex, end.dispatchId()));
    return batch == null || batch.finishedAtNs == null ? end.endedAtNs() : batch.finishedAtNs;
  }

  private void leave(Batch batch) {
    batch.open--;
    if (batch.open == 0) {
      batches.remove(batch.key);
    }
  }

  private Shard shard(int index) {
    return shards.computeIfAbsent(index, i -> new Shard());
  }

  private long sinceZeroNs(long epochMs) {
    return started == null ? 0 : Math.max(0, (epochMs - started.timeZeroEpochMs()) * 1_000_000);
  }

  /** Number of jobs, dispatches and answers held, none of which has ended. */
  int remembered() {
    return jobs.size() + batches.size() + early.size();
  }

  /** The first record of the run; null before it was read. */
  @Nullable
  public RunStarted started() {
    return started;
  }

  /** The last record of the run; null before it was read. */
  @Nullable
  public RunEnded ended() {
    return ended;
  }

  /**
   * Whether the run has ended and every job sent has its outcome here; of a run that was given up,
   * whether it has ended.
   */
  public boolean isComplete() {
    return ended != null
        && (ended.failure() != null || (jobs.isEmpty() && requested >= ended.jobsSent()));
  }

  /**
   * The end of an abandoned run: each job requested has its outcome, and on every shard log time is
   * well past the last possible arrival, or past the last outcome if all generators have announced
   * that they sent all.
   *
   * @return null if the run is not abandoned, or has an end
   */
  @Nullable
  public RunEnded endIfAbandoned() {
    RunStarted start = started;
    if (start == null || ended != null || !jobs.isEmpty()) {
      return null;
    }
    long logTimeNs = logTimeNs();
    Long lastArrivalNs = start.arrivalsEndAtNsMax();
    boolean over =
        (lastArrivalNs != null && logTimeNs >= lastArrivalNs + ABANDONED_AFTER_NS)
            || (allAnnounced(start) && logTimeNs >= lastEndedAtNs + ABANDONED_AFTER_NS);
    return over
        ? new RunEnded(start.runId(), requested, droppedAtTheEnd > 0, false, logTimeNs, null)
        : null;
  }

  private boolean allAnnounced(RunStarted start) {
    return shards.size() >= start.shards()
        && shards.values().stream()
            .allMatch(
                shard ->
                    shard.announced.size() >= start.generators()
                        && shard.announced.values().stream().mapToLong(Long::longValue).sum()
                            == shard.ended);
  }

  /** Time since time zero up to which every shard's facts have been read; 0 before that. */
  long logTimeNs() {
    return started == null || shards.size() < started.shards()
        ? 0
        : shards.values().stream()
            .mapToLong(shard -> sinceZeroNs(shard.factAtEpochMs))
            .min()
            .orElse(0);
  }

  /**
   * Returns the windows that have ended, each once.
   *
   * @param readThroughEpochMs append time up to which everything has been read; {@link
   *     Long#MAX_VALUE}: nothing is left to read
   */
  public List<MetricsWindow> closeWindows(long readThroughEpochMs) {
    if (started == null) {
      return List.of();
    }
    long readNs =
        readThroughEpochMs == Long.MAX_VALUE
            ? logTimeNs()
            : Math.min(logTimeNs(), sinceZeroNs(readThroughEpochMs));
    long untilNs = isComplete() ? windows.lastEndNs() : readNs - WINDOW_DELAY_NS;
    return windows.closeThrough(untilNs, this::lanesAt, this::busyNs);
  }

  private int lanesAt(long atNs) {
    return lanes.values().stream()
        .filter(joined -> joined.joinedAtNs() < atNs)
        .mapToInt(Lanes::count)
        .sum();
  }

  private double busyNs(long fromNs, long toNs) {
    double busyNs = 0;
    for (Batch batch : batches.values()) {
      if (batch.finishedAtNs == null) {
        busyNs += (double) batch.lanes * Math.max(0, toNs - Math.max(fromNs, batch.decidedAtNs));
      }
    }
    return busyNs;
  }

  /**
   * Snapshot of the run so far.
   *
   * @param nowEpochMs present time, milliseconds since 1970 on the broker's clock
   */
  public LiveSnapshot snapshot(long nowEpochMs) {
    long waiting = jobs.size() - running;
    return new LiveSnapshot(
        started == null ? 0 : (nowEpochMs - started.timeZeroEpochMs()) * 1_000_000,
        requested,
        waiting,
        running,
        done,
        dropped,
        failed,
        new TreeMap<>(violations),
        p99Ms());
  }

  private @Nullable Double p99Ms() {
    long endedCount = done + dropped + failed;
    if (endedCount == 0) {
      return null;
    }
    long rank = NearestRank.of(99, endedCount);
    return rank > done
        ? Double.POSITIVE_INFINITY
        : endToEndNs.getValueAtPercentile(100.0 * rank / done) / 1e6;
  }
}
