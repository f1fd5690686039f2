package dev.sluice.executor.model;

import java.util.List;

/**
 * A loaded model as one lane uses it. A session is not thread-safe, so that each lane has its own;
 * sessions of one model may run at the same time. A session must be closed before the {@link
 * LoadedModels} that opened it.
 */
public interface InferenceSession extends AutoCloseable {
  /**
   * Joins the jobs' inputs into one batch, runs it once, and copies the logits back.
   *
   * @param jobs at least one
   * @return [samples of all jobs, in the order of the jobs][classes]
   * @throws InferenceException if the engine refuses or fails; the session stays usable
   */
  float[][] infer(List<JobInput> jobs) throws InferenceException;

  @Override
  void close();
}
