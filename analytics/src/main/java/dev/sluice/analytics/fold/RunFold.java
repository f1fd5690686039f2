package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Jobs;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run's records into rows. Pure: equal records give equal rows, whatever the order in
 * which topics were read.
 *
 * <p>Facts arrive at least once. Of a job's requests, of a dispatch's completions and of the
 * dispatches of one id the first counts; further copies are no fault. A second outcome of a job is
 * a fault. Memory grows with jobs and dispatches. Not thread-safe.
 */
public final class RunFold implements LogFold {
  private final Jobs jobs = new Jobs();
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
      jobs.take(request, shard, appendedAtEpochMs);
    } else if (fact instanceof BatchCompleted completion) {
      jobs.batches().take(completion, shard, appendedAtEpochMs);
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
    jobs.batches().take(dispatch, shard, appendedAtEpochMs);
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
      secondOutcomes += jobs.take(end, shard, appendedAtEpochMs) ? 0 : 1;
    }
  }

  public RunRows rows(RunContext context) {
    var load = context.experiment().load();
    long zeroEpochMs = started == null ? 0 : started.timeZeroEpochMs();
    jobs.settle(
        zeroEpochMs,
        Math.round(load.warmupSeconds() * 1e9),
        Math.round(load.durationSeconds() * 1e9));
    long boundMs = LogFaults.boundMs(context.experiment().lanes().heartbeatMs());
    var rowFaults = new RowFaults(jobs, boundMs);
    List<String> inWords = new ArrayList<>();
    counted(rowFaults)
        .forEach(
            (what, count) -> {
              if (count > 0) {
                inWords.add(count + " " + what);
              }
            });
    inWords.addAll(logFaults.inWords(started, ended, rowFaults, boundMs));
    return new RunRows(
        context,
        new RunRows.LogFacts(
            started,
            ended,
            List.copyOf(blocked),
            stays.all(),
            lanesByExecutor.isEmpty()
                ? context.experiment().lanes().count() * context.experiment().kafka().shards()
                : lanesByExecutor.values().stream().mapToInt(Integer::intValue).sum(),
            clockOffsetNsMax,
            Map.copyOf(unreadable),
            inWords,
            List.copyOf(deviceKinds),
            fitCpuNs.values().stream().mapToLong(ns -> ns).sum() / 1e9),
        jobs);
  }

  /** Numbers of events that should not have happened. */
  private Map<String, Long> counted(RowFaults rowFaults) {
    Map<String, Long> faults = new TreeMap<>();
    faults.put(
        "completions of a dispatch that is not in the log",
        jobs.batches().completedWithoutDispatch());
    int requested = jobs.all().size();
    faults.put("jobs dispatched or ended without a request", (long) jobs.named() - requested);
    faults.put("failed jobs", rowFaults.failed);
    faults.put("jobs without a whole account of their end", rowFaults.open);
    faults.put("failed batches", rowFaults.failedBatches);
    faults.put("second outcomes of a job", secondOutcomes);
    unreadable.forEach((topic, count) -> faults.put("unreadable records in " + topic, count));
    faults.put("runs without a beginning", started == null ? 1L : 0L);
    faults.put("runs without an end", ended == null ? 1L : 0L);
    if (ended != null && ended.failure() == null) {
      faults.put("jobs sent that are not in the log", ended.jobsSent() - requested);
    }
    return faults;
  }
}
