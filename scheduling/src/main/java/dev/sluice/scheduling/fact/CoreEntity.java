package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.job.JobGraph;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entity of the core's state, as a driver keeps it. A core restored from all of them goes on as
 * the first would have. Plain values only, so that any format can hold them.
 */
public sealed interface CoreEntity {
  /** Unique among all entities; starts with the kind of the entity. */
  String key();

  /**
   * A job that waits.
   *
   * @param entry the sequence in which the core took its jobs in
   * @param appendedAtNs log time of its arrival; its micro-batch window starts here
   * @param attempts how many dispatches of it were lost or failed so far, refusals not counted
   */
  record WaitingJob(JobSpec spec, long entry, long appendedAtNs, int attempts)
      implements CoreEntity {
    @Override
    public String key() {
      return "job/" + spec.id();
    }
  }

  /**
   * A workflow of which a job has not ended.
   *
   * @param expectedNs by node
   * @param ended the places of the nodes that have ended, ascending; those whose jobs stand among
   *     the entities are released, the others wait for these
   */
  record Workflow(
      String id,
      int source,
      long index,
      String classType,
      long sloNs,
      long intendedAtNs,
      List<JobGraph.Node> nodes,
      List<Long> expectedNs,
      List<Integer> ended)
      implements CoreEntity {
    public Workflow {
      nodes = List.copyOf(nodes);
      expectedNs = List.copyOf(expectedNs);
      ended = List.copyOf(ended);
    }

    @Override
    public String key() {
      return key(source, index);
    }

    public static String key(int source, long index) {
      return "workflow/" + source + "/" + index;
    }
  }

  /**
   * A batch on its way, with all that is needed to put its jobs back.
   *
   * @param jobs the jobs of the batch that have not ended
   * @param decidedAtLeaseNs the lease clock at its decision
   */
  record RunningBatch(Dispatch dispatch, List<WaitingJob> jobs, long decidedAtLeaseNs)
      implements CoreEntity {
    public RunningBatch {
      jobs = List.copyOf(jobs);
    }

    @Override
    public String key() {
      return key(dispatch.name());
    }

    public static String key(DispatchName name) {
      return "batch/" + name;
    }
  }

  /**
   * A batch that was lost, whose jobs have gone back or failed. It is kept until it is answered, or
   * all its jobs have ended and no lane holds it.
   *
   * @param held whether its lane and its tokens are still held by it
   */
  record LostBatch(Dispatch dispatch, boolean held) implements CoreEntity {
    @Override
    public String key() {
      return key(dispatch.name());
    }

    public static String key(DispatchName name) {
      return "lost/" + name;
    }
  }

  /**
   * An executor, in the order in which executors joined.
   *
   * @param report its last report, without what its lanes held then
   * @param lost whether its lease has expired
   */
  record Executor(int order, CoreFact.ExecutorReported report, boolean lost) implements CoreEntity {
    @Override
    public String key() {
      return "executor/" + report.executorId();
    }
  }

  /**
   * A lane of an executor.
   *
   * @param freedAtNs when a batch last left its head, or when it joined
   * @param freedAtLeaseNs that moment by the lease clock
   * @param refuses whether it refused its last batch as busy and is not known to be free again
   * @param resident the workload of the last batch that was started on it; null: none was
   */
  record Lane(
      String executorId,
      int index,
      long freedAtNs,
      long freedAtLeaseNs,
      boolean refuses,
      @Nullable String resident)
      implements CoreEntity {
    @Override
    public String key() {
      return "lane/" + executorId + "/" + index;
    }
  }

  /**
   * A group of jobs of which none could start on an executor for want of tokens, while others did.
   *
   * @param sinceNs when that began
   * @param dueNs from when on it holds a reservation
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
      implements CoreEntity {
    @Override
    public String key() {
      return String.join(
          "/",
          "passed",
          executorId,
          classType,
          workload,
          backend,
          precision,
          Integer.toString(samples),
          Integer.toString(lanesNeeded));
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
      implements CoreEntity {
    @Override
    public String key() {
      return "mean/"
          + deviceKind
          + "/"
          + workload
          + "/"
          + backend
          + "/"
          + precision
          + "/"
          + samples;
    }
  }

  /** The published table of a device kind. */
  record Published(CoreFact.PredictionsPublished table) implements CoreEntity {
    @Override
    public String key() {
      return key(table.deviceKind());
    }

    static String key(String deviceKind) {
      return "table/" + deviceKind;
    }
  }

  /**
   * By how much all predictions of a device kind's table are corrected.
   *
   * @param log natural logarithm of the factor
   */
  record DeviceCorrection(String deviceKind, double log) implements CoreEntity {
    @Override
    public String key() {
      return "device/" + deviceKind;
    }
  }

  /**
   * What completions taught of one workload and backend on one device kind.
   *
   * @param log natural logarithm of its own factor, beside the device kind's
   * @param run how many errors before had one sign: above 0 if services took longer
   * @param missRates the adapted rates of the upper quantiles
   * @param seen how many completions were observed
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

    @Override
    public String key() {
      return String.join("/", "workload", deviceKind, workload, backend);
    }
  }

  /**
   * By how much the predictions of one model and joined samples are corrected, beside their
   * workload's and device kind's.
   */
  record SamplesCorrection(
      String deviceKind, String workload, String backend, String precision, int samples, double log)
      implements CoreEntity {
    @Override
    public String key() {
      return key(deviceKind, workload, backend, precision, samples);
    }

    public static String key(
        String deviceKind, String workload, String backend, String precision, int samples) {
      return String.join(
          "/", "samples", deviceKind, workload, backend, precision, Integer.toString(samples));
    }
  }

  /**
   * One of the last completions of a workload and backend on a device kind.
   *
   * @param slot its place, which a later completion takes over
   * @param busyLanes as its prediction took them to be
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
      implements CoreEntity {
    @Override
    public String key() {
      return String.join("/", "seen", deviceKind, workload, backend, Integer.toString(slot));
    }
  }

  /**
   * The times and counts of which a core has one each.
   *
   * @param nowNs the last log time
   * @param leaseNs the lease clock: log time, of which at most a heartbeat between two facts counts
   * @param nextEntry the next job's entry
   * @param sources how many there are; 0 before the run started
   * @param arrivalsEndAtNsMax no job is meant to arrive at or after it; {@link Long#MAX_VALUE}: not
   *     known
   * @param indexBySource highest index seen from each source
   * @param sourcesEnded sources that will send no more, ascending
   * @param policyWakeAtNs until when the policy's last answer starts nothing; {@link
   *     Long#MAX_VALUE}: it named no time
   * @param reportedAtLeaseNs the lease clock at each executor's last report, in their order
   * @param overdueCheckAtLeaseNs no batch is overdue before, by the lease clock; {@link
   *     Long#MAX_VALUE}: none will be
   * @param blockedSinceNs since when idle lanes and waiting work stand side by side
   * @param blockedCause why they do; null: they do not
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

    @Override
    public String key() {
      return "progress";
    }
  }
}
