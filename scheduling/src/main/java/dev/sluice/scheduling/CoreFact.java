package dev.sluice.scheduling;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the core learns, one at a time, each at a log time that never goes backwards. */
public sealed interface CoreFact {

  /** A run begins: facts before it move no clock. */
  record RunStarted(long seed, int sources) implements CoreFact {}

  /** A job wants to run. A second one of the same source and index is ignored. */
  record JobArrived(JobSpec job) implements CoreFact {}

  /**
   * An executor joined, is alive, or leaves.
   *
   * @param tokens its memory budget; {@link Long#MAX_VALUE}: none
   * @param lanes how many lanes it has
   */
  record ExecutorReported(
      String executorId,
      long incarnation,
      boolean leaving,
      String deviceKind,
      long tokens,
      int lanes,
      List<Capability> capabilities)
      implements CoreFact {
    public ExecutorReported {
      capabilities = List.copyOf(capabilities);
    }
  }

  /** A dispatch came to its end. One that the core does not hold is ignored as superseded. */
  record BatchCompleted(
      DispatchName dispatch, Result result, @Nullable String cause, long serviceNs)
      implements CoreFact {}

  /** A source will send no more. After the last of them what waits is dropped as run_ended. */
  record ArrivalsEnded(int source, long jobsSent) implements CoreFact {}

  /** Time has passed. */
  record Ticked() implements CoreFact {}

  /** How a dispatch ended on its executor. */
  enum Result {
    DONE,
    FAILED,
    REFUSED
  }

  /**
   * A model that each lane of an executor can run.
   *
   * @param warmUps service times seen at warm-up, by samples, ascending
   */
  record Capability(
      String workload,
      String backend,
      String precision,
      long flopsPerSample,
      List<WarmUp> warmUps) {
    public Capability {
      warmUps = List.copyOf(warmUps);
    }
  }

  /** The service time of a batch of so many samples, as timed at warm-up. */
  record WarmUp(int samples, long serviceNs) {}
}
