package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A decision, recorded or made again. */
public sealed interface Decision {
  /**
   * A batch starts.
   *
   * @param jobIds its jobs, the chosen one first
   * @param scoreTerms terms of the chosen job's score, in their order; may be empty
   */
  record Started(
      DispatchId id,
      String executorId,
      List<Integer> lanes,
      ModelKey model,
      List<String> jobIds,
      int samples,
      Map<String, Double> scoreTerms)
      implements Decision {
    static Started of(BatchDispatched dispatch) {
      return new Started(
          dispatch.dispatchId(),
          dispatch.place().executorId(),
          dispatch.place().lanes(),
          dispatch.work().model(),
          dispatch.work().jobs().stream().map(BatchDispatched.DispatchedJob::jobId).toList(),
          dispatch.work().samples(),
          dispatch.scoreTerms());
    }

    static Started of(DispatchId id, Choice.Start start) {
      JobSpec first = start.batch().get(0).spec();
      return new Started(
          id,
          start.lanes().get(0).executorId(),
          start.lanes().stream().map(SchedulerState.Lane::index).toList(),
          new ModelKey(first.workload(), first.backend(), first.precision()),
          start.batch().stream().map(job -> job.spec().id()).toList(),
          start.batch().stream().mapToInt(job -> job.spec().samples()).sum(),
          start.scoreTerms());
    }
  }

  /** A job ends. */
  record Ended(JobEnded event) implements Decision {}

  /** A span ends in which lanes were idle while jobs waited. */
  record Idle(Blocked event) implements Decision {}

  /**
   * A job is dropped before anything starts.
   *
   * @param reason reason of the admission
   */
  record Dropped(String jobId, String reason) implements Decision {}

  /**
   * Nothing is decided.
   *
   * @param cause cause for which nothing starts; null: it was not asked for
   */
  record Nothing(Choice.@Nullable Cause cause) implements Decision {}

  /**
   * Bytes that are no decision.
   *
   * @param beginning the first of them as text
   */
  record Unreadable(String beginning) implements Decision {}
}
