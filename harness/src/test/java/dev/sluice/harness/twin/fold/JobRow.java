package dev.sluice.harness.twin.fold;

import dev.sluice.contract.event.JobRequested;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job and its end.
 *
 * @param shard partition of its request
 * @param appendedAtNs time at which the broker appended its request (1 ms resolution)
 */
public record JobRow(
    JobRequested request, int shard, long appendedAtNs, Phase phase, Ending ending) {

  /** Part of the run in which an intended arrival lies; only measured jobs count in figures. */
  public enum Phase {
    WARMUP,
    MEASURED,
    TAIL;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** End of a job; OPEN: the log holds no whole account of its end. */
  public enum Status {
    DONE,
    DROPPED,
    FAILED,
    OPEN;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How a job ended.
   *
   * @param reason cause of a drop, of a failure or of being open; null if done
   * @param attempt count of the job's dispatches; 0 while it has no outcome
   * @param dispatch dispatch that ended the job; null if it was dropped or has no outcome
   * @param endedAtNs log time of the outcome's cause; null without an outcome
   * @param observedAtNs time at which the broker appended the outcome; null without one
   */
  public record Ending(
      Status status,
      @Nullable String reason,
      int attempt,
      @Nullable DispatchRow dispatch,
      @Nullable Long endedAtNs,
      @Nullable Long observedAtNs) {
    /** The ending of a job without an outcome. */
    static final Ending NONE = new Ending(Status.OPEN, "no_outcome", 0, null, null, null);
  }

  public Status status() {
    return ending.status();
  }

  @Nullable
  public String reason() {
    return ending.reason();
  }

  public int attempt() {
    return ending.attempt();
  }

  @Nullable
  public DispatchRow dispatch() {
    return ending.dispatch();
  }

  @Nullable
  public Long endedAtNs() {
    return ending.endedAtNs();
  }

  @Nullable
  public Long observedAtNs() {
    return ending.observedAtNs();
  }

  public boolean isMeasured() {
    return phase == Phase.MEASURED;
  }

  public boolean isDone() {
    return ending.status() == Status.DONE;
  }

  /** Start of the batch that ended the job; null if none started. */
  @Nullable
  public Long startedAtNs() {
    DispatchRow dispatch = ending.dispatch();
    return dispatch == null ? null : dispatch.startedAtNs();
  }

  /** End of the batch that ended the job; null if none ended. */
  @Nullable
  public Long finishedAtNs() {
    DispatchRow dispatch = ending.dispatch();
    return dispatch == null ? null : dispatch.finishedAtNs();
  }

  /** The dispatch of a done job. */
  public DispatchRow doneDispatch() {
    DispatchRow dispatch = ending.dispatch();
    if (!isDone() || dispatch == null) {
      throw new IllegalStateException(request.jobId() + " is not done");
    }
    return dispatch;
  }

  /** Time from intended arrival to start; only for a done job. */
  public long waitNs() {
    return doneDispatch().requireStartedAtNs() - request.intendedAtNs();
  }

  /** Service time of its batch; only for a done job. */
  public long serviceNs() {
    return doneDispatch().serviceNs();
  }

  /** Part of its batch's service time, by samples; only for a done job. */
  public long serviceShareNs() {
    DispatchRow row = doneDispatch();
    return Math.round(
        (double) row.serviceNs() * request.samples() / row.dispatch().work().samples());
  }

  /** Time from intended arrival to end; only for a done job. */
  public long endToEndNs() {
    return doneDispatch().requireFinishedAtNs() - request.intendedAtNs();
  }

  /** True if the job took longer than promised or is not done. */
  public boolean isViolation() {
    return !isDone() || endToEndNs() > request.sloNs();
  }

  /**
   * Time at which the job stopped waiting: its start, else its end, else never ({@link
   * Long#MAX_VALUE}).
   */
  public long waitedUntilNs() {
    Long startedAtNs = startedAtNs();
    if (startedAtNs != null) {
      return startedAtNs;
    }
    Long endedAtNs = ending.endedAtNs();
    return endedAtNs == null ? Long.MAX_VALUE : endedAtNs;
  }
}
