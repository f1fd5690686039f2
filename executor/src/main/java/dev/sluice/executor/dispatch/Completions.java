package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.Reason;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork.PreparedBatch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the completion that answers each dispatch, and counts it. From any thread. */
final class Completions {
  private static final Logger LOG = LoggerFactory.getLogger(Completions.class);

  private final ExecutorSettings settings;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong serviceNsSum = new AtomicLong();
  private final Map<String, Long> refusedByCause = new ConcurrentHashMap<>();

  /**
   * The course of a batch on its lanes, before its results are read.
   *
   * @param startedNs monotonic time at which the inference began, or at which the batch failed
   *     before its inference
   * @param switchNs time until all its lanes held its model; 0 if they held it already
   * @param busyLanes number of lanes that ran a batch when this one began, its own included; null
   *     if it never began
   */
  record EndedBatch(
      BatchDispatched dispatch,
      long startedNs,
      long serviceNs,
      long switchNs,
      @Nullable Integer busyLanes,
      @Nullable PreparedBatch batch,
      boolean cancelled,
      @Nullable Exception failure) {}

  Completions(ExecutorSettings settings) {
    this.settings = settings;
  }

  BatchCompleted refused(BatchDispatched dispatch, Reason cause) {
    refusedByCause.merge(cause.text(), 1L, Long::sum);
    return BatchCompleted.refused(
        dispatch.dispatchId(),
        settings.executorId(),
        settings.incarnation(),
        dispatch.place().lanes().get(0),
        cause);
  }

  BatchCompleted of(EndedBatch ran, RunClock runClock) {
    serviceNsSum.addAndGet(ran.serviceNs());
    PreparedBatch batch = ran.cancelled() ? null : ran.batch();
    Exception failure = ran.failure();
    List<JobResult> results = List.of();
    Long emulatedServiceNs = null;
    Result result = ran.cancelled() ? Result.CANCELLED : Result.FAILED;
    if (batch != null) {
      try {
        results = batch.results();
        emulatedServiceNs = batch.emulatedServiceNs();
        result = Result.DONE;
        done.incrementAndGet();
      } catch (RuntimeException e) {
        results = List.of();
        failure = e;
      }
    }
    String cause = null;
    if (result == Result.FAILED) {
      LOG.warn("{} failed on {}", ran.dispatch().dispatchId(), settings.executorId(), failure);
      failed.incrementAndGet();
      String message = failure == null ? null : failure.getMessage();
      cause = message == null ? String.valueOf(failure) : message;
    }
    long startedAtNs = ran.startedNs() - runClock.toMonotonicNs(0);
    return new BatchCompleted(
        ran.dispatch().dispatchId(),
        settings.executorId(),
        settings.incarnation(),
        ran.dispatch().place().lanes().get(0),
        startedAtNs,
        startedAtNs + ran.serviceNs(),
        ran.serviceNs(),
        ran.switchNs(),
        result,
        cause,
        results,
        emulatedServiceNs,
        ran.busyLanes());
  }

  ExecutorNumbers numbers(List<Lane> lanes) {
    int busy = 0;
    int held = 0;
    for (Lane lane : lanes) {
      int holds = lane.holds().size();
      held += holds;
      busy += holds > 0 ? 1 : 0;
    }
    return new ExecutorNumbers(
        lanes.size(), busy, held, done.get(), failed.get(), refusedByCause, serviceNsSum.get());
  }
}
