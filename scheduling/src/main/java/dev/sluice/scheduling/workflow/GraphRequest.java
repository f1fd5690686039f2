package dev.sluice.scheduling.workflow;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** A request that a graph be run. */
public final class GraphRequest {
  private final String id;
  private final Graph graph;
  private final long arrivedAtNs;
  private final long[] executionNs;

  /**
   * @param id unlike that of any other request
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

  /** Returns the places of requests in their list, by arrival, then as they stand there. */
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

  /** By node: how long the longest way from its start to the graph's end takes at least. */
  long[] pathsNs() {
    return graph.jobs().pathsNs(executionNs);
  }

  /**
   * Returns what is left at that time of the promise made to it; {@link Long#MAX_VALUE}: none was.
   */
  long sloLeftNs(long nowNs) {
    return graph.sloNs() == Long.MAX_VALUE ? Long.MAX_VALUE : arrivedAtNs + graph.sloNs() - nowNs;
  }

  @Override
  public String toString() {
    return id;
  }
}
