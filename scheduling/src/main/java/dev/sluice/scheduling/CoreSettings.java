package dev.sluice.scheduling;

import java.util.List;
import java.util.Map;

/**
 * What the core must know of the experiment.
 *
 * @param seed for the policy's draws
 * @param classes the job classes, in the order of the experiment
 * @param workloadTokens workload to its base cost in memory tokens
 * @param microbatch null-free: disabled means one job per batch
 * @param admission which jobs are dropped before a policy sees them
 */
public record CoreSettings(
    long seed,
    List<JobClass> classes,
    Map<String, Integer> workloadTokens,
    Microbatch microbatch,
    Admission admission) {
  public CoreSettings {
    classes = List.copyOf(classes);
    workloadTokens = Map.copyOf(workloadTokens);
  }

  /** A class of jobs; a lower priority number is more urgent. */
  public record JobClass(String name, int priority, boolean interactive, boolean microbatch) {}

  /**
   * Joining of compatible jobs.
   *
   * @param enabled whether this run's policy joins jobs
   * @param windowNs how long a set gathers before it is ripe
   * @param maxBatch most samples in one inference
   */
  public record Microbatch(boolean enabled, long windowNs, int maxBatch) {}

  /** Which waiting jobs are dropped, run after each fact before any choice. */
  public enum Admission {
    /** None is. */
    NONE,
    /** Those whose deadline has passed. */
    EXPIRED,
    /** Those that would miss it even alone on the fastest kind of lane. */
    HOPELESS
  }
}
