package dev.sluice.executor.model;

import dev.sluice.contract.value.SplitMix64;
import dev.sluice.executor.network.SeededFloats;

/**
 * The input of one job: random numbers that are a function of the run's seed and the job. Its
 * values must only be read.
 *
 * @param samples number of samples, at least 1
 * @param values samples × the elements of the model's inputs, sample after sample, each with its
 *     inputs one after the other; uniform in ±√3, whatever values the model wants
 */
@SuppressWarnings("ArrayRecordComponent") // 600 kB a sample: a copy or boxing would cost the lanes
public record JobInput(String jobId, int samples, float[] values) {
  /** Half the width of a uniform distribution around 0 of variance 1. */
  static final float HALF_WIDTH = 1.7320508f;

  public JobInput {
    if (samples < 1 || values.length == 0 || values.length % samples != 0) {
      throw new IllegalArgumentException(
          "values (" + values.length + ") do not divide into samples (" + samples + ")");
    }
  }

  /**
   * Makes the input of a job: independent values, uniform in ±√3, so of mean 0 and variance 1.
   * Equal arguments give equal values on every machine. Takes about two nanoseconds a value.
   */
  public static JobInput make(long seed, String jobId, int samples, int elementsPerSample) {
    return make(seed, jobId, samples, new float[Math.multiplyExact(samples, elementsPerSample)]);
  }

  /** Fills an existing array: to allocate a new one may take longer. */
  public static JobInput make(long seed, String jobId, int samples, float[] values) {
    SeededFloats.fill(SplitMix64.finish(seed ^ SeededFloats.hash(jobId)), HALF_WIDTH, values);
    return new JobInput(jobId, samples, values);
  }
}
