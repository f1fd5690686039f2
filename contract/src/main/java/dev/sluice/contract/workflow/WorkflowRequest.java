package dev.sluice.contract.workflow;

/** One request for a workflow. There may be millions, so that it keeps little. */
public final class WorkflowRequest {
  private final String id;
  private final long timestampEpochNs;
  private final Workflow workflow;

  /** By node; NaN where none is given. Empty: none is. */
  private final double[] executionSeconds;

  WorkflowRequest(String id, long timestampEpochNs, Workflow workflow, double[] executionSeconds) {
    this.id = id;
    this.timestampEpochNs = timestampEpochNs;
    this.workflow = workflow;
    this.executionSeconds = executionSeconds;
  }

  /** Unlike that of any other request. */
  public String id() {
    return id;
  }

  /** Its timestamp, in nanoseconds since 1970; one without a zone is taken as UTC. */
  public long timestampEpochNs() {
    return timestampEpochNs;
  }

  public Workflow workflow() {
    return workflow;
  }

  /**
   * What {@code node_execution_times} says of a node, in seconds, at least 0; NaN: nothing.
   *
   * @param node its place in {@link Workflow#nodes()}
   */
  public double executionSeconds(int node) {
    return executionSeconds.length == 0 ? Double.NaN : executionSeconds[node];
  }

  @Override
  public String toString() {
    return id;
  }
}
