package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.job.JobSpec;
import java.util.List;
import java.util.Map;

/**
 * A batch that starts on a lane.
 *
 * @param jobs the chosen one first
 * @param tokens tokens that the batch holds from decision to completion
 * @param attempt highest attempt among its jobs, from 1
 * @param notAfterNs time after which the executor refuses the batch as too late; {@link
 *     Long#MAX_VALUE}: no limit
 * @param scoreTerms terms of the policy's score, in their order; may be empty
 */
public record Dispatch(
    DispatchName name,
    String executorId,
    long incarnation,
    List<Integer> lanes,
    List<JobSpec> jobs,
    int samples,
    int tokens,
    int attempt,
    long decidedAtNs,
    long notAfterNs,
    Prediction prediction,
    Map<String, Double> scoreTerms) {}
