package dev.sluice.harness.twin.fold;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch and its end on the executor.
 *
 * @param shard partition of the dispatch; dispatch ids are unique within it
 * @param appendedAtNs time at which the broker appended the dispatch (1 ms resolution)
 * @param answer end on the executor; null if the log holds none
 * @param jobsEnded jobs whose outcome names this dispatch
 * @param jobsEndedOtherwise jobs that ended by another attempt or without any
 */
public record DispatchRow(
    int shard,
    BatchDispatched dispatch,
    long appendedAtNs,
    @Nullable Answer answer,
    int jobsEnded,
    int jobsEndedOtherwise) {

  /**
   * End of a dispatch on its executor.
   *
   * @param completion event without the jobs' results
   * @param appendedAtNs time at which the broker appended the completion (1 ms resolution)
   * @param emulatedServiceNs service time that an emulated lane meant to take; null on real lanes
   */
  public record Answer(
      BatchCompleted completion, long appendedAtNs, @Nullable Long emulatedServiceNs) {}

  /** Model that the batch runs. */
  public ModelKey model() {
    return dispatch.work().model();
  }

  /** Service time predicted at the decision. */
  public Prediction prediction() {
    return dispatch.prediction();
  }

  public DispatchKey key() {
    return new DispatchKey(shard, dispatch.dispatchId());
  }

  /** End on the executor, without the jobs' results; null if the log holds none. */
  @Nullable
  public BatchCompleted completion() {
    return answer == null ? null : answer.completion();
  }

  /** Time at which the broker appended the completion; null if there is none. */
  @Nullable
  public Long completedAtNs() {
    return answer == null ? null : Long.valueOf(answer.appendedAtNs());
  }

  /** Service time that an emulated lane meant to take; null on real lanes. */
  @Nullable
  public Long emulatedServiceNs() {
    return answer == null ? null : answer.emulatedServiceNs();
  }

  /** Executor and lane, unique in the run. */
  public String laneId() {
    return dispatch.place().executorId() + "/" + dispatch.place().lanes().get(0);
  }

  /** Result as text: done, failed, refused, lost, or open (no completion, and no job ended). */
  public String result() {
    if (isLost()) {
      return "lost";
    }
    return answer == null ? "open" : answer.completion().result().name().toLowerCase(Locale.ROOT);
  }

  public boolean isDone() {
    return answer != null && answer.completion().result() == BatchCompleted.Result.DONE;
  }

  /**
   * Whether the dispatch ended none of its jobs, though they have ended, by another attempt or by
   * giving up: it was never answered, or too late, or by a later incarnation of its executor.
   */
  public boolean isLost() {
    if (answer == null) {
      return jobsEnded + jobsEndedOtherwise > 0;
    }
    BatchCompleted completion = answer.completion();
    return completion.result() == BatchCompleted.Result.REFUSED
        ? Reason.OLDER_INCARNATION.is(completion.cause())
        : jobsEnded == 0 && jobsEndedOtherwise > 0;
  }

  /** True if the batch ran to its end after one of its jobs had ended otherwise. */
  public boolean isSuperseded() {
    return answer != null
        && answer.completion().result() != BatchCompleted.Result.REFUSED
        && jobsEndedOtherwise > 0;
  }

  @Nullable
  public Long startedAtNs() {
    return answer == null ? null : answer.completion().startedAtNs();
  }

  @Nullable
  public Long finishedAtNs() {
    return answer == null ? null : answer.completion().finishedAtNs();
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  public boolean ran() {
    return startedAtNs() != null && finishedAtNs() != null;
  }

  public long requireStartedAtNs() {
    return require(startedAtNs());
  }

  public long requireFinishedAtNs() {
    return require(finishedAtNs());
  }

  /** Service time; 0 if the batch never ran. */
  public long serviceNs() {
    return answer == null ? 0 : answer.completion().serviceNs();
  }

  private long require(@Nullable Long atNs) {
    if (atNs == null) {
      throw new IllegalStateException("dispatch " + dispatch.dispatchId() + " never ran");
    }
    return atNs;
  }
}
