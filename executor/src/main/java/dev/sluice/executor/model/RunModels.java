package dev.sluice.executor.model;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Workloads.WorkloadInfo;

/** The models of a run, of which lanes open sessions. May be used from many threads. */
public interface RunModels {
  /**
   * Opens a session for one lane.
   *
   * @param lane number of the lane, from 0, which selects one of several devices
   * @param buffer buffer of the lane, shared by its sessions
   * @throws InferenceException if the model must be loaded for this session and cannot be
   * @throws IllegalArgumentException if there is no such model
   */
  InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
      throws InferenceException;

  /** Returns whether a lane shares the first lane's loaded model, on one device. */
  boolean isOneWithTheFirst(ModelKey model, int lane);

  /**
   * Returns the size and cost of a model.
   *
   * @throws IllegalArgumentException if there is no such model
   */
  WorkloadInfo info(ModelKey model);
}
