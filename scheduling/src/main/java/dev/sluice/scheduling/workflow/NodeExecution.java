package dev.sluice.scheduling.workflow;

/**
 * A node of a request on its GPUs.
 *
 * @param request its place among the requests
 * @param node its place in its graph
 * @param gpu the first of its GPUs; the others have the next ids
 * @param readyAtNs when its inputs had ended and its request had come
 * @param switchNs how long its GPUs were held before it started, until they held its model
 * @param replaces whether what it waited for was a change from another model, not a first load
 * @param startedAtNs after the switch
 * @param batch the number of the batch in which it ran; nodes that shared one have equal numbers,
 *     and only the first of them is said to have waited for the switch
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
  /** Returns when it was placed on its GPUs, which it holds from then on. */
  public long heldAtNs() {
    return startedAtNs - switchNs;
  }

  /** Returns when it gave its GPUs back. */
  public long endedAtNs() {
    return startedAtNs + executionNs;
  }

  /** Returns how long it waited for GPUs. */
  public long waitingNs() {
    return heldAtNs() - readyAtNs;
  }
}
