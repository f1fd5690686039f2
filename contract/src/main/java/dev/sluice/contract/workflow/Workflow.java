package dev.sluice.contract.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph of nodes without a cycle.
 *
 * @param id its key in the file, by which requests name it
 * @param name name for people
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
    String name,
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
   * A step, run once for each request.
   *
   * @param model id of a model of this file
   * @param inputs names of its inputs; they do not make it wait, edges do
   */
  public record Node(
      String id,
      String model,
      List<String> inputs,
      List<String> outputs,
      List<String> configOptions,
      int line) {
    public Node {
      inputs = List.copyOf(inputs);
      outputs = List.copyOf(outputs);
      configOptions = List.copyOf(configOptions);
    }
  }

  /** The node {@code to} starts only after {@code from} has ended; both are ids. */
  public record Edge(String from, String to) {}
}
