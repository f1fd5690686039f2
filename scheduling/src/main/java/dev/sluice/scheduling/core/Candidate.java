package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.JobSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A waiting job that could start now.
 *
 * @param score sum of its terms, by which the policy orders such jobs; null: it orders them by no
 *     score
 * @param terms terms of the score, in their order; empty without a score
 * @param executorId executor on whose lane it could start
 * @param lane index of that lane; a gang takes the next ones too
 */
public record Candidate(
    JobSpec job, @Nullable Double score, Map<String, Double> terms, String executorId, int lane) {}
