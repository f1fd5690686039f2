package dev.sluice.scheduling.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobGraph;
import java.util.List;

/** A workflow: nodes, and which of them must have ended before another starts. */
public final class Graph {
  /** Classes of the names that {@link #classType} returns. */
  public static final List<JobClass> CLASSES =
      List.of(
          new JobClass("interactive", 0, true, false),
          new JobClass("batch", 1, false, false),
          new JobClass("interactive_joined", 0, true, true),
          new JobClass("batch_joined", 1, false, true));

  static final String BACKEND = "gpu";
  static final String PRECISION = "fp32";

  private final String id;
  private final JobClass jobClass;
  private final long sloNs;
  private final List<Node> nodes;
  private final JobGraph jobs;

  /**
   * A step.
   *
   * @param inputs indexes of the nodes that must have ended before this one; none twice
   */
  public record Node(String id, GpuModel model, List<Integer> inputs) {
    public Node {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * Makes a workflow.
   *
   * @param interactive whether a person waits for it
   * @param joined whether its jobs share batches with others of the same model
   * @param sloNs latency promise of each request; {@link Long#MAX_VALUE}: none
   * @throws IllegalArgumentException if the workflow has a cycle
   */
  public Graph(String id, boolean interactive, boolean joined, long sloNs, List<Node> nodes) {
    this.id = id;
    this.jobClass = CLASSES.get((interactive ? 0 : 1) + (joined ? 2 : 0));
    this.sloNs = sloNs;
    this.nodes = List.copyOf(nodes);
    this.jobs = new JobGraph(nodes.stream().map(Graph::job).toList());
  }

  /**
   * Makes a workflow for which no person waits, whose jobs run alone, and which has no latency
   * promise.
   */
  public Graph(String id, List<Node> nodes) {
    this(id, false, false, Long.MAX_VALUE, nodes);
  }

  private static WorkflowRequested.Node job(Node node) {
    GpuModel model = node.model();
    return new WorkflowRequested.Node(
        node.id(), model.id(), BACKEND, PRECISION, 1, model.gpus(), 0, node.inputs());
  }

  public String id() {
    return id;
  }

  /** Returns the name of the class of the workflow's jobs. */
  public String classType() {
    return jobClass.name();
  }

  /** Returns whether the workflow's jobs share batches with others of the same model. */
  public boolean joined() {
    return jobClass.microbatch();
  }

  /** Latency promise of each request, from its arrival; {@link Long#MAX_VALUE}: none. */
  public long sloNs() {
    return sloNs;
  }

  public List<Node> nodes() {
    return nodes;
  }

  /** Returns the graph as the core takes it. */
  JobGraph jobs() {
    return jobs;
  }

  int size() {
    return nodes.size();
  }

  GpuModel model(int node) {
    return nodes.get(node).model();
  }

  @Override
  public String toString() {
    return id;
  }
}
