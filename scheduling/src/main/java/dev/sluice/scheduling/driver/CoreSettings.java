package dev.sluice.scheduling.driver;

import dev.sluice.scheduling.policy.JobClass;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The core's settings, from the experiment.
 *
 * @param microbatch joining of jobs; if disabled, a batch has one job
 * @param admission rule by which jobs are dropped before a policy sees them
 * @param bounds bounds of the queue
 * @param leases rules by which a lane or an executor counts as lost
 * @param placing where batches may go, and what loading a model costs
 * @param predictor prediction of service times
 */
public record CoreSettings(
    Jobs jobs,
    Microbatch microbatch,
    Admission admission,
    Bounds bounds,
    Leases leases,
    Placing placing,
    Predictor predictor) {
  /**
   * Returns settings without micro-batches, admission, bounds, leases, batches ahead and jobs
   * outside the budget, with running means for predictions and models that are loaded all the time.
   */
  public static CoreSettings of(
      long seed, List<JobClass> classes, Map<String, Integer> workloadTokens) {
    return new CoreSettings(
        new Jobs(seed, classes, workloadTokens),
        Microbatch.OFF,
        Admission.NONE,
        Bounds.NONE,
        Leases.NONE,
        Placing.ALONE,
        Predictor.OFF);
  }

  public CoreSettings with(Microbatch newMicrobatch) {
    return new CoreSettings(jobs, newMicrobatch, admission, bounds, leases, placing, predictor);
  }

  public CoreSettings with(Admission newAdmission) {
    return new CoreSettings(jobs, microbatch, newAdmission, bounds, leases, placing, predictor);
  }

  public CoreSettings with(Bounds newBounds) {
    return new CoreSettings(jobs, microbatch, admission, newBounds, leases, placing, predictor);
  }

  public CoreSettings with(Leases newLeases) {
    return new CoreSettings(jobs, microbatch, admission, bounds, newLeases, placing, predictor);
  }

  public CoreSettings with(Predictor newPredictor) {
    return new CoreSettings(jobs, microbatch, admission, bounds, leases, placing, newPredictor);
  }

  /** Returns settings for a policy that joins jobs at times of its own choice. */
  public CoreSettings withoutWindow() {
    return with(
        new Microbatch(
            microbatch.enabled, 0, microbatch.maxBatch, false, microbatch.limitsByWorkload));
  }

  public CoreSettings with(Placing newPlacing) {
    return new CoreSettings(jobs, microbatch, admission, bounds, leases, newPlacing, predictor);
  }

  /**
   * The jobs that may come.
   *
   * @param seed seed of the policy's draws
   * @param classes the job classes, in the order of the experiment
   * @param workloadTokens base cost in memory tokens, by workload
   */
  public record Jobs(long seed, List<JobClass> classes, Map<String, Integer> workloadTokens) {
    public Jobs {
      classes = List.copyOf(classes);
      workloadTokens = Map.copyOf(workloadTokens);
    }
  }

  /**
   * Where batches may go, and what loading a model costs.
   *
   * @param ahead number of batches that a lane takes beside the one that it runs
   * @param cpuFallback whether a job whose cost alone exceeds every budget runs alone on a lane,
   *     outside the budget; otherwise it is dropped
   * @param switching cost of loading another model onto a lane
   * @param laneBytes memory of each lane, below the sum of the models; 0: lanes hold all models at
   *     once, or one at a time
   */
  public record Placing(int ahead, boolean cpuFallback, Switching switching, long laneBytes) {
    /** One batch at a time, within the budget, at no cost of loading. */
    public static final Placing ALONE = new Placing(0, false, Switching.NONE, 0);

    public Placing {
      if (ahead < 0) {
        throw new IllegalArgumentException("ahead (" + ahead + ") must be at least 0");
      }
      if (laneBytes > 0 && ahead > 0) {
        throw new IllegalArgumentException("lanes with a memory take no batch ahead");
      }
    }
  }

  /**
   * Joining of compatible jobs.
   *
   * @param enabled whether this run's policy joins jobs
   * @param windowNs time for which a set gathers jobs before it is ripe
   * @param maxBatch most samples in one inference
   * @param respectDeadlines whether a batch takes no job that would make a member miss its
   *     deadline, by the upper quantile of its service time
   * @param limitsByWorkload sizes of single models' batches
   */
  public record Microbatch(
      boolean enabled,
      long windowNs,
      int maxBatch,
      boolean respectDeadlines,
      Map<String, BatchLimits> limitsByWorkload) {
    /** No joining: every job runs alone. */
    public static final Microbatch OFF = new Microbatch(false, 0, 1);

    public Microbatch {
      limitsByWorkload = Map.copyOf(limitsByWorkload);
    }

    /** Returns the most samples in one inference of a model. */
    public int maxBatch(String workload) {
      BatchLimits limits = limitsByWorkload.get(workload);
      return limits == null ? maxBatch : Math.min(maxBatch, limits.maxBatch);
    }

    /** Returns the batch sizes that are preferred for a model, ascending. */
    public List<Integer> preferred(String workload) {
      BatchLimits limits = limitsByWorkload.get(workload);
      return limits == null ? List.of() : limits.preferred;
    }

    /** Makes settings without regard to deadlines, with one limit for all models. */
    public Microbatch(boolean enabled, long windowNs, int maxBatch) {
      this(enabled, windowNs, maxBatch, false, Map.of());
    }
  }

  /**
   * Sizes of the batches of one model.
   *
   * @param maxBatch most samples
   * @param preferred sizes that a policy should form if it can, ascending
   */
  public record BatchLimits(int maxBatch, List<Integer> preferred) {
    public BatchLimits {
      preferred = List.copyOf(preferred);
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
     * Jobs that would miss their deadline even alone on the fastest lane, by the upper quantile, or
     * by the predicted mean where too little is known for a quantile.
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
