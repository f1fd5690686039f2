package dev.sluice.scheduling.workflow;

/** Receives the events of a schedule, in order. */
public interface GraphListener {
  /** A request came. */
  void arrived(long nowNs, int request);

  /** A node was placed on its GPUs. */
  void placed(NodeExecution execution);

  /** A node has ended. */
  void ended(NodeExecution execution);
}
