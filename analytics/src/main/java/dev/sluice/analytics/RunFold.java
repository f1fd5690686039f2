package dev.sluice.analytics;

import dev.sluice.contract.ArrivalsEnded;
import dev.sluice.contract.BatchCompleted;
import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.Event;
import dev.sluice.contract.ExecutorReported;
import dev.sluice.contract.JobEnded;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.RunEnded;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Ticked;
import dev.sluice.contract.experiment.Experiment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run's records into rows. Pure: equal records give equal rows, in whatever order the
 * topics were read, as long as the first of two records of one id is the same.
 *
 * <p>Facts arrive at least once: of each job's requests, of each dispatch's completions and of the
 * dispatches of one id the first counts, silently. A job has one outcome: a second one is a fault.
 * Memory grows with jobs and dispatches. Not thread-safe.
 */
public final class RunFold {
  private static final Comparator<JobRow> BY_INTENDED_ARRIVAL =
      Comparator.comparingLong((JobRow row) -> row.request().intendedAtNs())
          .thenComparingInt(row -> row.request().generator())
          .thenComparingLong(row -> row.request().index());
  private static final Comparator<DispatchRow> BY_DECISION =
      Comparator.comparingLong((DispatchRow row) -> row.dispatch().decidedAtNs())
          .thenComparing(DispatchRow::key);

  private final Map<String, JobEntry> jobs = new HashMap<>();
  private final Map<DispatchKey, DispatchEntry> dispatches = new HashMap<>();
  private final Map<String, Integer> lanesByExecutor = new TreeMap<>();
  private final Map<String, Long> unreadable = new TreeMap<>();
  private final Map<String, Long> liveViolations = new TreeMap<>();
  private final Map<LiveState, Long> liveCounts = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final Histogram liveEndToEndNs = new Histogram(3);
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long clockOffsetNsMax;
  private long secondOutcomes;

  /** What the log says of one job. */
  private static final class JobEntry {
    @Nullable JobRequested request;
    long requestedAtEpochMs;
    @Nullable JobEnded end;
    int endedInShard;
    long observedAtEpochMs;
    @Nullable DispatchKey lastDispatch;
    LiveState liveState = LiveState.UNKNOWN;
  }

  /** What the log says of one dispatch. */
  private static final class DispatchEntry {
    @Nullable BatchDispatched dispatch;
    @Nullable BatchCompleted completion;
    long completedAtEpochMs;
  }

  private enum LiveState {
    UNKNOWN,
    WAITING,
    RUNNING,
    DONE,
    DROPPED,
    FAILED
  }

  /**
   * Takes a record in.
   *
   * @param shard the partition that it was read from
   * @param appendedAtEpochMs when the broker appended it, milliseconds since 1970
   */
  public void apply(Event event, int shard, long appendedAtEpochMs) {
    if (event instanceof JobRequested request) {
      onRequested(request, appendedAtEpochMs);
    } else if (event instanceof BatchDispatched dispatch) {
      onDispatched(dispatch, shard);
    } else if (event instanceof BatchCompleted completion) {
      onCompleted(completion, shard, appendedAtEpochMs);
    } else if (event instanceof JobEnded end) {
      onEnded(end, shard, appendedAtEpochMs);
    } else if (event instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (event instanceof RunEnded end) {
      ended = ended == null ? end : ended;
    } else if (event instanceof ExecutorReported report) {
      lanesByExecutor.merge(report.executorId(), report.lanes().size(), Math::max);
      clockOffsetNsMax = Math.max(clockOffsetNsMax, report.clockOffsetNsMax());
    } else if (event instanceof ArrivalsEnded arrivals) {
      clockOffsetNsMax = Math.max(clockOffsetNsMax, arrivals.clockOffsetNsMax());
    } else if (!(event instanceof Ticked)) {
      throw new IllegalArgumentException("no fold for " + event.getClass().getSimpleName());
    }
  }

  /** Counts a record of that topic that is no event. */
  public void countUnreadable(String topic) {
    unreadable.merge(topic, 1L, Long::sum);
  }

  /** The first record of the run; null before it was read. */
  public @Nullable RunStarted started() {
    return started;
  }

  /** Whether the run has ended and every job sent has its request and its outcome here. */
  public boolean isComplete() {
    long requested = 0;
    long accounted = 0;
    for (Map.Entry<LiveState, Long> count : liveCounts.entrySet()) {
      switch (count.getKey()) {
        case UNKNOWN -> {}
        case WAITING, RUNNING -> requested += count.getValue();
        case DONE, DROPPED, FAILED -> {
          requested += count.getValue();
          accounted += count.getValue();
        }
      }
    }
    return ended != null && accounted == requested && accounted >= ended.jobsSent();
  }

  /**
   * The run so far.
   *
   * @param nowEpochMs the present, milliseconds since 1970 on the broker's clock
   */
  public LiveSnapshot snapshot(long nowEpochMs) {
    long done = live(LiveState.DONE);
    long notDone = live(LiveState.DROPPED) + live(LiveState.FAILED);
    return new LiveSnapshot(
        started == null ? 0 : (nowEpochMs - started.timeZeroEpochMs()) * 1_000_000,
        live(LiveState.WAITING) + live(LiveState.RUNNING) + done + notDone,
        live(LiveState.WAITING),
        live(LiveState.RUNNING),
        done,
        live(LiveState.DROPPED),
        live(LiveState.FAILED),
        new TreeMap<>(liveViolations),
        liveP99Ms(done, done + notDone));
  }

  private @Nullable Double liveP99Ms(long done, long endedCount) {
    if (endedCount == 0) {
      return null;
    }
    long rank = NearestRank.of(99, endedCount);
    return rank > done
        ? Double.POSITIVE_INFINITY
        : liveEndToEndNs.getValueAtPercentile(100.0 * rank / done) / 1e6;
  }

  private void onRequested(JobRequested request, long appendedAtEpochMs) {
    JobEntry job = job(request.jobId());
    if (job.request != null) {
      return;
    }
    job.request = withSharedNames(request);
    job.requestedAtEpochMs = appendedAtEpochMs;
    liveViolations.putIfAbsent(job.request.classType(), 0L);
    updateLive(job);
  }

  private void onDispatched(BatchDispatched dispatch, int shard) {
    var key = new DispatchKey(shard, dispatch.dispatchId());
    DispatchEntry entry = dispatch(key);
    if (entry.dispatch != null) {
      return;
    }
    entry.dispatch = dispatch;
    for (BatchDispatched.DispatchedJob member : dispatch.jobs()) {
      JobEntry job = job(member.jobId());
      if (job.lastDispatch == null || job.lastDispatch.compareTo(key) < 0) {
        job.lastDispatch = key;
      }
      updateLive(job);
    }
  }

  private void onCompleted(BatchCompleted completion, int shard, long appendedAtEpochMs) {
    DispatchEntry entry = dispatch(new DispatchKey(shard, completion.dispatchId()));
    if (entry.completion != null) {
      return;
    }
    entry.completion = withoutResults(completion);
    entry.completedAtEpochMs = appendedAtEpochMs;
    if (entry.dispatch != null) {
      entry.dispatch.jobs().forEach(member -> updateLive(job(member.jobId())));
    }
  }

  private void onEnded(JobEnded end, int shard, long appendedAtEpochMs) {
    JobEntry job = job(end.jobId());
    if (job.end != null) {
      secondOutcomes++;
      return;
    }
    job.end = end;
    job.endedInShard = shard;
    job.observedAtEpochMs = appendedAtEpochMs;
    updateLive(job);
  }

  /** Moves the job between the counts of a snapshot; an ended job never moves again. */
  private void updateLive(JobEntry job) {
    LiveState state = liveState(job);
    if (state == job.liveState) {
      return;
    }
    liveCounts.merge(job.liveState, -1L, Long::sum);
    liveCounts.merge(state, 1L, Long::sum);
    job.liveState = state;
    if (job.request != null && job.end != null) {
      countEnded(job.request, job.end, job.endedInShard, state);
    }
  }

  private LiveState liveState(JobEntry job) {
    if (job.request == null) {
      return LiveState.UNKNOWN;
    }
    if (job.end != null) {
      return switch (job.end.status()) {
        case DONE -> LiveState.DONE;
        case DROPPED -> LiveState.DROPPED;
        case FAILED -> LiveState.FAILED;
      };
    }
    if (job.lastDispatch == null) {
      return LiveState.WAITING;
    }
    BatchCompleted completion = dispatch(job.lastDispatch).completion;
    boolean back = completion != null && completion.result() != BatchCompleted.Result.DONE;
    return back ? LiveState.WAITING : LiveState.RUNNING;
  }

  private void countEnded(JobRequested request, JobEnded end, int shard, LiveState state) {
    boolean violation = true;
    if (state == LiveState.DONE) {
      long endToEndNs = Math.max(0, finishedAtNs(end, shard) - request.intendedAtNs());
      liveEndToEndNs.recordValue(endToEndNs);
      violation = endToEndNs > request.sloNs();
    }
    liveViolations.merge(request.classType(), violation ? 1L : 0L, Long::sum);
  }

  /** The end on the lane if it has been read, else the log time of it. */
  private long finishedAtNs(JobEnded end, int shard) {
    if (end.dispatchId() != null) {
      DispatchEntry entry = dispatches.get(new DispatchKey(shard, end.dispatchId()));
      if (entry != null && entry.completion != null && entry.completion.finishedAtNs() != null) {
        return entry.completion.finishedAtNs();
      }
    }
    return end.endedAtNs();
  }

  private long live(LiveState state) {
    return liveCounts.getOrDefault(state, 0L);
  }

  private JobEntry job(String jobId) {
    return jobs.computeIfAbsent(jobId, id -> new JobEntry());
  }

  private DispatchEntry dispatch(DispatchKey key) {
    return dispatches.computeIfAbsent(key, k -> new DispatchEntry());
  }

  /** One string per name instead of one per record: most of a request is names. */
  private JobRequested withSharedNames(JobRequested request) {
    return new JobRequested(
        request.jobId(),
        request.generator(),
        request.index(),
        shared(request.classType()),
        shared(request.workload()),
        shared(request.backend()),
        shared(request.precision()),
        request.samples(),
        request.sloNs(),
        request.intendedAtNs(),
        request.sentAtNs());
  }

  private String shared(String name) {
    return names.computeIfAbsent(name, same -> same);
  }

  private static BatchCompleted withoutResults(BatchCompleted completion) {
    return new BatchCompleted(
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
        completion.emulatedServiceNs());
  }

  /** Everything read so far as rows. */
  RunRows rows(RunContext context) {
    long zeroEpochMs = started == null ? 0 : started.timeZeroEpochMs();
    var faults = new Faults();
    Map<DispatchKey, DispatchRow> dispatchRows = new HashMap<>();
    dispatches.forEach(
        (key, entry) -> {
          if (entry.dispatch == null) {
            faults.count("completions of a dispatch that is not in the log");
            return;
          }
          dispatchRows.put(key, dispatchRow(key, entry, entry.dispatch, zeroEpochMs));
        });
    List<JobRow> jobRows = new ArrayList<>(jobs.size());
    for (JobEntry job : jobs.values()) {
      if (job.request == null) {
        faults.count("jobs dispatched or ended without a request");
      } else {
        jobRows.add(jobRow(job, job.request, dispatchRows, zeroEpochMs, context.experiment()));
      }
    }
    jobRows.sort(BY_INTENDED_ARRIVAL);
    countFaults(faults, jobRows, dispatchRows);
    return new RunRows(
        context,
        started,
        ended,
        jobRows,
        dispatchRows.values().stream().sorted(BY_DECISION).toList(),
        lanesByExecutor.isEmpty()
            ? context.experiment().lanes().count()
            : lanesByExecutor.values().stream().mapToInt(Integer::intValue).sum(),
        clockOffsetNsMax,
        Map.copyOf(unreadable),
        faults.inWords());
  }

  private void countFaults(
      Faults faults, List<JobRow> jobRows, Map<DispatchKey, DispatchRow> dispatchRows) {
    for (JobRow row : jobRows) {
      if (row.status() == JobRow.Status.FAILED) {
        faults.count("failed jobs");
      } else if (row.status() == JobRow.Status.OPEN) {
        faults.count("jobs without a whole account of their end");
      }
    }
    for (DispatchRow row : dispatchRows.values()) {
      if (row.completion() != null && row.completion().result() == BatchCompleted.Result.FAILED) {
        faults.count("failed batches");
      }
    }
    faults.count("second outcomes of a job", secondOutcomes);
    unreadable.forEach((topic, count) -> faults.count("unreadable records in " + topic, count));
    if (started == null) {
      faults.count("runs without a beginning");
    }
    if (ended == null) {
      faults.count("runs without an end");
    } else {
      faults.count("jobs sent that are not in the log", ended.jobsSent() - jobRows.size());
    }
  }

  private static DispatchRow dispatchRow(
      DispatchKey key, DispatchEntry entry, BatchDispatched dispatch, long zeroEpochMs) {
    return new DispatchRow(
        key.shard(),
        dispatch,
        entry.completion,
        entry.completion == null ? null : sinceZeroNs(entry.completedAtEpochMs, zeroEpochMs),
        entry.completion == null ? null : entry.completion.emulatedServiceNs());
  }

  private static JobRow jobRow(
      JobEntry job,
      JobRequested request,
      Map<DispatchKey, DispatchRow> dispatchRows,
      long zeroEpochMs,
      Experiment experiment) {
    long appendedAtNs = sinceZeroNs(job.requestedAtEpochMs, zeroEpochMs);
    JobRow.Phase phase = phase(request.intendedAtNs(), experiment);
    JobEnded end = job.end;
    if (end == null) {
      return new JobRow(
          request, appendedAtNs, phase, JobRow.Status.OPEN, "no_outcome", 0, null, null, null);
    }
    DispatchRow dispatch =
        end.dispatchId() == null
            ? null
            : dispatchRows.get(new DispatchKey(job.endedInShard, end.dispatchId()));
    boolean unproven =
        end.status() == JobEnded.Status.DONE
            && (dispatch == null || !dispatch.isDone() || !dispatch.ran());
    return new JobRow(
        request,
        appendedAtNs,
        phase,
        unproven ? JobRow.Status.OPEN : JobRow.Status.valueOf(end.status().name()),
        unproven ? "no_completion" : end.reason(),
        end.attempt(),
        dispatch,
        end.endedAtNs(),
        sinceZeroNs(job.observedAtEpochMs, zeroEpochMs));
  }

  private static JobRow.Phase phase(long intendedAtNs, Experiment experiment) {
    if (intendedAtNs < Math.round(experiment.warmupSeconds() * 1e9)) {
      return JobRow.Phase.WARMUP;
    }
    return intendedAtNs < Math.round(experiment.durationSeconds() * 1e9)
        ? JobRow.Phase.MEASURED
        : JobRow.Phase.TAIL;
  }

  private static long sinceZeroNs(long epochMs, long zeroEpochMs) {
    return (epochMs - zeroEpochMs) * 1_000_000;
  }

  /** Counts of what should not have happened, in words. */
  private static final class Faults {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String what) {
      count(what, 1);
    }

    void count(String what, long times) {
      if (times > 0) {
        counts.merge(what, times, Long::sum);
      }
    }

    List<String> inWords() {
      return counts.entrySet().stream().map(e -> e.getValue() + " " + e.getKey()).toList();
    }
  }
}
