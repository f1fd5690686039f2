package dev.sluice.executor.model;

import static java.util.Objects.requireNonNull;

/**
 * The input of one job. Its values must only be read.
 *
 * @param samples number of samples, at least 1
 * @param values samples × the elements of the model's inputs, sample after sample, each with its
 *     inputs one after the other; uniform in ±√3, whatever values the model wants
 */
@SuppressWarnings("ArrayRecordComponent") // 600 kB a sample: a copy or boxing would cost the lanes
public record JobInput(String jobId, int samples, float[] values) {
  public JobInput {
    requireNonNull(jobId, "jobId");
    if (samples < 1 || values.length == 0 || values.length % samples != 0) {
      throw new IllegalArgumentException(
          "values (" + values.length + ") do not divide into samples (" + samples + ")");
    }
  }
}
