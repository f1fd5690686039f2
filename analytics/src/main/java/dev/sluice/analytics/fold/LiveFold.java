package dev.sluice.analytics.fold;

import dev.sluice.analytics.fold.MetricsWindows.Machine;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run that still goes on: counts, and the jobs that wait or run. It forgets ended
 * jobs, so memory does not grow with jobs. Not thread-safe.
 *
 * <p>A dispatch or an outcome must come after the facts that it rests on, and an outcome after its
 * dispatch; a job that is unknown by then has ended before. Further copies of a dispatch are left
 * out.
 */
public final class LiveFold implements LogFold {
  /** Delay after its possible end at which a run without an end counts as abandoned. */
  private static final long ABANDONED_AFTER_NS = 15_000_000_000L;

  /** Delay after which a second is closed: by then its outcomes have been committed. */
  private static final long WINDOW_DELAY_NS = 3_000_000_000L;

  private final Map<String, OpenJob> jobs = new HashMap<>();

  /** One text for all jobs of a class: each request has its own. */
  private final Map<String, String> names = new HashMap<>();

  private final Map<DispatchKey, Batch> batches = new HashMap<>();
  private final Map<DispatchKey, End> early = new HashMap<>();
  private final Map<String, Executor> executors = new HashMap<>();
  private final Map<Integer, Shard> shards = new TreeMap<>();
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long lastEndedAtNs;
  private final MetricsWindows windows = new MetricsWindows();
  private final WindowSums sums = new WindowSums();
  private final WindowSums written;
  private final boolean continued;
  private final LanesFold lanes = new LanesFold();
  private long requested;
  private boolean droppedAtTheEnd;

  /** A dispatch id with its shard: unique in the run. */
  record DispatchKey(int shard, DispatchId id) {}

  private static final class Shard {
    final Map<Integer, Long> lastIndexes = new HashMap<>();
    final Map<Integer, Long> announced = new HashMap<>();
    long ended;
    @Nullable DispatchId lastDispatch;
    long factAtEpochMs;

    /** True unless the job was sent again: indexes rise for each generator and shard. */
    boolean isNew(JobRequested request) {
      Long last = lastIndexes.get(request.generator());
      if (last != null && request.index() <= last) {
        return false;
      }
      lastIndexes.put(request.generator(), request.index());
      return true;
    }

    /** True if this dispatch, or a later one, has been read. */
    boolean hasSeen(DispatchId id) {
      return lastDispatch != null && id.compareTo(lastDispatch) <= 0;
    }
  }

  /** A job that has not ended by the outcomes read so far. */
  private static final class OpenJob {
    final String classType;
    final long intendedAtNs;
    final long sloNs;

    /** Batch of the last dispatch that holds it; null: it waits. */
    @Nullable Batch batch;

    OpenJob(String classType, long intendedAtNs, long sloNs) {
      this.classType = classType;
      this.intendedAtNs = intendedAtNs;
      this.sloNs = sloNs;
    }
  }

  /** A dispatch with jobs that have not ended and are in no later dispatch. */
  private static final class Batch {
    final DispatchKey key;
    final BatchDispatched dispatch;
    final List<OpenJob> jobs = new ArrayList<>();
    long tokensHeld;
    int open;
    @Nullable Long finishedAtNs;

    Batch(DispatchKey key, BatchDispatched dispatch) {
      this.key = key;
      this.dispatch = dispatch;
      this.tokensHeld = dispatch.tokens();
    }

    long decidedAtNs() {
      return dispatch.decidedAtNs();
    }

    int lanes() {
      return dispatch.lanes().size();
    }

    /** Class of its first open job at the dispatch; null: it had none. */
    @Nullable String classType() {
      return jobs.isEmpty() ? null : jobs.get(0).classType;
    }
  }

  private record End(BatchCompleted completion, long atNs) {}

  private record Executor(int lanes, @Nullable Long tokens, long joinedAtNs) {}

  /** What the executors are and do by the records read so far. */
  private Machine machine(long fromNs, long toNs) {
    int lanesThere = 0;
    Long tokens = null;
    for (Executor executor : executors.values()) {
      if (executor.joinedAtNs() < toNs) {
        lanesThere += executor.lanes();
        if (executor.tokens() != null) {
          tokens = executor.tokens() + (tokens == null ? 0 : tokens);
        }
      }
    }
    double busyNs = 0;
    for (Batch batch : batches.values()) {
      if (batch.finishedAtNs == null) {
        busyNs +=
            (double) batch.lanes() * Math.max(0, toNs - Math.max(fromNs, batch.decidedAtNs()));
      }
    }
    return new Machine(lanesThere, tokens, busyNs);
  }

  /** A fold of a run of which no window has been written. */
  public LiveFold() {
    this(new WindowSums());
  }

  /** A fold that goes on where another process ended, whose sums it takes over. */
  public LiveFold(WindowSums written) {
    this.written = written;
    this.continued = written.throughNs() > 0;
  }

  @Override
  public void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    if (entry instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (entry instanceof RunEnded end) {
      ended = ended == null ? end : ended;
    }
  }

  private Shard shard(int index) {
    return shards.computeIfAbsent(index, i -> new Shard());
  }

  private long sinceZeroNs(long epochMs) {
    return started == null ? 0 : Math.max(0, (epochMs - started.timeZeroEpochMs()) * 1_000_000);
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    Shard read = shard(shard);
    read.factAtEpochMs = Math.max(read.factAtEpochMs, appendedAtEpochMs);
    long atNs = sinceZeroNs(appendedAtEpochMs);
    if (fact instanceof RunStarted start) {
      onRunRecord(start, appendedAtEpochMs);
    } else if (fact instanceof JobRequested request) {
      if (read.isNew(request)) {
        onRequested(request, atNs);
      }
    } else if (fact instanceof BatchCompleted completion) {
      onCompleted(completion, new DispatchKey(shard, completion.dispatchId()), atNs);
    } else if (fact instanceof ExecutorReported report) {
      executors.merge(
          report.executorId(),
          new Executor(report.lanes().size(), report.tokens(), atNs),
          (old, now) ->
              new Executor(Math.max(old.lanes(), now.lanes()), now.tokens(), old.joinedAtNs()));
      lanes.onReported(report, atNs);
    } else if (fact instanceof ArrivalsEnded arrivals) {
      read.announced.putIfAbsent(arrivals.generator(), arrivals.jobsSent());
    }
  }

  private void onRequested(JobRequested request, long atNs) {
    requested++;
    String classType = names.computeIfAbsent(request.classType(), name -> name);
    jobs.put(request.jobId(), new OpenJob(classType, request.intendedAtNs(), request.sloNs()));
    windows.requested(classType, atNs, Math.max(0, request.sentAtNs() - request.intendedAtNs()));
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    var key = new DispatchKey(shard, dispatch.dispatchId());
    if (shard(shard).hasSeen(key.id())) {
      return; // a further copy
    }
    shard(shard).lastDispatch = key.id();
    var batch = new Batch(key, dispatch);
    for (BatchDispatched.DispatchedJob member : dispatch.jobs()) {
      OpenJob job = jobs.get(member.jobId());
      if (job != null) {
        if (job.batch == null) {
          windows.moved(job.classType, batch.decidedAtNs(), -1, 1);
        } else {
          leave(job.batch, batch.decidedAtNs());
        }
        job.batch = batch;
        batch.jobs.add(job);
        batch.open++;
      }
    }
    End end = early.isEmpty() ? null : early.remove(key);
    if (batch.open > 0) {
      batches.put(key, batch);
      windows.tokensHeld(batch.decidedAtNs(), batch.tokensHeld);
      if (end != null) {
        countBusy(end.completion(), batch.lanes() - 1); // its first lane was counted
        apply(end, batch);
      }
    }
  }

  private void onCompleted(BatchCompleted completion, DispatchKey key, long atNs) {
    Batch batch = batches.get(key);
    if (!shard(key.shard()).hasSeen(key.id())) { // the dispatch has not been read yet
      if (early.putIfAbsent(key, new End(completion, atNs)) == null) {
        countBusy(completion, 1);
      }
    } else if (batch != null && batch.finishedAtNs == null) {
      countBusy(completion, batch.lanes());
      apply(new End(completion, atNs), batch);
    }
  }

  private void countBusy(BatchCompleted completion, int lanesOfIt) {
    if (completion.startedAtNs() != null && completion.finishedAtNs() != null) {
      for (int i = 0; i < lanesOfIt; i++) {
        windows.busy(completion.startedAtNs(), completion.finishedAtNs());
      }
    }
  }

  private void apply(End end, Batch batch) {
    BatchCompleted completion = end.completion();
    lanes.onEnded(batch.key, batch.dispatch, batch.classType(), completion);
    release(batch, end.atNs());
    if (completion.result() != BatchCompleted.Result.REFUSED) {
      batch.finishedAtNs = completion.finishedAtNs();
      countPrediction(end, batch.dispatch.prediction());
      return;
    }
    batches.remove(batch.key);
    for (OpenJob job : batch.jobs) {
      if (job.batch == batch) {
        job.batch = null;
        windows.moved(job.classType, end.atNs(), 1, -1);
      }
    }
  }

  private void countPrediction(End end, Prediction prediction) {
    double actualNs = end.completion().serviceNs();
    if (end.completion().result() == BatchCompleted.Result.DONE
        && actualNs > 0
        && prediction.meanNs() > 0) {
      Long p95Ns = prediction.p95Ns();
      Long p99Ns = prediction.p99Ns();
      windows.predicted(
          end.atNs(),
          (actualNs - prediction.meanNs()) / prediction.meanNs(),
          p95Ns != null && actualNs > p95Ns,
          p99Ns != null && actualNs > p99Ns);
    }
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (outcome instanceof JobEnded end) {
      onJobEnded(end, shard, appendedAtEpochMs);
    } else if (outcome instanceof Blocked blocked) {
      windows.blocked(blocked.fromNs(), blocked.toNs(), blocked.cause());
    }
  }

  private void onJobEnded(JobEnded end, int shard, long appendedAtEpochMs) {
    OpenJob job = jobs.remove(end.jobId());
    if (job == null) {
      return; // a second outcome, or one of an unknown job: the report names them
    }
    shard(shard).ended++;
    lastEndedAtNs = Math.max(lastEndedAtNs, end.endedAtNs());
    Batch by =
        end.dispatchId() == null ? null : batches.get(new DispatchKey(shard, end.dispatchId()));
    Long finishedAtNs = by == null ? null : by.finishedAtNs;
    long atNs = finishedAtNs == null ? sinceZeroNs(appendedAtEpochMs) : end.endedAtNs();
    if (job.batch == null) {
      windows.moved(job.classType, atNs, -1, 0);
    } else {
      windows.moved(job.classType, atNs, 0, -1);
      leave(job.batch, end.endedAtNs());
      job.batch = null;
    }
    droppedAtTheEnd |= Reason.RUN_ENDED.is(end.reason());
    long latencyNs =
        Math.max(0, (finishedAtNs == null ? end.endedAtNs() : finishedAtNs) - job.intendedAtNs);
    boolean inTime = end.status() == JobEnded.Status.DONE && latencyNs <= job.sloNs;
    windows.ended(job.classType, atNs, end.status(), latencyNs, inTime);
  }

  private void leave(Batch batch, long atNs) {
    batch.open--;
    if (batch.open == 0) {
      batches.remove(batch.key);
      release(batch, atNs);
      if (batch.finishedAtNs == null) {
        lanes.onEnded(batch.key, batch.dispatch, batch.classType(), null);
      }
    }
  }

  private void release(Batch batch, long atNs) {
    windows.tokensHeld(atNs, -batch.tokensHeld);
    batch.tokensHeld = 0;
  }

  /** Number of jobs, dispatches and answers held, none of which has ended. */
  int remembered() {
    return jobs.size() + batches.size() + early.size();
  }

  /** The first record of the run; null before it was read. */
  public @Nullable RunStarted started() {
    return started;
  }

  /** The last record of the run; null before it was read. */
  public @Nullable RunEnded ended() {
    return ended;
  }

  /** Whether the run has ended, and, unless given up, every job sent has its outcome here. */
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
  public @Nullable RunEnded endIfAbandoned() {
    RunStarted start = started;
    if (!jobs.isEmpty() || start == null || ended != null) {
      return null;
    }
    long logTimeNs = logTimeNs();
    Long lastArrivalNs = start.arrivalsEndAtNsMax();
    boolean over =
        (lastArrivalNs != null && logTimeNs >= lastArrivalNs + ABANDONED_AFTER_NS)
            || (allAnnounced(start) && logTimeNs >= lastEndedAtNs + ABANDONED_AFTER_NS);
    return over
        ? new RunEnded(start.runId(), requested, droppedAtTheEnd, false, logTimeNs, null, null)
        : null;
  }

  /** The end of a run that cannot go on; null if it has not begun, or has an end. */
  public @Nullable RunEnded endEarly(String why, long jobsSent) {
    RunStarted start = started;
    return start == null || ended != null
        ? null
        : new RunEnded(start.runId(), jobsSent, false, false, Math.max(0, logTimeNs()), why, null);
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
  public long logTimeNs() {
    return started == null || shards.size() < started.shards()
        ? 0
        : shards.values().stream()
            .mapToLong(shard -> sinceZeroNs(shard.factAtEpochMs))
            .min()
            .orElse(0);
  }

  /**
   * Returns the windows that have ended and that no process has written, each once.
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
    long untilNs = isComplete() ? endNs() : readNs - WINDOW_DELAY_NS;
    List<MetricsWindow> closed = windows.closeThrough(untilNs, this::machine);
    List<MetricsWindow> toWrite = new ArrayList<>();
    for (MetricsWindow window : closed) {
      sums.add(window);
      if (!continued) {
        toWrite.add(window);
      } else if (window.fromNs() >= written.throughNs()) {
        MetricsWindow owed = written.owed(window, sums);
        written.add(owed);
        toWrite.add(owed);
      }
    }
    return toWrite;
  }

  /** End of the last window of a run that is complete. */
  private long endNs() {
    boolean oneMore = continued && windows.lastEndNs() <= written.throughNs() && written.owes(sums);
    return oneMore ? written.throughNs() + MetricsWindows.SECOND_NS : windows.lastEndNs();
  }

  /** The run at the end of the last second that {@link #closeWindows} has closed. */
  public LiveSnapshot snapshot() {
    return sums.snapshot();
  }

  /** The batches that ended since the last call, and what lanes hold now. */
  public BatchesEnded takeEnded() {
    return lanes.take(logTimeNs());
  }
}
