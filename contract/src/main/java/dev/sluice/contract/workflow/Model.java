package dev.sluice.contract.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A model that nodes of workflows run.
 *
 * @param id its key in the file, by which nodes name it
 * @param name for people
 * @param memoryGb its size on a GPU, at least 0
 * @param gpusRequired how many GPUs it takes at once, at least 1
 * @param loadTimeSeconds how long it takes to load onto an empty GPU, at least 0
 * @param tokensPerSecond null: not given, as the next four
 * @param tokenMean tokens that one execution makes
 * @param inferenceTimeMean seconds that one execution takes
 * @param workload what is run in its place where nodes really run; null: not given, as the next
 * @param backend the engine that runs it
 * @param line where it stands in the system's file
 */
public record Model(
    String id,
    String name,
    double memoryGb,
    int gpusRequired,
    double loadTimeSeconds,
    @Nullable Double tokensPerSecond,
    @Nullable Double tokenMean,
    @Nullable Double tokenStd,
    @Nullable Double inferenceTimeMean,
    @Nullable Double inferenceTimeStd,
    @Nullable Named workload,
    @Nullable Named backend,
    int line) {
  /** A name, and the line that gives it. */
  public record Named(String name, int line) {}
}
