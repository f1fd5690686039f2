package dev.sluice.scheduling.workflow;

import java.util.ArrayList;
import java.util.List;

/** A workflow: nodes, and which of them must have ended before another starts. */
public final class Graph {
  private final String id;
  private final List<Node> nodes;
  private final int[][] outputs;

  /** Each node's place after those of its inputs. */
  private final int[] order;

  /**
   * A step.
   *
   * @param inputs the places of the nodes that must have ended before; none twice
   */
  public record Node(String id, GpuModel model, List<Integer> inputs) {
    public Node {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * @throws IllegalArgumentException if it has a cycle
   */
  public Graph(String id, List<Node> nodes) {
    this.id = id;
    this.nodes = List.copyOf(nodes);
    List<List<Integer>> after = new ArrayList<>();
    nodes.forEach(node -> after.add(new ArrayList<>()));
    for (int node = 0; node < nodes.size(); node++) {
      for (int input : nodes.get(node).inputs()) {
        after.get(input).add(node);
      }
    }
    this.outputs =
        after.stream()
            .map(list -> list.stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new);
    this.order = inOrder();
  }

  private int[] inOrder() {
    int[] inputsLeft = new int[nodes.size()];
    int[] sorted = new int[nodes.size()];
    int count = 0;
    for (int node = 0; node < sorted.length; node++) {
      inputsLeft[node] = inputs(node);
      if (inputsLeft[node] == 0) {
        sorted[count++] = node;
      }
    }
    for (int done = 0; done < count; done++) {
      for (int output : outputs[sorted[done]]) {
        if (--inputsLeft[output] == 0) {
          sorted[count++] = output;
        }
      }
    }
    if (count < sorted.length) {
      throw new IllegalArgumentException("workflow (" + id + ") has a cycle");
    }
    return sorted;
  }

  public String id() {
    return id;
  }

  public List<Node> nodes() {
    return nodes;
  }

  int size() {
    return nodes.size();
  }

  GpuModel model(int node) {
    return nodes.get(node).model();
  }

  int inputs(int node) {
    return nodes.get(node).inputs().size();
  }

  /** The places of the nodes that wait for this one, ascending. */
  int[] outputs(int node) {
    return outputs[node];
  }

  /**
   * How long the longest way from each node's start to the graph's end takes, if nothing ever
   * waits.
   *
   * @param pathNs receives them by node, from that place on
   */
  void paths(GraphRequest request, long[] pathNs, int from) {
    for (int i = order.length - 1; i >= 0; i--) {
      int node = order[i];
      long longestNs = 0;
      for (int output : outputs[node]) {
        longestNs = Math.max(longestNs, pathNs[from + output]);
      }
      pathNs[from + node] = longestNs + request.executionNs(node);
    }
  }

  @Override
  public String toString() {
    return id;
  }
}
