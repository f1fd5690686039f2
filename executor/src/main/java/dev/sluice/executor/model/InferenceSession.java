package dev.sluice.executor.model;

import java.util.List;

/**
 * A loaded model as one lane uses it. A session is not thread-safe, so that each lane has its own;
 * sessions of one model may run at the same time. A session must be closed before the {@link
 * LoadedModels} that opened it.
 */
public interface InferenceSession extends AutoCloseable {
  /**
   * Joins the inputs of at least one job into one batch, runs it, and copies the logits back,
   * [samples in the order of the jobs][classes]. The session stays usable after a failure.
   */
  float[][] infer(List<JobInput> jobs) throws InferenceException;

  @Override
  void close();
}
