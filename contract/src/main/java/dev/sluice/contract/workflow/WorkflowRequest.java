package dev.sluice.contract.workflow;

/** One request for a workflow. It keeps little, because there may be millions. */
public final class WorkflowRequest {
  private final String id;
  private final long timestampEpochNs;
  private final Workflow workflow;

  /** Seconds by node; NaN for a node without a given time. Empty: no time is given. */
  private final double[] executionSeconds;

  private final int line;

  WorkflowRequest(
      String id, long timestampEpochNs, Workflow workflow, double[] executionSeconds, int line) {
    this.id = id;
    this.timestampEpochNs = timestampEpochNs;
    this.workflow = workflow;
    this.executionSeconds = executionSeconds;
    this.line = line;
  }

  /** The id, which no other request has. */
  public String id() {
    return id;
  }

  /** The timestamp, in nanoseconds since 1970; a timestamp without a zone is taken as UTC. */
  public long timestampEpochNs() {
    return timestampEpochNs;
  }

  public Workflow workflow() {
    return workflow;
  }

  /**
   * The time of a node in {@code node_execution_times}, in seconds, at least 0; NaN: not given.
   *
   * @param node index of the node in {@link Workflow#nodes()}
   */
  public double executionSeconds(int node) {
    return executionSeconds.length == 0 ? Double.NaN : executionSeconds[node];
  }

  /** The line of the request's timestamp in its file. */
  public int line() {
    return line;
  }

  @Override
  public String toString() {
    return id;
  }
}
