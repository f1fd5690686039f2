package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.BatchColumns;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.JobColumns;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.ParallelTasks;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run's records into rows, which are kept as columns of numbers. Pure: equal records
 * give equal rows, whatever the order in which topics were read.
 *
 * <p>Facts arrive at least once. Of a job's requests, of a dispatch's completions and of the
 * dispatches of one id the first counts; further copies are no fault. A second outcome of a job is
 * a fault. Memory grows with jobs and dispatches. Not thread-safe.
 */
public final class RunFold implements LogFold {
  private final JobColumns jobs = new JobColumns();
  private final BatchColumns batches = new BatchColumns();
  private final List<Blocked> blocked = new ArrayList<>();
  private final Map<String, Integer> lanesByExecutor = new TreeMap<>();
  private final Set<String> deviceKinds = new TreeSet<>();

  /** Processor time that fitting latency models took, by executor and incarnation. */
  private final Map<String, Long> fitCpuNs = new HashMap<>();

  private final Map<String, Long> unreadable = new TreeMap<>();
  private final ModelStays stays = new ModelStays();
  private final LogFaults logFaults = new LogFaults();
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long clockOffsetNsMax;
  private long secondOutcomes;

  /** Kinds of device that the executors compute on or emulate, in alphabetical order. */
  public List<String> deviceKinds() {
    return List.copyOf(deviceKinds);
  }

  /** Processor time that fitting latency models beside the run took. */
  public double fitCpuSeconds() {
    return fitCpuNs.values().stream().mapToLong(ns -> ns).sum() / 1e9;
  }

  @Override
  public void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    if (entry instanceof RunStarted start) {
      started = started == null ? start : started;
    } else if (entry instanceof RunEnded end) {
      ended = ended == null ? end : ended;
    }
    logFaults.onRunRecord(entry, appendedAtEpochMs);
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (fact instanceof JobRequested request) {
      onRequested(request, shard, appendedAtEpochMs);
    } else if (fact instanceof BatchCompleted completion) {
      onCompleted(completion, shard, appendedAtEpochMs);
    } else if (fact instanceof ModelLoaded loaded) {
      stays.take(loaded);
    } else if (fact instanceof ModelEvicted evicted) {
      stays.take(evicted);
    } else if (fact instanceof ExecutorReported report) {
      stays.take(report);
      lanesByExecutor.merge(report.executorId(), report.lanes().size(), Math::max);
      deviceKinds.add(report.deviceKind());
      if (report.fitCpuNs() != null) {
        String executor = report.executorId() + "/" + report.incarnation();
        fitCpuNs.merge(executor, report.fitCpuNs(), Math::max);
      }
      clockOffsetNsMax = Math.max(clockOffsetNsMax, report.clockOffsetNsMax());
    } else if (fact instanceof ArrivalsEnded arrivals) {
      clockOffsetNsMax = Math.max(clockOffsetNsMax, arrivals.clockOffsetNsMax());
    }
    logFaults.onFact(fact, shard, appendedAtEpochMs);
  }

  /** Counts a record of a topic that is no event. */
  public void countUnreadable(String topic) {
    unreadable.merge(topic, 1L, Long::sum);
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    int batch = batch(shard, dispatch.dispatchId());
    if (!batches.isDispatched(batch)) {
      batches.dispatched(batch, dispatch, appendedAtEpochMs, jobs::row);
    }
  }

  @Override
  public void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {
    stays.take(dispatch);
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (outcome instanceof Blocked span) {
      blocked.add(span);
    } else if (outcome instanceof JobEnded end) {
      onEnded(end, shard, appendedAtEpochMs);
    }
  }

  private void onRequested(JobRequested request, int shard, long appendedAtEpochMs) {
    int job = jobs.row(request.jobId());
    if (!jobs.isRequested(job)) {
      jobs.requested(job, request, shard, appendedAtEpochMs);
    }
  }

  private void onCompleted(BatchCompleted completion, int shard, long appendedAtEpochMs) {
    int batch = batch(shard, completion.dispatchId());
    if (!batches.isCompleted(batch)) {
      batches.completed(batch, completion, appendedAtEpochMs);
    }
  }

  private void onEnded(JobEnded end, int shard, long appendedAtEpochMs) {
    int job = jobs.row(end.jobId());
    if (jobs.isEnded(job)) {
      secondOutcomes++;
      return;
    }
    DispatchId dispatch = end.dispatchId();
    int batch = dispatch == null ? JobColumns.NONE : batch(shard, dispatch);
    jobs.ended(job, end, batch, appendedAtEpochMs);
  }

  private int batch(int shard, DispatchId id) {
    return batches.row(shard, id.factOffset(), id.index());
  }

  /** Returns the rows of everything read so far. */
  public RunRows rows(RunContext context) {
    var load = context.experiment().load();
    long zeroEpochMs = started == null ? 0 : started.timeZeroEpochMs();
    var batchRows = new Batches(batches, jobs, zeroEpochMs);
    var jobRows =
        new Jobs(
            jobs,
            batchRows,
            zeroEpochMs,
            Math.round(load.warmupSeconds() * 1e9),
            Math.round(load.durationSeconds() * 1e9));
    long boundMs = LogFaults.boundMs(context.experiment().lanes().heartbeatMs());
    var rowFaults = new RowFaults(jobRows, batchRows, boundMs);
    try (var beside = new ParallelTasks()) {
      beside.begin(rowFaults::walkJobs);
      beside.begin(rowFaults::walkBatches);
      beside.await();
    } catch (IOException e) {
      throw new UncheckedIOException("faults were not counted", e); // nothing is written here
    }
    List<String> inWords = new ArrayList<>(counted(rowFaults, jobRows, batchRows).inWords());
    inWords.addAll(logFaults.inWords(started, ended, rowFaults, boundMs));
    return new RunRows(
        context,
        started,
        ended,
        jobRows,
        batchRows,
        List.copyOf(blocked),
        stays.all(),
        lanesByExecutor.isEmpty()
            ? context.experiment().lanes().count() * context.experiment().kafka().shards()
            : lanesByExecutor.values().stream().mapToInt(Integer::intValue).sum(),
        new RunRows.Defects(clockOffsetNsMax, Map.copyOf(unreadable), inWords));
  }

  private Faults counted(RowFaults rowFaults, Jobs jobRows, Batches batchRows) {
    var faults = new Faults();
    boolean allDispatched = batchRows.size() == batches.size();
    for (int batch = 0; batch < batches.size() && !allDispatched; batch++) {
      if (!batches.isDispatched(batch) && batches.isCompleted(batch)) {
        faults.count("completions of a dispatch that is not in the log");
      }
    }
    faults.count("jobs dispatched or ended without a request", jobs.size() - jobRows.size());
    faults.count("failed jobs", rowFaults.failedJobs());
    faults.count("jobs without a whole account of their end", rowFaults.openJobs());
    faults.count("failed batches", rowFaults.failedBatches());
    faults.count("second outcomes of a job", secondOutcomes);
    unreadable.forEach((topic, count) -> faults.count("unreadable records in " + topic, count));
    if (started == null) {
      faults.count("runs without a beginning");
    }
    if (ended == null) {
      faults.count("runs without an end");
    } else if (ended.failure() == null) {
      faults.count("jobs sent that are not in the log", ended.jobsSent() - jobRows.size());
    }
    return faults;
  }

  /** Counts of events that should not have happened, in words. */
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
