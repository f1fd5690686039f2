package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch came to its end on an executor. Topic {@code facts}.
 *
 * <p>Version 2 adds {@code busyLanes}.
 *
 * @param lane the first of the dispatch's lanes
 * @param startedAtNs when the lane began to join the batch; null if it was refused
 * @param finishedAtNs startedAtNs + monotonic service time; null if it was refused
 * @param serviceNs joining the batch + inference + copying back, by a monotonic clock; 0 if refused
 * @param switchNs loading and releasing of models before it; 0 if the lane held the model
 * @param cause reason why it failed, in the failure's own words, or was refused, as the text of a
 *     {@link Reason}; null if done
 * @param results each job's top classes, in the dispatch's order; empty unless done by a real model
 * @param emulatedServiceNs serviceNs as an emulated lane meant it, so that its error can be judged;
 *     null unless done by an emulated lane
 * @param busyLanes number of the executor's lanes that ran a batch when this one began, its own
 *     included; null if it never began, and before version 2
 */
@Event.Version(2)
public record BatchCompleted(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    int lane,
    @Nullable Long startedAtNs,
    @Nullable Long finishedAtNs,
    long serviceNs,
    long switchNs,
    Result result,
    @Nullable String cause,
    List<JobResult> results,
    @Nullable Long emulatedServiceNs,
    @Nullable Integer busyLanes)
    implements Fact {
  public BatchCompleted {
    results = List.copyOf(results);
    Checks.atLeast(0, serviceNs, "serviceNs");
    Checks.atLeast(0, switchNs, "switchNs");
    Checks.atLeastOrNull(1, busyLanes, "busyLanes");
    if (result == Result.DONE && (startedAtNs == null || finishedAtNs == null)) {
      throw new IllegalArgumentException("a done batch needs startedAtNs and finishedAtNs");
    }
  }

  /** A batch that ran on lanes that already held its model, without results and not emulated. */
  public static BatchCompleted done(
      DispatchId dispatchId,
      String executorId,
      long incarnation,
      int lane,
      long startedAtNs,
      long serviceNs,
      int busyLanes) {
    return new BatchCompleted(
        dispatchId,
        executorId,
        incarnation,
        lane,
        startedAtNs,
        startedAtNs + serviceNs,
        serviceNs,
        0,
        Result.DONE,
        null,
        List.of(),
        null,
        busyLanes);
  }

  /** A dispatch that never began. */
  public static BatchCompleted refused(
      DispatchId dispatchId, String executorId, long incarnation, int lane, Reason cause) {
    return new BatchCompleted(
        dispatchId,
        executorId,
        incarnation,
        lane,
        null,
        null,
        0,
        0,
        Result.REFUSED,
        cause.text(),
        List.of(),
        null,
        null);
  }

  public enum Result {
    DONE,
    FAILED,
    REFUSED,
    /** The scheduler took it off its emulated lane for a larger batch before it was done. */
    CANCELLED
  }

  /** One job's most likely classes, the likeliest first. */
  public record JobResult(String jobId, List<Integer> topClasses) {
    public JobResult {
      topClasses = List.copyOf(topClasses);
    }
  }
}
