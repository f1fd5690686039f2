package dev.sluice.executor.lane;

import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.value.ModelKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one lane runs batches. Used, and closed, by that lane's thread alone. */
public interface LaneWork extends AutoCloseable {
  /**
   * Makes the lane hold the model: releases what it holds instead, loads it, and gets it ready to
   * run at its usual speed.
   *
   * @return how long that took; 0: it held the model
   */
  default long hold(ModelKey model) throws Exception {
    return 0;
  }

  /** Lets go of a model that {@link #hold} loaded. */
  default void release() {}

  /**
   * Makes the batch ready to run: all that happens before its service time begins. The one before
   * is over by then, and is not run again.
   *
   * @param jobs the chosen one first
   * @param attempt the highest among the jobs, from 1
   */
  PreparedBatch prepare(ModelKey model, List<DispatchedJob> jobs, int attempt) throws Exception;

  /** Warms up on batches of that number of samples, and returns the service time of one. */
  WarmUpTiming warmUp(ModelKey model, int samples) throws Exception;

  /**
   * Gets used to a model that the first lane is warm with.
   *
   * @param samplesCounts of the batches to come, ascending
   */
  void follow(ModelKey model, List<Integer> samplesCounts) throws Exception;

  @Override
  void close();

  /** A batch about to start. */
  interface PreparedBatch {
    /** Joins, infers and copies back; its duration is the service time. */
    void run() throws Exception;

    /** After the run: each job's top classes, in the order of the jobs; empty if emulated. */
    List<JobResult> results();

    /** After the run: how long it was meant to take; null if real. */
    @Nullable Long emulatedServiceNs();
  }

  /**
   * What a warm-up showed.
   *
   * @param serviceNs at least 1
   * @param cpuCores processor time of the whole process divided by the time taken; null: unknown
   */
  record WarmUpTiming(long serviceNs, @Nullable Double cpuCores) {}
}
