package dev.sluice.contract.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A model that nodes of workflows run, without what its file says for people alone.
 *
 * @param id its key in the file, by which nodes name it
 * @param memoryGb size on a GPU, at least 0
 * @param gpusRequired number of GPUs that it takes at once, at least 1
 * @param loadTimeSeconds time to load it onto an empty GPU, at least 0
 * @param tokensPerSecond tokens that it makes in a second; null: not given
 * @param tokenMean tokens that one execution makes; null: not given
 * @param inferenceTimeMean seconds that one execution takes; null: not given
 * @param workload workload that runs in its place where nodes really run; null: not given
 * @param backend engine that runs the workload; null: not given
 * @param line line of the system's file at which it begins
 */
public record Model(
    String id,
    double memoryGb,
    int gpusRequired,
    double loadTimeSeconds,
    @Nullable Double tokensPerSecond,
    @Nullable Double tokenMean,
    @Nullable Double inferenceTimeMean,
    @Nullable Named workload,
    @Nullable Named backend,
    int line) {
  /** A name, and the line that gives it. */
  public record Named(String name, int line) {}
}
