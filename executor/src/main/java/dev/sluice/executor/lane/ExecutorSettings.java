package dev.sluice.executor.lane;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Limits;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an executor: its identity, its lanes and its run.
 *
 * @param incarnation number that rises with each start of the executor
 * @param shard the partition of facts and dispatches that it belongs to
 * @param ahead number of dispatches that a lane holds beside the one that it runs; at least 0
 * @param threadsPerLane intra-op threads that each lane may use
 * @param tokens memory budget that the lanes share; null: no budget
 * @param seed seed of the run, from which inputs and emulated noise are made
 * @param warmUpSamples samples counts to warm up, ascending
 */
public record ExecutorSettings(
    String executorId,
    long incarnation,
    int shard,
    int lanes,
    int ahead,
    int threadsPerLane,
    @Nullable Long tokens,
    long seed,
    int heartbeatMs,
    List<ModelKey> models,
    List<Integer> warmUpSamples) {
  /** Largest number of samples counts to warm up: each costs several inferences per model. */
  static final int COUNTS_MAX = 16;

  public ExecutorSettings {
    if (lanes < 1) {
      throw new IllegalArgumentException("lanes (" + lanes + ") must be at least 1");
    }
    if (ahead < 0) {
      throw new IllegalArgumentException("ahead (" + ahead + ") must be at least 0");
    }
    if (heartbeatMs < 1) {
      throw new IllegalArgumentException("heartbeatMs (" + heartbeatMs + ") must be at least 1");
    }
  }

  public static ExecutorSettings of(
      Experiment experiment, String executorId, long incarnation, int shard) {
    return of(experiment, executorId, incarnation, shard, joins(experiment));
  }

  /** Returns settings with the samples counts to warm up if jobs are joined, or if they are not. */
  public static ExecutorSettings of(
      Experiment experiment, String executorId, long incarnation, int shard, boolean joined) {
    var resources = experiment.resources();
    return new ExecutorSettings(
        executorId,
        incarnation,
        shard,
        experiment.lanes().count(),
        experiment.lanes().ahead(),
        experiment.lanes().threads(),
        resources.enabled() ? Long.valueOf(resources.totalTokens()) : null,
        experiment.seed(),
        experiment.lanes().heartbeatMs(),
        models(experiment),
        warmUpSamples(
            experiment.jobs().batchSizes(),
            joined,
            experiment.scheduling().microbatch().maxBatch()));
  }

  private static boolean joins(Experiment experiment) {
    return experiment.joinsJobs()
        && experiment.jobs().classes().stream().anyMatch(JobClass::microbatch);
  }

  public static NavigableSet<Integer> reachableSamples(Experiment experiment, String workload) {
    var microbatch = experiment.scheduling().microbatch();
    Limits limits = microbatch.models().get(workload);
    return reachable(
        experiment.jobs().batchSizes(),
        joins(experiment),
        limits == null ? microbatch.maxBatch() : limits.maxBatch());
  }

  /**
   * Returns the samples counts to warm up: those that a batch may have. If these are more than
   * {@link #COUNTS_MAX}, the batch sizes, the largest sum, and for each power of two the largest
   * sum that does not exceed it; the scheduler scales the other counts from the nearest one.
   *
   * @param joined whether jobs may be joined, up to maxBatch samples
   * @return ascending, without repetition
   */
  public static List<Integer> warmUpSamples(
      List<Integer> batchSizes, boolean joined, int maxBatch) {
    var counts = reachable(batchSizes, joined, maxBatch);
    if (!joined || counts.size() <= COUNTS_MAX) {
      return List.copyOf(counts);
    }
    var sums = sums(batchSizes, maxBatch);
    var thinned = new TreeSet<>(batchSizes);
    thinned.add(sums.last());
    for (int power = 1; power <= maxBatch; power *= 2) {
      Integer sum = sums.floor(power);
      if (sum != null) {
        thinned.add(sum);
      }
    }
    return List.copyOf(thinned);
  }

  private static NavigableSet<Integer> reachable(
      List<Integer> batchSizes, boolean joined, int maxBatch) {
    var counts = new TreeSet<>(batchSizes);
    if (joined) {
      counts.addAll(sums(batchSizes, maxBatch));
    }
    return counts;
  }

  private static NavigableSet<Integer> sums(List<Integer> batchSizes, int maxBatch) {
    var sums = new TreeSet<>(Set.of(0));
    for (int sum = 1; sum <= maxBatch; sum++) {
      for (int size : batchSizes) {
        if (sums.contains(sum - size)) {
          sums.add(sum);
        }
      }
    }
    sums.remove(0);
    return sums;
  }

  /** A user's own file runs on its own backend alone. */
  public static List<ModelKey> models(Experiment experiment) {
    var models = new ArrayList<ModelKey>();
    for (var workload : experiment.jobs().workloads()) {
      for (String backend : experiment.backendsOf(workload)) {
        for (String precision : experiment.jobs().precisionModes()) {
          models.add(new ModelKey(workload.name(), backend, precision));
        }
      }
    }
    return models;
  }
}
