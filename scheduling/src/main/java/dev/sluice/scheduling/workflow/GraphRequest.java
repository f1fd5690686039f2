package dev.sluice.scheduling.workflow;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** A request to run a graph. */
public final class GraphRequest {
  private final String id;
  private final Graph graph;
  private final long arrivedAtNs;
  private final long[] executionNs;

  /**
   * @param id an id that no other request has
   * @param executionNs by node, at least 0; not copied
   */
  public GraphRequest(String id, Graph graph, long arrivedAtNs, long[] executionNs) {
    if (executionNs.length != graph.size() || arrivedAtNs < 0) {
      throw new IllegalArgumentException(
          "request (%s) at (%d) with (%d) times for (%d) nodes"
              .formatted(id, arrivedAtNs, executionNs.length, graph.size()));
    }
    this.id = id;
    this.graph = graph;
    this.arrivedAtNs = arrivedAtNs;
    this.executionNs = executionNs;
  }

  /** Returns the indexes of requests in their list, by arrival, then by index. */
  public static int[] byArrival(List<GraphRequest> requests) {
    return IntStream.range(0, requests.size())
        .boxed()
        .sorted(Comparator.comparingLong(request -> requests.get(request).arrivedAtNs()))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  public String id() {
    return id;
  }

  public Graph graph() {
    return graph;
  }

  public long arrivedAtNs() {
    return arrivedAtNs;
  }

  /** Returns how long the node takes on its GPUs. */
  public long executionNs(int node) {
    return executionNs[node];
  }

  /**
   * Returns, by node, the least time that the longest path from the node's start to the graph's end
   * takes.
   */
  long[] pathsNs() {
    return graph.jobs().pathsNs(executionNs);
  }

  /**
   * Returns the time left of the request's latency promise; {@link Long#MAX_VALUE} without a
   * promise.
   */
  long sloLeftNs(long nowNs) {
    return graph.sloNs() == Long.MAX_VALUE ? Long.MAX_VALUE : arrivedAtNs + graph.sloNs() - nowNs;
  }

  @Override
  public String toString() {
    return id;
  }
}
