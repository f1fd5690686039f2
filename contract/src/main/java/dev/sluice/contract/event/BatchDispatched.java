package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler starts a batch on a lane. Topic {@code dispatches}. Executors read it uncommitted
 * and keep the first of each id: it can only be re-made identically.
 *
 * <p>Version 2 adds the prediction's {@code modelVersion}, bounds and {@code busyLanes}, version 3
 * {@code cancels}, version 4 {@code notBeforeNs}. The JSON holds the fields of all parts side by
 * side.
 *
 * @param prediction service time predicted at the decision, and frozen then
 */
@Event.Version(4)
public record BatchDispatched(
    DispatchId dispatchId, Place place, Work work, Decision decision, Prediction prediction)
    implements Dispatch {
  @Override
  public String executorId() {
    return place.executorId;
  }

  @Override
  public long incarnation() {
    return place.incarnation;
  }

  public List<Integer> lanes() {
    return place.lanes;
  }

  public List<DispatchedJob> jobs() {
    return work.jobs;
  }

  public int samples() {
    return work.samples;
  }

  public int tokens() {
    return work.tokens;
  }

  @Override
  public long decidedAtNs() {
    return decision.decidedAtNs;
  }

  /**
   * Where a batch runs.
   *
   * @param incarnation start of the executor that the dispatch is meant for
   * @param lanes indexes of the lanes that the batch takes on the executor; several are neighbours
   */
  public record Place(String executorId, long incarnation, List<Integer> lanes) {
    public Place {
      lanes = List.copyOf(lanes);
      Checks.atLeast(1, lanes.size(), "lanes");
    }
  }

  /**
   * What a batch runs.
   *
   * @param jobs jobs in the batch, the chosen one first
   * @param tokens memory tokens held from decision to completion; 0 for a job that runs outside the
   *     budget
   * @param attempt highest attempt among the jobs, from 1
   */
  public record Work(
      ModelKey model, List<DispatchedJob> jobs, int samples, int tokens, int attempt) {
    public Work {
      jobs = List.copyOf(jobs);
      Checks.atLeast(1, jobs.size(), "jobs");
      Checks.atLeast(1, samples, "samples");
      Checks.atLeast(1, attempt, "attempt");
    }

    /** The first attempt at jobs that all run once. */
    public static Work firstAttempt(ModelKey model, List<DispatchedJob> jobs, int tokens) {
      return new Work(model, jobs, jobs.stream().mapToInt(DispatchedJob::samples).sum(), tokens, 1);
    }
  }

  /**
   * When and why a batch was chosen.
   *
   * @param decidedAtNs log time of the decision
   * @param notAfterNs time after which the executor refuses the batch as {@code too_late}; null: no
   *     limit
   * @param scoreTerms terms of the policy's score, for the record; may be empty
   * @param cancels the batch that the lane runs, which is cancelled for this one; null: it runs
   *     none, or is not to be disturbed
   * @param notBeforeNs time before which the lane does not begin the batch; null: at once
   */
  public record Decision(
      long decidedAtNs,
      @Nullable Long notAfterNs,
      Map<String, Double> scoreTerms,
      @Nullable DispatchId cancels,
      @Nullable Long notBeforeNs) {
    /** A decision without a limit or a score, which cancels nothing. */
    public static Decision at(long decidedAtNs) {
      return new Decision(decidedAtNs, null, Map.of(), null, null);
    }
  }

  /** A job in a batch. Its inputs are made from the run's seed and its id. */
  public record DispatchedJob(String jobId, int samples) {
    public DispatchedJob {
      Checks.atLeast(1, samples, "samples");
    }
  }

  /**
   * The JSON form: the fields of all parts side by side, in the order in which they were added to
   * the event. The order is part of the form.
   */
  record Flat(
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
      @Nullable Integer busyLanes,
      @Nullable DispatchId cancels,
      @Nullable Long notBeforeNs) {
    Flat {
      lanes = List.copyOf(lanes);
      jobs = List.copyOf(jobs);
    }

    @JsonProperty("version")
    int version() {
      return Event.versionOf(BatchDispatched.class);
    }
  }

  @JsonValue
  Flat flat() {
    return new Flat(
        dispatchId,
        place.executorId,
        place.incarnation,
        place.lanes,
        work.model.workload(),
        work.model.backend(),
        work.model.precision(),
        work.jobs,
        work.samples,
        work.tokens,
        work.attempt,
        decision.decidedAtNs,
        decision.notAfterNs,
        prediction.meanNs(),
        prediction.source(),
        decision.scoreTerms,
        prediction.modelVersion(),
        prediction.quantileNs(),
        prediction.p95Ns(),
        prediction.p99Ns(),
        prediction.busyLanes(),
        decision.cancels,
        decision.notBeforeNs);
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static BatchDispatched of(Flat f) {
    return new BatchDispatched(
        f.dispatchId,
        new Place(f.executorId, f.incarnation, f.lanes),
        new Work(
            new ModelKey(f.workload, f.backend, f.precision),
            f.jobs,
            f.samples,
            f.tokens,
            f.attempt),
        new Decision(f.decidedAtNs, f.notAfterNs, f.scoreTerms, f.cancels, f.notBeforeNs),
        new Prediction(
            f.predictedServiceNs,
            f.predictionSource,
            f.busyLanes,
            f.modelVersion,
            f.predictedQuantileNs,
            f.predictedP95Ns,
            f.predictedP99Ns));
  }
}
