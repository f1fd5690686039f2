package dev.sluice.executor.model;

import dev.sluice.executor.network.SeededFloats;

/** Makes the inputs of jobs: random numbers that are a function of the run's seed and the job. */
public final class JobInputs {
  /** Half the width of a uniform distribution around 0 of variance 1. */
  private static final float HALF_WIDTH = 1.7320508f;

  private JobInputs() {}

  /**
   * The input of a job: independent values, uniform in ±√3, so of mean 0 and variance 1. The same
   * arguments give the same values on every machine. Two nanoseconds a value.
   *
   * @param samples at least 1
   * @param elementsPerSample the product of the model's input shape, at least 1
   */
  public static JobInput make(long seed, String jobId, int samples, int elementsPerSample) {
    return make(seed, jobId, samples, new float[Math.multiplyExact(samples, elementsPerSample)]);
  }

  /**
   * The same in an array that stands ready: to get a new one may take longer than to fill it.
   *
   * @param values of the input's size; what was in it is lost
   */
  public static JobInput make(long seed, String jobId, int samples, float[] values) {
    SeededFloats.fill(SeededFloats.mix(seed ^ SeededFloats.hash(jobId)), HALF_WIDTH, values);
    return new JobInput(jobId, samples, values);
  }
}
