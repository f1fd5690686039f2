package dev.sluice.scheduling.simulation;

/**
 * A node of a request on its GPUs.
 *
 * @param gpu the first of its GPUs; the others have the next ids
 * @param readyAtNs when all inputs of the node had ended and its request had come
 * @param switchNs how long the node held its GPUs before it started, to load its model
 * @param replaces whether the load replaced another model; false for a first load
 * @param startedAtNs after the switch
 * @param batch number of its batch; of nodes that share one, only the first waited for the switch
 */
public record NodeExecution(
    int request,
    int node,
    int gpu,
    int gpus,
    long readyAtNs,
    long switchNs,
    boolean replaces,
    long startedAtNs,
    long executionNs,
    long batch) {
  /** Returns when the node was placed on its GPUs, which it holds from then on. */
  public long heldAtNs() {
    return startedAtNs - switchNs;
  }

  public long endedAtNs() {
    return startedAtNs + executionNs;
  }

  public long waitingNs() {
    return heldAtNs() - readyAtNs;
  }
}
