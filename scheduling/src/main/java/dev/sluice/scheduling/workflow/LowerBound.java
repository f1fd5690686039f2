package dev.sluice.scheduling.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.policy.JobGraph;
import java.util.List;

/**
 * Lower bounds that no schedule can beat, even if models were loaded in no time.
 *
 * @param makespanNs earliest end of the last node: all work shared evenly among the GPUs, or the
 *     longest path through a request from its arrival
 * @param meanCompletionNs mean over requests of the longest path through each
 */
public record LowerBound(long makespanNs, double meanCompletionNs) {
  /** Returns the bounds for a list of requests; both are 0 for an empty list. */
  public static LowerBound of(List<WorkflowRequested> requests, int gpus) {
    double workNs = 0;
    long latestNs = 0;
    double pathsNs = 0;
    for (WorkflowRequested request : requests) {
      long longestNs = 0;
      for (long pathNs : new JobGraph(request.nodes()).pathsNs()) {
        longestNs = Math.max(longestNs, pathNs);
      }
      for (WorkflowRequested.Node node : request.nodes()) {
        workNs += (double) node.expectedNs() * node.lanes();
      }
      latestNs = Math.max(latestNs, request.intendedAtNs() + longestNs);
      pathsNs += longestNs;
    }
    return new LowerBound(
        Math.max(latestNs, (long) (workNs / gpus)), pathsNs / Math.max(1, requests.size()));
  }
}
