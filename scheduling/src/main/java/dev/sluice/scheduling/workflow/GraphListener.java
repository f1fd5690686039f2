package dev.sluice.scheduling.workflow;

import org.jspecify.annotations.Nullable;

/** Receives the events of a schedule, in order. */
public interface GraphListener {
  /** A request came. */
  void arrived(long nowNs, int request);

  /**
   * A node was placed on its GPUs.
   *
   * @param resident the model that its first GPU held; null: none
   */
  void placed(NodeExecution execution, @Nullable String resident);

  /** A node has ended. */
  void ended(NodeExecution execution);

  /** All nodes of a request have ended. */
  void completed(long nowNs, int request);
}
