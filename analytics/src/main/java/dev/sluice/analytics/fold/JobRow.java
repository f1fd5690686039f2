package dev.sluice.analytics.fold;

import dev.sluice.contract.event.JobRequested;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job and what became of it.
 *
 * @param shard the partition that its request stands in
 * @param appendedAtNs when the broker appended its request (1 ms resolution)
 * @param reason why it was dropped, failed or is open; null if done
 * @param attempt how many times it was dispatched; 0 while it has no outcome
 * @param dispatch the dispatch that ended it; null if it was dropped or has no outcome
 * @param endedAtNs log time of its outcome's cause; null without an outcome
 * @param observedAtNs when the broker appended its outcome; null without one
 */
public record JobRow(
    JobRequested request,
    int shard,
    long appendedAtNs,
    Phase phase,
    Status status,
    @Nullable String reason,
    int attempt,
    @Nullable DispatchRow dispatch,
    @Nullable Long endedAtNs,
    @Nullable Long observedAtNs) {

  /** Where its intended arrival lies: only measured jobs count in figures. */
  public enum Phase {
    WARMUP,
    MEASURED,
    TAIL;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How it ended; OPEN: the log holds no whole account of its end. */
  public enum Status {
    DONE,
    DROPPED,
    FAILED,
    OPEN;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public boolean isMeasured() {
    return phase == Phase.MEASURED;
  }

  public boolean isDone() {
    return status == Status.DONE;
  }

  /** Start of the batch that ended it; null if none started. */
  @Nullable
  public Long startedAtNs() {
    return dispatch == null ? null : dispatch.startedAtNs();
  }

  /** End of the batch that ended it; null if none ended. */
  @Nullable
  public Long finishedAtNs() {
    return dispatch == null ? null : dispatch.finishedAtNs();
  }

  /** The dispatch of a done job. */
  public DispatchRow doneDispatch() {
    if (!isDone() || dispatch == null) {
      throw new IllegalStateException(request.jobId() + " is not done");
    }
    return dispatch;
  }

  /** Intended arrival to start; only for a done job. */
  public long waitNs() {
    return doneDispatch().requireStartedAtNs() - request.intendedAtNs();
  }

  /** Its batch's service time; only for a done job. */
  public long serviceNs() {
    return doneDispatch().serviceNs();
  }

  /** Its part of the batch by samples; only for a done job. */
  public long serviceShareNs() {
    DispatchRow row = doneDispatch();
    return Math.round((double) row.serviceNs() * request.samples() / row.dispatch().samples());
  }

  /** Intended arrival to end; only for a done job. */
  public long endToEndNs() {
    return doneDispatch().requireFinishedAtNs() - request.intendedAtNs();
  }

  /** Whether it took longer than promised or is not done. */
  public boolean isViolation() {
    return !isDone() || endToEndNs() > request.sloNs();
  }

  /** When it stopped to wait: its start, else its end, else never ({@link Long#MAX_VALUE}). */
  public long waitedUntilNs() {
    Long startedAtNs = startedAtNs();
    if (startedAtNs != null) {
      return startedAtNs;
    }
    return endedAtNs == null ? Long.MAX_VALUE : endedAtNs;
  }
}
