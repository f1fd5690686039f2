package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.job.JobClass;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The core's settings, from the experiment.
 *
 * @param seed seed of the policy's draws
 * @param classes the job classes, in the order of the experiment
 * @param workloadTokens base cost in memory tokens, by workload
 * @param microbatch joining of jobs; if disabled, a batch has one job
 * @param admission rule by which jobs are dropped before a policy sees them
 * @param bounds of the queue
 * @param leases rules by which a lane or an executor counts as lost
 * @param ahead number of batches that a lane takes beside the one that it runs
 * @param cpuFallback whether a job whose cost alone exceeds every budget runs alone on a lane,
 *     outside the budget; otherwise it is dropped
 * @param predictor prediction of service times
 * @param switching cost of loading another model onto a lane
 */
public record CoreSettings(
    long seed,
    List<JobClass> classes,
    Map<String, Integer> workloadTokens,
    Microbatch microbatch,
    Admission admission,
    Bounds bounds,
    Leases leases,
    int ahead,
    boolean cpuFallback,
    Predictor predictor,
    Switching switching) {
  public CoreSettings {
    classes = List.copyOf(classes);
    workloadTokens = Map.copyOf(workloadTokens);
    if (ahead < 0) {
      throw new IllegalArgumentException("ahead (" + ahead + ") must be at least 0");
    }
  }

  /**
   * Returns settings without micro-batches, admission, bounds, leases, batches ahead and jobs
   * outside the budget, with running means for predictions and models that are loaded all the time.
   */
  public static CoreSettings of(
      long seed, List<JobClass> classes, Map<String, Integer> workloadTokens) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        Microbatch.OFF,
        Admission.NONE,
        Bounds.NONE,
        Leases.NONE,
        0,
        false,
        Predictor.OFF,
        Switching.NONE);
  }

  public CoreSettings with(Microbatch newMicrobatch) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        newMicrobatch,
        admission,
        bounds,
        leases,
        ahead,
        cpuFallback,
        predictor,
        switching);
  }

  public CoreSettings with(Admission newAdmission) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        newAdmission,
        bounds,
        leases,
        ahead,
        cpuFallback,
        predictor,
        switching);
  }

  public CoreSettings with(Bounds newBounds) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        newBounds,
        leases,
        ahead,
        cpuFallback,
        predictor,
        switching);
  }

  public CoreSettings with(Leases newLeases) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        bounds,
        newLeases,
        ahead,
        cpuFallback,
        predictor,
        switching);
  }

  public CoreSettings withAhead(int newAhead) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        bounds,
        leases,
        newAhead,
        cpuFallback,
        predictor,
        switching);
  }

  public CoreSettings withCpuFallback(boolean newCpuFallback) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        bounds,
        leases,
        ahead,
        newCpuFallback,
        predictor,
        switching);
  }

  public CoreSettings with(Predictor newPredictor) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        bounds,
        leases,
        ahead,
        cpuFallback,
        newPredictor,
        switching);
  }

  public CoreSettings with(Switching newSwitching) {
    return new CoreSettings(
        seed,
        classes,
        workloadTokens,
        microbatch,
        admission,
        bounds,
        leases,
        ahead,
        cpuFallback,
        predictor,
        newSwitching);
  }

  /**
   * Joining of compatible jobs.
   *
   * @param enabled whether this run's policy joins jobs
   * @param windowNs time for which a set gathers jobs before it is ripe
   * @param maxBatch most samples in one inference
   * @param respectDeadlines whether a batch takes no job that would make a member miss its
   *     deadline, by the upper quantile of its service time
   */
  public record Microbatch(boolean enabled, long windowNs, int maxBatch, boolean respectDeadlines) {
    /** No joining: every job runs alone. */
    public static final Microbatch OFF = new Microbatch(false, 0, 1);

    /** Makes settings without regard to deadlines. */
    public Microbatch(boolean enabled, long windowNs, int maxBatch) {
      this(enabled, windowNs, maxBatch, false);
    }
  }

  /**
   * Prediction of service times.
   *
   * @param enabled false: running means alone, without quantiles; published tables are ignored
   * @param quantile the probability with which the upper bound of decisions holds, in (0, 1)
   */
  public record Predictor(boolean enabled, double quantile) {
    public static final Predictor OFF = new Predictor(false, 0.95);

    public Predictor {
      if (!(quantile > 0 && quantile < 1)) {
        throw new IllegalArgumentException("quantile (" + quantile + ") must be in (0, 1)");
      }
    }
  }

  /** Cost of loading another model onto a lane; equal questions have equal answers. */
  @FunctionalInterface
  public interface Switching {
    /** No cost, since lanes hold all models that they can run. */
    Switching NONE = (resident, workload) -> 0;

    /**
     * Returns how long a lane that holds one model takes to load another.
     *
     * @param resident workload that the lane holds; null: none
     */
    long switchNs(@Nullable String resident, String workload);
  }

  /** The rule by which waiting jobs are dropped, applied after each fact and before any choice. */
  public enum Admission {
    /** No job is dropped. */
    NONE,
    /** Jobs whose deadline has passed are dropped. */
    EXPIRED,
    /**
     * Jobs that would miss their deadline even alone on the fastest lane, by the upper quantile.
     */
    HOPELESS
  }

  /**
   * Bounds of the queue, beside the admission.
   *
   * @param maxWaiting number of waiting jobs at which an arriving job is dropped as queue_full;
   *     jobs that come back from a lane are not dropped. {@link Integer#MAX_VALUE}: no bound
   * @param expireAfterNs time after its append at which a job that still waits is dropped as
   *     waited_too_long; {@link Long#MAX_VALUE}: no bound
   */
  public record Bounds(int maxWaiting, long expireAfterNs) {
    public static final Bounds NONE = new Bounds(Integer.MAX_VALUE, Long.MAX_VALUE);
  }

  /**
   * The rules by which a lane or an executor counts as lost.
   *
   * @param heartbeatNs interval of executors' reports, above 0; at most this much counts toward a
   *     lease between two consecutive facts
   * @param leaseNs time without a report after which an executor is lost; {@link Long#MAX_VALUE}:
   *     no executor is ever lost, and no batch is overdue
   * @param maxAttempts number of lost dispatches, at least 1, after which a job fails
   */
  public record Leases(long heartbeatNs, long leaseNs, int maxAttempts) {
    public static final Leases NONE = new Leases(Long.MAX_VALUE, Long.MAX_VALUE, 3);

    public Leases {
      if (heartbeatNs < 1 || leaseNs < 1 || maxAttempts < 1) {
        throw new IllegalArgumentException(
            "heartbeatNs (%d), leaseNs (%d) and maxAttempts (%d) must be at least 1"
                .formatted(heartbeatNs, leaseNs, maxAttempts));
      }
    }
  }
}
