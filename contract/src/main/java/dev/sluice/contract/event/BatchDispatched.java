package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler starts a batch on a lane. Topic {@code dispatches}. Executors read it uncommitted
 * and keep the first of each id: it can only be re-made identically.
 *
 * <p>Version 2 adds {@code modelVersion}, the predicted quantiles and {@code busyLanes}. All that
 * is predicted is frozen at the decision.
 *
 * @param lanes indexes of the lanes that it takes on the executor; several are neighbours
 * @param jobs the jobs in it, the chosen one first
 * @param samples inputs of all its jobs together
 * @param tokens memory tokens held from decision to completion; 0 for a job that runs outside the
 *     budget
 * @param attempt the highest attempt among its jobs, from 1
 * @param decidedAtNs log time of the decision
 * @param notAfterNs the executor refuses it as {@code too_late} after this; null: no limit
 * @param predictedServiceNs mean service time predicted at the decision
 * @param predictionSource where the prediction comes from: {@code published}, {@code
 *     published_nearest}, {@code running_mean}, {@code warm_up}, {@code nearest_samples} or {@code
 *     flops}
 * @param scoreTerms the terms of the policy's score, for the record; may be empty
 * @param modelVersion that of the published table that it was predicted by; null: by none
 * @param predictedQuantileNs upper bound that the service time keeps with the probability {@code
 *     predictor.quantile}; null: not known, as the next two
 * @param predictedP95Ns the same with the probability 0.95
 * @param predictedP99Ns the same with the probability 0.99
 * @param busyLanes how many lanes of the executor were taken to be busy, this one included; null
 *     before version 2
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeName("BatchDispatched")
public record BatchDispatched(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    List<Integer> lanes,
    String workload,
    String backend,
    String precision,
    List<DispatchedJob> jobs,
    int samples,
    int tokens,
    int attempt,
    long decidedAtNs,
    @Nullable Long notAfterNs,
    long predictedServiceNs,
    String predictionSource,
    Map<String, Double> scoreTerms,
    @Nullable String modelVersion,
    @Nullable Long predictedQuantileNs,
    @Nullable Long predictedP95Ns,
    @Nullable Long predictedP99Ns,
    @Nullable Integer busyLanes)
    implements Event {
  public static final int VERSION = 2;

  public BatchDispatched {
    requireNonNull(dispatchId, "dispatchId");
    requireNonNull(executorId, "executorId");
    requireNonNull(workload, "workload");
    requireNonNull(backend, "backend");
    requireNonNull(precision, "precision");
    requireNonNull(predictionSource, "predictionSource");
    lanes = List.copyOf(lanes);
    jobs = List.copyOf(jobs);
    Checks.atLeast(1, lanes.size(), "lanes");
    Checks.atLeast(1, jobs.size(), "jobs");
    Checks.atLeast(1, samples, "samples");
    Checks.atLeast(1, attempt, "attempt");
    if (busyLanes != null) {
      Checks.atLeast(1, busyLanes, "busyLanes");
    }
  }

  /** The model that the batch runs. */
  public ModelKey model() {
    return new ModelKey(workload, backend, precision);
  }

  @Override
  public int version() {
    return VERSION;
  }

  /** A job in a batch. Its inputs are made from the run's seed and its id. */
  public record DispatchedJob(String jobId, int samples) {
    public DispatchedJob {
      requireNonNull(jobId, "jobId");
      Checks.atLeast(1, samples, "samples");
    }
  }
}
