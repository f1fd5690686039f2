package dev.sluice.contract.workflow;

/**
 * One request for a workflow. It keeps little, because there may be millions.
 *
 * @param id the id, which no other request has
 * @param timestampEpochNs nanoseconds since 1970; a timestamp without a zone is taken as UTC
 * @param givenSeconds seconds by node; NaN for a node without a given time. Empty: no time is given
 * @param line the line of the request's timestamp in its file
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record WorkflowRequest(
    String id, long timestampEpochNs, Workflow workflow, double[] givenSeconds, int line) {
  /**
   * The time of a node in {@code node_execution_times}, in seconds, at least 0; NaN: not given.
   *
   * @param node index of the node in {@link Workflow#nodes()}
   */
  public double executionSeconds(int node) {
    return givenSeconds.length == 0 ? Double.NaN : givenSeconds[node];
  }

  @Override
  public String toString() {
    return id;
  }
}
