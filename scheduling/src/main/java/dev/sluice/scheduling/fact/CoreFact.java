package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.WorkflowSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fact that the core learns. Facts come one at a time, each at a log time that never goes
 * backwards.
 */
public sealed interface CoreFact {

  /**
   * A run begins: facts before it move no clock.
   *
   * @param arrivalsEndAtNsMax time at or after which no job is meant to arrive, so that the run
   *     does not wait for ever for a source that died; {@link Long#MAX_VALUE}: not known
   */
  record RunStarted(long seed, int sources, long arrivalsEndAtNsMax) implements CoreFact {}

  /** A job arrived. A second job of equal source and index is ignored. */
  record JobArrived(JobSpec job) implements CoreFact {}

  /**
   * A graph of jobs arrived. A second graph of equal source and index is ignored. Its jobs arrive
   * at the time of the fact that released them; if a job is not done, the jobs that wait for it are
   * dropped as {@code input_not_done}.
   */
  record WorkflowArrived(WorkflowSpec workflow) implements CoreFact {}

  /**
   * An executor joined, is alive, or leaves.
   *
   * @param tokens memory budget of the executor; {@link Long#MAX_VALUE}: none
   * @param lanes number of its lanes
   * @param emptyLanes indexes of the lanes that hold no dispatch at the moment
   */
  record ExecutorReported(
      String executorId,
      long incarnation,
      boolean leaving,
      String deviceKind,
      long tokens,
      int lanes,
      List<Capability> capabilities,
      List<Integer> emptyLanes)
      implements CoreFact {
    public ExecutorReported {
      capabilities = List.copyOf(capabilities);
      emptyLanes = List.copyOf(emptyLanes);
    }

    /** Returns the executor's capability for a kind of job; null if it cannot run it. */
    public @Nullable Capability capability(String workload, String backend, String precision) {
      for (Capability capability : capabilities) {
        if (capability.workload().equals(workload)
            && capability.backend().equals(backend)
            && capability.precision().equals(precision)) {
          return capability;
        }
      }
      return null;
    }

    /** Returns this report without the dispatches that lanes hold at the moment. */
    public ExecutorReported withoutMoment() {
      return emptyLanes.isEmpty()
          ? this
          : new ExecutorReported(
              executorId, incarnation, leaving, deviceKind, tokens, lanes, capabilities, List.of());
    }
  }

  /**
   * A dispatch ended. A dispatch that the core does not hold is ignored as superseded.
   *
   * @param lane index of the dispatch's lane
   * @param cause cause of its failure or refusal; null if done. After a refusal as {@link
   *     Reason#BUSY} the lane takes nothing until it completes a batch or is reported empty
   */
  record BatchCompleted(
      DispatchName dispatch,
      String executorId,
      long incarnation,
      int lane,
      Result result,
      @Nullable String cause,
      long serviceNs)
      implements CoreFact {}

  /**
   * A source will send no more. Once all sources have said so, waiting jobs are dropped as
   * run_ended; likewise once log time is 10 s past {@link RunStarted#arrivalsEndAtNsMax}.
   */
  record ArrivalsEnded(int source, long jobsSent) implements CoreFact {}

  /**
   * A whole table of predicted service times for one device kind, which replaces the one before.
   *
   * @param executorId publisher of the table: an executor of the device kind that has reported
   * @param modelVersion name of the model, for the record
   * @param tableVersion number that rises with each table of a device kind, from 1
   */
  record PredictionsPublished(
      String executorId,
      String deviceKind,
      String modelVersion,
      long tableVersion,
      List<Service> services,
      List<Calibration> calibrations)
      implements CoreFact {
    public PredictionsPublished {
      services = List.copyOf(services);
      calibrations = List.copyOf(calibrations);
    }

    /**
     * Mean service times of one model.
     *
     * @param meanNs by busy lanes (index 0: 1), then by samples (index 0: 1)
     */
    public record Service(
        String workload, String backend, String precision, List<List<Long>> meanNs) {
      public Service {
        meanNs = meanNs.stream().map(List::copyOf).toList();
      }
    }

    /**
     * The model's errors on measurements that it was not fitted to.
     *
     * @param residuals natural logarithms of actual / predicted service time, ascending
     */
    public record Calibration(String workload, String backend, List<Double> residuals) {
      public Calibration {
        residuals = List.copyOf(residuals);
      }
    }
  }

  /** Time has passed. */
  record Ticked() implements CoreFact {}

  /**
   * Several facts of one moment, which are all taken in, in order, before anything is decided. In
   * virtual time several nodes may end at one instant, and the GPUs of all of them are free before
   * the first of these ends is decided on.
   */
  record Together(List<CoreFact> facts) implements CoreFact {
    public Together {
      facts = List.copyOf(facts);
    }
  }

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
   * @param loadNs time that a lane takes to load this model instead of another or none; 0: the time
   *     is not known, or lanes hold all models at once
   */
  record Capability(
      String workload,
      String backend,
      String precision,
      long flopsPerSample,
      List<WarmUp> warmUps,
      long loadNs) {
    public Capability {
      warmUps = List.copyOf(warmUps);
    }

    /** Makes a capability without a known time to load. */
    public Capability(
        String workload,
        String backend,
        String precision,
        long flopsPerSample,
        List<WarmUp> warmUps) {
      this(workload, backend, precision, flopsPerSample, warmUps, 0);
    }
  }

  /** The service time of a number of samples, as timed at warm-up. */
  record WarmUp(int samples, long serviceNs) {}
}
