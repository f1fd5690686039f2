package dev.sluice.layers.runtime;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options of a model's run by layers.
 *
 * @param model name of a built-in network
 * @param budgetBytes bytes that resident layers may take; null: as many as the model has
 * @param bandwidth bytes a second at which reading is paced; null: as fast as the machine reads
 * @param steps number of steps, at least 1
 * @param samples samples of each step, at least 1
 * @param checkFinite true if each layer's parameters are searched for NaN and infinity
 * @param trace folder of the trace; null: none
 */
public record RunOptions(
    String model,
    @Nullable Long budgetBytes,
    AskedSchedule schedule,
    int steps,
    int samples,
    @Nullable Long bandwidth,
    boolean checkFinite,
    @Nullable Path trace) {
  /**
   * Options of a training beside those of every run.
   *
   * @param optimizer sgd or adam
   * @param seed seed of parameters and data
   * @param out folder of the steps that are durable
   * @param resume true if the folder's last step is gone on from
   * @param commitEvery number of steps after which they are made durable, at least 1
   */
  public record Training(String optimizer, long seed, Path out, boolean resume, int commitEvery) {}
}
