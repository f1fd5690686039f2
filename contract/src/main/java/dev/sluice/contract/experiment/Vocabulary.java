package dev.sluice.contract.experiment;

import java.util.List;
import java.util.Map;

/**
 * The names that an experiment file may use, handed in by the caller from the registries.
 *
 * @param schedulers policy name to the names of its weights
 * @param arrivals name of an arrival process to its keys
 * @param workloadTokens built-in workload name to its base cost in memory tokens
 * @param workloadParameters built-in workload name to the size of its parameters
 * @param figures names of the figures that a threshold may bound, whole; for each name that begins
 *     with {@code all_}, a figure of every class is added, for example {@code
 *     interactive_p99_e2e_ms}
 */
public record Vocabulary(
    Map<String, List<String>> schedulers,
    Map<String, ArrivalKeys> arrivals,
    Map<String, Integer> workloadTokens,
    Map<String, Parameters> workloadParameters,
    List<String> figures) {
  /**
   * The size of a network's parameters.
   *
   * @param bytes bytes of all layers
   * @param largestLayer bytes of the largest layer, which is the least memory that the network can
   *     be run in
   */
  public record Parameters(long bytes, long largestLayer) {}

  /** A vocabulary whose workloads have no layers. */
  public Vocabulary(
      Map<String, List<String>> schedulers,
      Map<String, ArrivalKeys> arrivals,
      Map<String, Integer> workloadTokens,
      List<String> figures) {
    this(schedulers, arrivals, workloadTokens, Map.of(), figures);
  }
}
