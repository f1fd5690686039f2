package dev.sluice.executor.lane;

import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.value.ModelKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lane's way to run batches. Used, and closed, by that lane's thread alone. */
public interface LaneWork extends AutoCloseable {
  /**
   * Makes the lane hold a model: releases the model that it holds instead, loads the new one, and
   * warms it up to its usual speed.
   *
   * @return time taken; 0 if the lane held the model already
   */
  default long hold(ModelKey model) throws Exception {
    return 0;
  }

  /** Returns whether it can {@link #load} and {@link #evict} on another thread, beside a batch. */
  default boolean loadsBeside() {
    return false;
  }

  /**
   * Loads a model into the lane's memory, beside what it holds, up to its usual speed.
   *
   * @return when a batch of it could start, by the process's monotonic clock
   */
  default long load(ModelKey model) throws Exception {
    throw new UnsupportedOperationException("lanes hold all models");
  }

  default void evict(ModelKey model) {}

  default void release() {}

  /**
   * Prepares a batch: all work that happens before its service time begins. The previous batch is
   * over by then and is not run again.
   *
   * @param jobs the chosen one first
   * @param attempt highest attempt among the jobs, from 1
   */
  PreparedBatch prepare(ModelKey model, List<DispatchedJob> jobs, int attempt) throws Exception;

  /**
   * Runs a model for the first time on this lane, untimed, if the lane holds it: first inferences
   * take longer, and may run beside other work.
   */
  default void start(ModelKey model, int samples) throws Exception {}

  WarmUpTiming warmUp(ModelKey model, int samples) throws Exception;

  /** Warms up on a model that the first lane has warmed up; the counts ascend. */
  default void follow(ModelKey model, List<Integer> samplesCounts) throws Exception {}

  @Override
  default void close() {}

  interface PreparedBatch {
    /** Joins the inputs, infers, copies the logits back: the service time. */
    void run() throws Exception;

    /** Returns each job's top classes after the run; none if emulated. */
    default List<JobResult> results() {
      return List.of();
    }

    /** Ends an emulated batch early, now or as soon as it runs; from any thread. */
    default void cancel() {
      throw new UnsupportedOperationException("a real lane cannot be interrupted");
    }

    /** Null: real. Call it after the run. */
    default @Nullable Long emulatedServiceNs() {
      return null;
    }
  }

  /**
   * The result of a warm-up.
   *
   * @param cpuCores processor time of the whole process divided by the elapsed time; null: unknown
   */
  record WarmUpTiming(long serviceNs, @Nullable Double cpuCores) {}
}
