package dev.sluice.contract.workflow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph of nodes without a cycle.
 *
 * @param id its key in the file, by which requests name it
 * @param interactive whether a person waits for it; it is of the class interactive only then
 * @param joined whether its nodes share batches with others of the same model, where they really
 *     run
 * @param sloMs latency promise of a request, from its arrival to the end of its last node, in
 *     milliseconds; null: none
 * @param nodes nodes in the order of the file, none twice
 * @param edges edges between nodes, none twice
 * @param line line of the system's file at which it begins
 */
public record Workflow(
    String id,
    boolean interactive,
    boolean joined,
    @Nullable Double sloMs,
    List<Node> nodes,
    List<Edge> edges,
    int line) {
  public Workflow {
    nodes = List.copyOf(nodes);
    edges = List.copyOf(edges);
  }

  /**
   * A step, run once for each request. Its inputs do not make it wait, edges do.
   *
   * @param model id of a model of this file
   */
  public record Node(String id, String model, int line) {}

  /** The node {@code to} starts only after {@code from} has ended; both are places of nodes. */
  public record Edge(int from, int to) {}

  /** Returns, by node, the places of the nodes that end before it, in the order of the edges. */
  public List<List<Integer>> inputs() {
    List<List<Integer>> inputs = new ArrayList<>();
    nodes.forEach(node -> inputs.add(new ArrayList<>()));
    edges.forEach(edge -> inputs.get(edge.to()).add(edge.from()));
    return inputs;
  }
}
