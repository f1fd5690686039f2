package dev.sluice.contract.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph of nodes without a cycle.
 *
 * @param id its key in the file, by which requests name it
 * @param name for people
 * @param interactive whether a person waits for it; only then is it of that class
 * @param joined whether its nodes share batches with others of the same model, where they really
 *     run
 * @param sloMs latency promise of a request, from its arrival to the end of its last node, in
 *     milliseconds; null: none
 * @param nodes in the order of the file, none twice
 * @param edges none twice
 * @param line where it stands in the system's file
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
   * @param model the id of a model of the same file
   * @param inputs names of what it reads; it is edges, not these, that make it wait
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
