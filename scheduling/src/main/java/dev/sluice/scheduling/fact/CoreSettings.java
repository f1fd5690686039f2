package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.job.JobClass;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the core must know of the experiment.
 *
 * @param seed for the policy's draws
 * @param classes the job classes, in the order of the experiment
 * @param workloadTokens workload to its base cost in memory tokens
 * @param microbatch how jobs are joined; disabled: one job a batch
 * @param admission which jobs are dropped before a policy sees them
 * @param bounds of the queue
 * @param leases when a lane or an executor counts as lost
 * @param ahead how many batches a lane takes beside the one that it runs
 * @param cpuFallback whether a job whose cost alone exceeds every budget runs alone on a lane,
 *     outside the budget; otherwise it is dropped
 * @param predictor what predicts service times
 * @param switching what loading another model onto a lane costs
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
   * @param windowNs how long a set gathers before it is ripe
   * @param maxBatch most samples in one inference
   * @param respectDeadlines whether a batch takes no job that would make a member miss its
   *     deadline, by the upper quantile of its service time
   */
  public record Microbatch(boolean enabled, long windowNs, int maxBatch, boolean respectDeadlines) {
    /** Every job alone. */
    public static final Microbatch OFF = new Microbatch(false, 0, 1);

    /** Without regard to deadlines. */
    public Microbatch(boolean enabled, long windowNs, int maxBatch) {
      this(enabled, windowNs, maxBatch, false);
    }
  }

  /**
   * What predicts service times.
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

  /** What it costs to load another model onto a lane; equal when asked twice. */
  @FunctionalInterface
  public interface Switching {
    /** It costs nothing, since lanes hold all that they can run. */
    Switching NONE = (resident, workload) -> 0;

    /**
     * How long a lane that holds one model takes until it holds another.
     *
     * @param resident the workload that it holds; null: none
     */
    long switchNs(@Nullable String resident, String workload);
  }

  /** Which waiting jobs are dropped, run after each fact before any choice. */
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
   * @param maxWaiting a job that arrives while this many wait is dropped as queue_full; jobs that
   *     come back from a lane are not. {@link Integer#MAX_VALUE}: no bound
   * @param expireAfterNs a job that waits longer than this after its append is dropped as
   *     waited_too_long; {@link Long#MAX_VALUE}: no bound
   */
  public record Bounds(int maxWaiting, long expireAfterNs) {
    public static final Bounds NONE = new Bounds(Integer.MAX_VALUE, Long.MAX_VALUE);
  }

  /**
   * When a lane or an executor counts as lost.
   *
   * @param heartbeatNs how often executors report, above 0; at most this much counts toward a lease
   *     between two consecutive facts
   * @param leaseNs an executor that has not reported for this long is lost; {@link Long#MAX_VALUE}:
   *     none ever is, and no batch is overdue
   * @param maxAttempts how many dispatches of a job may be lost, at least 1, before it fails
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
