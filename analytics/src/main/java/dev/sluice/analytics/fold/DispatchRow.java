package dev.sluice.analytics.fold;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.Reason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch and its end on the executor.
 *
 * @param shard the partition that it stands in; dispatch ids are unique within it
 * @param appendedAtNs when the broker appended it (1 ms resolution)
 * @param completion its end, without the jobs' results; null if the log holds none
 * @param completedAtNs when the broker appended the completion; null if there is none
 * @param emulatedServiceNs the service time that an emulated lane meant to take; null on real lanes
 * @param jobsEnded jobs whose outcome names this dispatch
 * @param jobsEndedOtherwise jobs that ended by another attempt or without any
 */
public record DispatchRow(
    int shard,
    BatchDispatched dispatch,
    long appendedAtNs,
    @Nullable BatchCompleted completion,
    @Nullable Long completedAtNs,
    @Nullable Long emulatedServiceNs,
    int jobsEnded,
    int jobsEndedOtherwise) {

  public DispatchKey key() {
    return new DispatchKey(shard, dispatch.dispatchId());
  }

  /** Executor and lane, unique in the run. */
  public String laneId() {
    return dispatch.executorId() + "/" + dispatch.lanes().get(0);
  }

  /** done, failed, refused, lost, or open: neither a completion nor an end of its jobs. */
  public String result() {
    if (isLost()) {
      return "lost";
    }
    return completion == null ? "open" : completion.result().name().toLowerCase(Locale.ROOT);
  }

  public boolean isDone() {
    return completion != null && completion.result() == BatchCompleted.Result.DONE;
  }

  /**
   * Whether it ended none of its jobs, though they have ended, by another attempt or by giving up:
   * it was never answered, or too late, or by a later incarnation of its executor.
   */
  public boolean isLost() {
    if (completion == null) {
      return jobsEnded + jobsEndedOtherwise > 0;
    }
    return completion.result() == BatchCompleted.Result.REFUSED
        ? Reason.OLDER_INCARNATION.is(completion.cause())
        : jobsEnded == 0 && jobsEndedOtherwise > 0;
  }

  /** Whether it ran to its end after a job of it had ended otherwise. */
  public boolean isSuperseded() {
    return completion != null
        && completion.result() != BatchCompleted.Result.REFUSED
        && jobsEndedOtherwise > 0;
  }

  @Nullable
  public Long startedAtNs() {
    return completion == null ? null : completion.startedAtNs();
  }

  @Nullable
  public Long finishedAtNs() {
    return completion == null ? null : completion.finishedAtNs();
  }

  /** Whether a lane worked on it and both ends of that are known. */
  public boolean ran() {
    return startedAtNs() != null && finishedAtNs() != null;
  }

  public long requireStartedAtNs() {
    return require(startedAtNs());
  }

  public long requireFinishedAtNs() {
    return require(finishedAtNs());
  }

  /** Its service time; 0 if it never ran. */
  public long serviceNs() {
    return completion == null ? 0 : completion.serviceNs();
  }

  private long require(@Nullable Long atNs) {
    if (atNs == null) {
      throw new IllegalStateException("dispatch " + dispatch.dispatchId() + " never ran");
    }
    return atNs;
  }
}
