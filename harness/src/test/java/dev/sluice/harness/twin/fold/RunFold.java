package dev.sluice.harness.twin.fold;

import dev.sluice.analytics.fold.LogFold;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.ArrayList;
import java.util.Comparator;
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
  private static final Comparator<JobRow> BY_INTENDED_ARRIVAL =
      Comparator.comparingLong((JobRow row) -> row.request().intendedAtNs())
          .thenComparingInt(row -> row.request().generator())
          .thenComparingLong(row -> row.request().index());
  private static final Comparator<DispatchRow> BY_DECISION =
      Comparator.comparingLong((DispatchRow row) -> row.dispatch().decision().decidedAtNs())
          .thenComparing(DispatchRow::key);

  private final Map<String, JobEntry> jobs = new HashMap<>();
  private final Map<DispatchKey, DispatchEntry> dispatches = new HashMap<>();
  private final List<Blocked> blocked = new ArrayList<>();
  private final Map<String, Integer> lanesByExecutor = new TreeMap<>();
  private final Set<String> deviceKinds = new TreeSet<>();

  /** Processor time that fitting latency models took, by executor and incarnation. */
  private final Map<String, Long> fitCpuNs = new HashMap<>();

  private final Map<String, Long> unreadable = new TreeMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final Map<ModelKey, ModelKey> models = new HashMap<>();
  private final LogFaults logFaults = new LogFaults();
  private @Nullable RunStarted started;
  private @Nullable RunEnded ended;
  private long clockOffsetNsMax;
  private long secondOutcomes;

  /** Records of one job. */
  private static final class JobEntry {
    final String jobId;
    @Nullable JobRequested request;
    int requestedInShard;
    long requestedAtEpochMs;
    @Nullable JobEnded end;
    int endedInShard;
    long observedAtEpochMs;

    JobEntry(String jobId) {
      this.jobId = jobId;
    }

    boolean endedBy(DispatchKey key) {
      return end != null && endedInShard == key.shard() && key.id().equals(end.dispatchId());
    }
  }

  /** Records of one dispatch. */
  private static final class DispatchEntry {
    @Nullable BatchDispatched dispatch;
    long dispatchedAtEpochMs;
    @Nullable BatchCompleted completion;
    long completedAtEpochMs;
  }

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
    } else if (fact instanceof ExecutorReported report) {
      lanesByExecutor.merge(shared(report.executorId()), report.lanes().size(), Math::max);
      deviceKinds.add(shared(report.deviceKind()));
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

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    DispatchEntry entry = dispatch(new DispatchKey(shard, dispatch.dispatchId()));
    if (entry.dispatch == null) {
      entry.dispatch = compact(dispatch);
      entry.dispatchedAtEpochMs = appendedAtEpochMs;
    }
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (outcome instanceof Blocked span) {
      blocked.add(new Blocked(span.fromNs(), span.toNs(), shared(span.cause())));
    } else if (outcome instanceof JobEnded end) {
      onEnded(end, shard, appendedAtEpochMs);
    }
  }

  /** Counts a record of a topic that is no event. */
  public void countUnreadable(String topic) {
    unreadable.merge(topic, 1L, Long::sum);
  }

  private void onRequested(JobRequested request, int shard, long appendedAtEpochMs) {
    JobEntry job = job(request.jobId());
    if (job.request == null) {
      job.request = compact(request, job.jobId);
      job.requestedInShard = shard;
      job.requestedAtEpochMs = appendedAtEpochMs;
    }
  }

  private void onCompleted(BatchCompleted completion, int shard, long appendedAtEpochMs) {
    DispatchEntry entry = dispatch(new DispatchKey(shard, completion.dispatchId()));
    if (entry.completion == null) {
      entry.completion = compact(completion);
      entry.completedAtEpochMs = appendedAtEpochMs;
    }
  }

  private void onEnded(JobEnded end, int shard, long appendedAtEpochMs) {
    JobEntry job = job(end.jobId());
    if (job.end != null) {
      secondOutcomes++;
      return;
    }
    job.end = compact(end, job.jobId);
    job.endedInShard = shard;
    job.observedAtEpochMs = appendedAtEpochMs;
  }

  private JobEntry job(String jobId) {
    return jobs.computeIfAbsent(jobId, JobEntry::new);
  }

  private DispatchEntry dispatch(DispatchKey key) {
    return dispatches.computeIfAbsent(key, k -> new DispatchEntry());
  }

  /** Copies a request with shared names: most of its memory is names. */
  private JobRequested compact(JobRequested request, String jobId) {
    return new JobRequested(
        jobId,
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

  private BatchDispatched compact(BatchDispatched dispatch) {
    BatchDispatched.Place place = dispatch.place();
    BatchDispatched.Work work = dispatch.work();
    BatchDispatched.Decision decision = dispatch.decision();
    Map<String, Double> terms = new HashMap<>();
    decision.scoreTerms().forEach((name, term) -> terms.put(shared(name), term));
    return new BatchDispatched(
        dispatch.dispatchId(),
        new BatchDispatched.Place(shared(place.executorId()), place.incarnation(), place.lanes()),
        new BatchDispatched.Work(
            models.computeIfAbsent(work.model(), same -> same),
            work.jobs().stream()
                .map(j -> new BatchDispatched.DispatchedJob(job(j.jobId()).jobId, j.samples()))
                .toList(),
            work.samples(),
            work.tokens(),
            work.attempt()),
        new BatchDispatched.Decision(
            decision.decidedAtNs(), decision.notAfterNs(), Map.copyOf(terms)),
        compact(dispatch.prediction()));
  }

  private Prediction compact(Prediction prediction) {
    String modelVersion = prediction.modelVersion();
    return new Prediction(
        prediction.meanNs(),
        shared(prediction.source()),
        prediction.busyLanes(),
        modelVersion == null ? null : shared(modelVersion),
        prediction.quantileNs(),
        prediction.p95Ns(),
        prediction.p99Ns());
  }

  private BatchCompleted compact(BatchCompleted completion) {
    return new BatchCompleted(
        completion.dispatchId(),
        shared(completion.executorId()),
        completion.incarnation(),
        completion.lane(),
        completion.startedAtNs(),
        completion.finishedAtNs(),
        completion.serviceNs(),
        completion.switchNs(),
        completion.result(),
        completion.cause(),
        List.of(), // the jobs' classes, which nothing here needs
        completion.emulatedServiceNs(),
        completion.busyLanes());
  }

  private JobEnded compact(JobEnded end, String jobId) {
    return new JobEnded(
        jobId,
        end.status(),
        end.reason() == null ? null : shared(end.reason()),
        end.dispatchId(),
        end.attempt(),
        end.endedAtNs());
  }

  private String shared(String name) {
    return names.computeIfAbsent(name, same -> same);
  }

  /** Returns the rows of everything read so far. */
  public RunRows rows(RunContext context) {
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
    List<DispatchRow> sortedDispatches =
        dispatchRows.values().stream().sorted(BY_DECISION).toList();
    countFaults(faults, jobRows, sortedDispatches);
    List<String> inWords = new ArrayList<>(faults.inWords());
    inWords.addAll(
        logFaults.inWords(
            started, ended, jobRows, sortedDispatches, context.experiment().lanes().heartbeatMs()));
    return new RunRows(
        context,
        started,
        ended,
        jobRows,
        sortedDispatches,
        List.copyOf(blocked),
        lanesByExecutor.isEmpty()
            ? context.experiment().lanes().count() * context.experiment().kafka().shards()
            : lanesByExecutor.values().stream().mapToInt(Integer::intValue).sum(),
        new RunRows.Defects(clockOffsetNsMax, Map.copyOf(unreadable), inWords));
  }

  private void countFaults(Faults faults, List<JobRow> jobRows, List<DispatchRow> dispatchRows) {
    for (JobRow row : jobRows) {
      if (row.status() == JobRow.Status.FAILED) {
        faults.count("failed jobs");
      } else if (row.status() == JobRow.Status.OPEN) {
        faults.count("jobs without a whole account of their end");
      }
    }
    for (DispatchRow row : dispatchRows) {
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
    } else if (ended.failure() == null) {
      faults.count("jobs sent that are not in the log", ended.jobsSent() - jobRows.size());
    }
  }

  private DispatchRow dispatchRow(
      DispatchKey key, DispatchEntry entry, BatchDispatched dispatch, long zeroEpochMs) {
    int endedByIt = 0;
    int endedOtherwise = 0;
    for (BatchDispatched.DispatchedJob member : dispatch.work().jobs()) {
      JobEntry job = job(member.jobId());
      if (job.endedBy(key)) {
        endedByIt++;
      } else if (job.end != null) {
        endedOtherwise++;
      }
    }
    BatchCompleted completion = entry.completion;
    return new DispatchRow(
        key.shard(),
        dispatch,
        sinceZeroNs(entry.dispatchedAtEpochMs, zeroEpochMs),
        completion == null
            ? null
            : new DispatchRow.Answer(
                completion,
                sinceZeroNs(entry.completedAtEpochMs, zeroEpochMs),
                completion.emulatedServiceNs()),
        endedByIt,
        endedOtherwise);
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
      return new JobRow(request, job.requestedInShard, appendedAtNs, phase, JobRow.Ending.NONE);
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
        job.requestedInShard,
        appendedAtNs,
        phase,
        new JobRow.Ending(
            unproven ? JobRow.Status.OPEN : JobRow.Status.valueOf(end.status().name()),
            unproven ? "no_completion" : end.reason(),
            end.attempt(),
            dispatch,
            end.endedAtNs(),
            sinceZeroNs(job.observedAtEpochMs, zeroEpochMs)));
  }

  private static JobRow.Phase phase(long intendedAtNs, Experiment experiment) {
    if (intendedAtNs < Math.round(experiment.load().warmupSeconds() * 1e9)) {
      return JobRow.Phase.WARMUP;
    }
    return intendedAtNs < Math.round(experiment.load().durationSeconds() * 1e9)
        ? JobRow.Phase.MEASURED
        : JobRow.Phase.TAIL;
  }

  private static long sinceZeroNs(long epochMs, long zeroEpochMs) {
    return (epochMs - zeroEpochMs) * 1_000_000;
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
