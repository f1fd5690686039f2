package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.Reason;
import dev.sluice.executor.lane.ExecutorSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the completion that answers each dispatch, and counts it. From any thread. */
final class Completions {
  private static final Logger LOG = LoggerFactory.getLogger(Completions.class);

  private final ExecutorSettings settings;
  private final BatchCounts counts;

  Completions(ExecutorSettings settings, BatchCounts counts) {
    this.settings = settings;
    this.counts = counts;
  }

  /** Returns the completion of a dispatch that no lane takes. */
  BatchCompleted refused(BatchDispatched dispatch, Reason cause) {
    counts.refused(cause);
    return BatchCompleted.refused(
        dispatch.dispatchId(),
        settings.executorId(),
        settings.incarnation(),
        dispatch.place().lanes().get(0),
        cause);
  }

  /** Returns the completion of a batch that ran, with its results, or of one that failed. */
  BatchCompleted of(EndedBatch ran, RunClock runClock) {
    long startedAtNs = ran.startedNs() - runClock.toMonotonicNs(0);
    counts.served(ran.serviceNs());
    Exception failure = ran.failure();
    if (ran.cancelled()) {
      return completed(
          ran.dispatch(),
          startedAtNs,
          ran.serviceNs(),
          ran.switchNs(),
          Result.CANCELLED,
          null,
          List.of(),
          null,
          ran.busyLanes());
    }
    if (ran.batch() != null) {
      try {
        List<JobResult> results = ran.batch().results();
        counts.done();
        return completed(
            ran.dispatch(),
            startedAtNs,
            ran.serviceNs(),
            ran.switchNs(),
            Result.DONE,
            null,
            results,
            ran.batch().emulatedServiceNs(),
            ran.busyLanes());
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    LOG.warn("{} failed on {}", ran.dispatch().dispatchId(), settings.executorId(), failure);
    counts.failed();
    String message = failure == null ? null : failure.getMessage();
    return completed(
        ran.dispatch(),
        startedAtNs,
        ran.serviceNs(),
        ran.switchNs(),
        Result.FAILED,
        message == null ? String.valueOf(failure) : message,
        List.of(),
        null,
        ran.busyLanes());
  }

  private BatchCompleted completed(
      BatchDispatched dispatch,
      long startedAtNs,
      long serviceNs,
      long switchNs,
      Result result,
      @Nullable String cause,
      List<JobResult> results,
      @Nullable Long emulatedServiceNs,
      @Nullable Integer busyLanes) {
    return new BatchCompleted(
        dispatch.dispatchId(),
        settings.executorId(),
        settings.incarnation(),
        dispatch.place().lanes().get(0),
        startedAtNs,
        startedAtNs + serviceNs,
        serviceNs,
        switchNs,
        result,
        cause,
        results,
        emulatedServiceNs,
        busyLanes);
  }
}
