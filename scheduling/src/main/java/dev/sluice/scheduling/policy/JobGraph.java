package dev.sluice.scheduling.policy;

import dev.sluice.contract.event.WorkflowRequested.Node;
import java.util.Arrays;
import java.util.List;

/**
 * The jobs of a workflow: the model that each runs, and the jobs that must be done before it
 * starts.
 */
public final class JobGraph {
  private static final int[] NONE = {};

  private final List<Node> nodes;
  private final int[][] outputs;

  /** Places of the nodes in an order in which each node comes after its inputs. */
  private final int[] order;

  /**
   * @throws IllegalArgumentException if the graph has a cycle
   */
  public JobGraph(List<Node> nodes) {
    this.nodes = List.copyOf(nodes);
    this.outputs = new int[nodes.size()][];
    Arrays.fill(outputs, NONE);
    for (int node = 0; node < nodes.size(); node++) {
      for (int input : nodes.get(node).inputs()) {
        outputs[input] = Arrays.copyOf(outputs[input], outputs[input].length + 1);
        outputs[input][outputs[input].length - 1] = node;
      }
    }
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
      throw new IllegalArgumentException("a graph of jobs has a cycle: " + nodes);
    }
    return sorted;
  }

  public int size() {
    return nodes.size();
  }

  public int inputs(int node) {
    return nodes.get(node).inputs().size();
  }

  /**
   * Returns the places of the nodes that wait for a node, ascending. The caller must not change the
   * array.
   */
  public int[] outputs(int node) {
    return outputs[node];
  }

  /**
   * Returns, by place, the duration of the longest path from each node's start to the graph's end,
   * if nothing ever waits.
   */
  public long[] pathsNs() {
    long[] pathNs = new long[nodes.size()];
    for (int i = order.length - 1; i >= 0; i--) {
      int node = order[i];
      long longestNs = 0;
      for (int output : outputs[node]) {
        longestNs = Math.max(longestNs, pathNs[output]);
      }
      pathNs[node] = longestNs + nodes.get(node).expectedNs();
    }
    return pathNs;
  }
}
