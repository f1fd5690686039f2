package dev.sluice.scheduling.driver;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entity of the core's state. A core that is restored from all entities goes on as the first
 * core would have. Entities hold plain values only, so that any format can carry them.
 */
public sealed interface CoreEntity {

  /**
   * A job that waits.
   *
   * @param entry place in the sequence in which the core took its jobs in
   * @param appendedAtNs log time of its arrival; its micro-batch window starts here
   * @param attempts number of its dispatches that were lost or failed so far, without refusals
   */
  record WaitingJob(JobSpec spec, long entry, long appendedAtNs, int attempts)
      implements CoreEntity {}

  /**
   * A workflow with a job that has not ended.
   *
   * @param ended places of the nodes that have ended, ascending; of the other nodes, a node whose
   *     job is among the entities is released, and any other waits
   */
  record Workflow(WorkflowRequested request, List<Integer> ended) implements CoreEntity {
    public Workflow {
      ended = List.copyOf(ended);
    }
  }

  /**
   * A batch that runs or is about to, with everything that is needed to put its jobs back.
   *
   * @param jobs the jobs of the batch that have not ended
   * @param decidedAtLeaseNs lease clock at its decision
   */
  record RunningBatch(BatchDispatched dispatch, List<WaitingJob> jobs, long decidedAtLeaseNs)
      implements CoreEntity {
    public RunningBatch {
      jobs = List.copyOf(jobs);
    }
  }

  /**
   * A lost batch, whose jobs have gone back or failed. It is kept until it is answered, or until
   * all its jobs have ended and no lane holds it.
   *
   * @param held whether it still holds its lane and its tokens
   * @param cancelled whether the policy cancelled it, which counts as no attempt of its jobs
   */
  record LostBatch(BatchDispatched dispatch, boolean held, boolean cancelled)
      implements CoreEntity {}

  /**
   * An executor, in the order in which executors joined.
   *
   * @param report last report, without the dispatches that lanes held then
   * @param lost whether the executor's lease has expired
   */
  record Executor(int order, ExecutorReported report, boolean lost) implements CoreEntity {}

  /**
   * A lane of an executor.
   *
   * @param freedAtNs time at which its first batch last left it, or at which the lane joined
   * @param freedAtLeaseNs that moment by the lease clock
   * @param refuses whether the lane refused its last batch as busy and is not known to be free
   *     again
   * @param resident workload of the last batch that was started on the lane; null: none was
   * @param residents models in the lane's memory, the one that was not used for longest first
   */
  record Lane(
      String executorId,
      int index,
      long freedAtNs,
      long freedAtLeaseNs,
      boolean refuses,
      @Nullable String resident,
      List<Resident> residents)
      implements CoreEntity {
    public Lane {
      residents = List.copyOf(residents);
    }
  }

  /**
   * A model in a lane's memory.
   *
   * @param loadedBy dispatch that has it loaded
   * @param isLoaded whether the lane has loaded it to the end
   */
  record Resident(
      ModelKey model, long bytes, DispatchId loadedBy, boolean isLoaded, long usedAtNs) {}

  /**
   * A group of jobs that could not start on an executor for want of tokens, while other jobs did.
   *
   * @param sinceNs time at which the group was first passed over
   * @param dueNs time from which the group holds a reservation
   */
  record PassedOver(
      String executorId,
      String classType,
      String workload,
      String backend,
      String precision,
      int samples,
      int lanesNeeded,
      long sinceNs,
      long dueNs)
      implements CoreEntity {}

  /**
   * The memory of the policy.
   *
   * @param version version of what the policy remembers
   */
  record Remembered(int version, Map<String, Double> numbers) implements CoreEntity {
    public Remembered {
      numbers = Map.copyOf(numbers);
    }
  }

  /**
   * The latest arrivals in a compatible set.
   *
   * @param first first job that arrived
   * @param firstSpan number of the span of time in which it arrived
   * @param lastSpan number of the last span that is counted
   * @param counts arrivals of the last spans, by number of the span modulo their number
   */
  record ArrivalCounts(
      String set, JobSpec first, long firstSpan, long lastSpan, List<Integer> counts)
      implements CoreEntity {
    public ArrivalCounts {
      counts = List.copyOf(counts);
    }
  }

  /** A running mean of service times of one device kind, model and joined samples. */
  record RunningMean(
      String deviceKind,
      String workload,
      String backend,
      String precision,
      int samples,
      long count,
      double meanNs)
      implements CoreEntity {}

  record Published(PredictionsPublished table) implements CoreEntity {}

  /** The correction of a device kind's table, as the natural logarithm of the factor. */
  record DeviceCorrection(String deviceKind, double log) implements CoreEntity {}

  /**
   * The correction that completions taught for one workload and backend on one device kind.
   *
   * @param log natural logarithm of its own factor, which multiplies the device kind's
   * @param run number of latest errors with one sign: above 0 if services took longer, below 0 if
   *     shorter
   * @param missRates adapted miss rates of the upper quantiles
   * @param seen number of completions that were observed
   */
  record WorkloadCorrection(
      String deviceKind,
      String workload,
      String backend,
      double log,
      int run,
      List<Double> missRates,
      long seen)
      implements CoreEntity {
    public WorkloadCorrection {
      missRates = List.copyOf(missRates);
    }
  }

  /**
   * The correction of the predictions of one model and joined samples, which multiplies their
   * workload's and device kind's.
   */
  record SamplesCorrection(
      String deviceKind, String workload, String backend, String precision, int samples, double log)
      implements CoreEntity {}

  /**
   * One of the last completions of a workload and backend on a device kind.
   *
   * @param slot place of the completion, which a later completion takes over
   * @param busyLanes number of busy lanes that its prediction assumed
   * @param residual natural logarithm of actual / predicted service time
   */
  record Observed(
      String deviceKind,
      String workload,
      String backend,
      int slot,
      String precision,
      int samples,
      int busyLanes,
      long serviceNs,
      double residual)
      implements CoreEntity {}

  /**
   * The progress of a core: the times and counts of which a core has one each.
   *
   * @param nowNs the last log time
   * @param leaseNs lease clock: log time, of which at most a heartbeat between two facts counts
   * @param nextEntry entry of the next job
   * @param sources number of sources; 0 before the run started
   * @param arrivalsEndAtNsMax time at or after which no job is meant to arrive; {@link
   *     Long#MAX_VALUE}: not known
   * @param indexBySource highest index seen from each source
   * @param sourcesEnded sources that will send no more, ascending
   * @param policyWakeAtNs time until which the policy's last answer starts nothing; {@link
   *     Long#MAX_VALUE}: it named no time
   * @param reportedAtLeaseNs lease clock at each executor's last report, in the order of executors
   * @param overdueCheckAtLeaseNs time of the lease clock before which no batch is overdue; {@link
   *     Long#MAX_VALUE}: none will be
   * @param blockedSinceNs time since which lanes are idle while work waits
   * @param blockedCause cause for which lanes are idle while work waits; null: this is not the case
   */
  record Progress(
      long nowNs,
      long leaseNs,
      long nextEntry,
      int sources,
      long arrivalsEndAtNsMax,
      Map<Integer, Long> indexBySource,
      List<Integer> sourcesEnded,
      long policyWakeAtNs,
      List<Long> reportedAtLeaseNs,
      long overdueCheckAtLeaseNs,
      long blockedSinceNs,
      @Nullable Cause blockedCause)
      implements CoreEntity {
    public Progress {
      indexBySource = Map.copyOf(indexBySource);
      sourcesEnded = List.copyOf(sourcesEnded);
      reportedAtLeaseNs = List.copyOf(reportedAtLeaseNs);
    }
  }
}
