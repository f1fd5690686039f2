package dev.sluice.scheduling.policy;

/** A request to run a graph of jobs, each as soon as its inputs are done. */
public final class WorkflowSpec {
  private final String id;
  private final int source;
  private final long index;
  private final String classType;
  private final long sloNs;
  private final long intendedAtNs;
  private final JobGraph graph;
  private final long[] expectedNs;

  /**
   * @param id id of the request; its jobs are called {@code id/node}
   * @param source number of the generator that sent the request
   * @param index number that rises per source; requests and single jobs of a source share one
   *     sequence
   * @param classType name of the class of all its jobs
   * @param sloNs latency promise, from its intended arrival to the end of its last job; {@link
   *     Long#MAX_VALUE}: none
   * @param expectedNs expected duration of each node, at least 0; the array is not copied
   */
  public WorkflowSpec(
      String id,
      int source,
      long index,
      String classType,
      long sloNs,
      long intendedAtNs,
      JobGraph graph,
      long[] expectedNs) {
    if (expectedNs.length != graph.size()) {
      throw new IllegalArgumentException(
          "workflow (%s) with (%d) times for (%d) nodes"
              .formatted(id, expectedNs.length, graph.size()));
    }
    this.id = id;
    this.source = source;
    this.index = index;
    this.classType = classType;
    this.sloNs = sloNs;
    this.intendedAtNs = intendedAtNs;
    this.graph = graph;
    this.expectedNs = expectedNs;
  }

  public String id() {
    return id;
  }

  public int source() {
    return source;
  }

  public long index() {
    return index;
  }

  public String classType() {
    return classType;
  }

  public long sloNs() {
    return sloNs;
  }

  public long intendedAtNs() {
    return intendedAtNs;
  }

  public JobGraph graph() {
    return graph;
  }

  public long[] expectedNs() {
    return expectedNs;
  }

  @Override
  public String toString() {
    return id;
  }
}
