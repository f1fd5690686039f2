package dev.sluice.executor.model;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Workloads.WorkloadInfo;

/** The models of a run, of which lanes open sessions. May be used from many threads. */
public interface RunModels {
  /** The lane's number selects one of several devices; its sessions share the buffer. */
  InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
      throws InferenceException;

  /** Returns whether a lane shares the first lane's loaded model, on one device. */
  boolean isOneWithTheFirst(ModelKey model, int lane);

  /** Fails if there is no such model, as all methods here. */
  WorkloadInfo info(ModelKey model);
}
