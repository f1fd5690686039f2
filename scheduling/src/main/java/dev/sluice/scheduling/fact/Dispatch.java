package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;
import java.util.Map;

/** A batch that starts on a lane. */
public record Dispatch(
    DispatchName name, Place place, Work work, Decision decision, Prediction prediction) {
  /**
   * Where the batch runs.
   *
   * @param lanes indexes of the executor's lanes, the first one first
   */
  public record Place(String executorId, long incarnation, List<Integer> lanes) {}

  /**
   * What the batch holds.
   *
   * @param jobs jobs of the batch, the chosen one first
   * @param samples samples of all jobs together
   * @param tokens tokens that the batch holds from decision to completion
   * @param attempt highest attempt among its jobs, from 1
   */
  public record Work(List<JobSpec> jobs, int samples, int tokens, int attempt) {}

  /**
   * Why and when the batch was chosen.
   *
   * @param notAfterNs time after which the executor refuses the batch as too late; {@link
   *     Long#MAX_VALUE}: no limit
   * @param scoreTerms terms of the policy's score, in their order; may be empty
   */
  public record Decision(long decidedAtNs, long notAfterNs, Map<String, Double> scoreTerms) {}

  public String executorId() {
    return place.executorId;
  }

  public long incarnation() {
    return place.incarnation;
  }

  public List<Integer> lanes() {
    return place.lanes;
  }

  public List<JobSpec> jobs() {
    return work.jobs;
  }

  public int samples() {
    return work.samples;
  }

  public int tokens() {
    return work.tokens;
  }

  public int attempt() {
    return work.attempt;
  }

  public long decidedAtNs() {
    return decision.decidedAtNs;
  }

  public long notAfterNs() {
    return decision.notAfterNs;
  }

  public Map<String, Double> scoreTerms() {
    return decision.scoreTerms;
  }
}
