package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.job.JobSpec;
import org.jspecify.annotations.Nullable;

/** The jobs that generators send, one after the other, so that not all need be in memory. */
public interface Requests {
  /**
   * Returns the next job of that generator; null: it has sent all. Its source is the generator,
   * indexes rise, intended arrivals do not fall; job i goes to shard i modulo their number.
   */
  @Nullable JobSpec next(int generator);

  /** Returns whether arrivals go on until that job has ended, at most to the tail's end. */
  boolean isMeasured(String jobId);
}
