package dev.sluice.executor.model;

/** Makes the inputs of jobs: random numbers that are a function of the run's seed and the job. */
public final class JobInputs {
  /** Half the width of a uniform distribution around 0 of variance 1. */
  private static final float HALF_WIDTH = 1.7320508f;

  private JobInputs() {}

  /**
   * The input of a job: independent values, uniform in ±√3, so of mean 0 and variance 1. The same
   * arguments give the same values on every machine. About a nanosecond and 4 bytes a value.
   *
   * @param samples at least 1
   * @param elementsPerSample the product of the model's input shape, at least 1
   */
  public static JobInput make(long seed, String jobId, int samples, int elementsPerSample) {
    var values = new float[Math.multiplyExact(samples, elementsPerSample)];
    SeededFloats.fill(SeededFloats.mix(seed ^ SeededFloats.hash(jobId)), HALF_WIDTH, values);
    return new JobInput(jobId, samples, values);
  }
}
