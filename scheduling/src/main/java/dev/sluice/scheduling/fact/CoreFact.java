package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.job.WorkflowSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the core learns, one at a time, each at a log time that never goes backwards. */
public sealed interface CoreFact {

  /**
   * A run begins: facts before it move no clock.
   *
   * @param arrivalsEndAtNsMax no job is meant to arrive at or after it, so that a source that died
   *     is not waited for without end; {@link Long#MAX_VALUE}: not known
   */
  record RunStarted(long seed, int sources, long arrivalsEndAtNsMax) implements CoreFact {}

  /** A job wants to run. A second one of equal source and index is ignored. */
  record JobArrived(JobSpec job) implements CoreFact {}

  /**
   * A graph of jobs wants to run. A second one of equal source and index is ignored. Its jobs
   * arrive at the time of the fact that freed them; jobs that wait for one that was not done are
   * dropped with it, as {@code input_not_done}.
   */
  record WorkflowArrived(WorkflowSpec workflow) implements CoreFact {}

  /**
   * An executor joined, is alive, or leaves.
   *
   * @param tokens its memory budget; {@link Long#MAX_VALUE}: none
   * @param lanes how many lanes it has
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

    /** Returns what the executor says of this kind of job; null: it cannot run it. */
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

    /** Returns this report without what its lanes hold at the moment. */
    public ExecutorReported withoutMoment() {
      return emptyLanes.isEmpty()
          ? this
          : new ExecutorReported(
              executorId, incarnation, leaving, deviceKind, tokens, lanes, capabilities, List.of());
    }
  }

  /**
   * A dispatch came to its end. One that the core does not hold is ignored as superseded.
   *
   * @param lane index of the lane it was on
   * @param cause why it failed or was refused; null if done. After a refusal as {@link Reason#BUSY}
   *     the lane takes nothing until it completes a batch or is reported empty
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
   * A source will send no more. After the last of them what waits is dropped as run_ended; also
   * once log time is 10 s past {@link RunStarted#arrivalsEndAtNsMax}.
   */
  record ArrivalsEnded(int source, long jobsSent) implements CoreFact {}

  /**
   * A whole table of predicted service times for one device kind, which replaces the one before.
   *
   * @param executorId who published it: an executor of that kind that has reported
   * @param modelVersion names the model, for the record
   * @param tableVersion rises with each table of a device kind, from 1
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
     * How far the model was off on measurements that it was not fitted to.
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

  /** Several facts of one moment: all are taken in, in their order, before anything is decided. */
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
   * @param loadNs how long a lane that holds another model, or none, takes until it holds this one;
   *     0: it is not known, or lanes hold all models at once
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

    /** Of which no time to load is known. */
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
