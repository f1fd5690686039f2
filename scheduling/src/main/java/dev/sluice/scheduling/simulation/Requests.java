package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.JobRequested;
import org.jspecify.annotations.Nullable;

/** The jobs that generators send, one after the other, so that they need not all be in memory. */
public interface Requests {
  /**
   * Returns the next job of a generator, sent as it is intended; null: the generator has sent all
   * of its jobs. Indexes rise, intended arrivals do not fall; job i goes to shard i modulo their
   * number.
   */
  @Nullable JobRequested next(int generator);

  /**
   * Returns whether the next job arrives when the one before it has ended, never late. There is one
   * generator then; {@link #next} gives its first job, and {@link #nextAt} each other one.
   */
  default boolean oneAtATime() {
    return false;
  }

  /** Returns the next job, meant to arrive at a time; null: none is left, or it were too late. */
  default @Nullable JobRequested nextAt(long intendedAtNs) {
    throw new IllegalStateException("jobs arrive at times of their own");
  }

  /**
   * Returns whether a job is measured; arrivals go on until every measured job has ended, at most
   * to the tail's end.
   */
  boolean isMeasured(String jobId);
}
