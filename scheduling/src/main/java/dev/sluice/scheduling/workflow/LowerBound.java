package dev.sluice.scheduling.workflow;

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
  public static LowerBound of(List<GraphRequest> requests, int gpus) {
    double workNs = 0;
    long latestNs = 0;
    double pathsNs = 0;
    for (GraphRequest request : requests) {
      Graph graph = request.graph();
      long[] pathNs = request.pathsNs();
      long longestNs = 0;
      for (int node = 0; node < graph.size(); node++) {
        workNs += (double) request.executionNs(node) * graph.model(node).gpus();
        longestNs = Math.max(longestNs, pathNs[node]);
      }
      latestNs = Math.max(latestNs, request.arrivedAtNs() + longestNs);
      pathsNs += longestNs;
    }
    return new LowerBound(
        Math.max(latestNs, (long) (workNs / gpus)), pathsNs / Math.max(1, requests.size()));
  }
}
