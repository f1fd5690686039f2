package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.policy.JobName;
import dev.sluice.scheduling.policy.JobSpec;
import org.jspecify.annotations.Nullable;

/** The jobs that generators send, one after the other, so that they need not all be in memory. */
public interface Requests {
  /**
   * Returns the next job of a generator; null: the generator has sent all of its jobs. Its source
   * is the generator, indexes rise, intended arrivals do not fall; job i goes to shard i modulo
   * their number.
   */
  @Nullable JobSpec next(int generator);

  /**
   * Returns whether the next job arrives when the one before it has ended, never late. There is one
   * generator then; {@link #next} gives its first job, and {@link #nextAt} each other one.
   */
  default boolean oneAtATime() {
    return false;
  }

  /**
   * Returns the next job, meant to arrive at a time; null: there is none, or it would come too
   * late.
   */
  default @Nullable JobSpec nextAt(long intendedAtNs) {
    throw new IllegalStateException("jobs arrive at times of their own");
  }

  /**
   * Returns whether a job is measured; arrivals go on until every measured job has ended, at most
   * to the tail's end.
   */
  boolean isMeasured(JobName job);
}
