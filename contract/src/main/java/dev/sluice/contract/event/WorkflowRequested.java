package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.ModelKey;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A workflow entered the system: a graph of jobs, each of which the scheduler releases when the
 * jobs before it are done. Topic {@code facts}; the whole graph is in one shard. Its jobs are
 * called {@code requestId/nodeId}.
 *
 * @param index number that rises per generator and shard
 * @param sloNs latency promise, from intended arrival to the end of its last job; null: none
 * @param intendedAtNs time at which the request should be sent; latency counts from it
 * @param sentAtNs time at which the generator called send
 * @param nodes jobs of the graph, which has no cycle
 */
public record WorkflowRequested(
    String requestId,
    int generator,
    long index,
    String workflowId,
    String classType,
    @Nullable Long sloNs,
    long intendedAtNs,
    long sentAtNs,
    List<Node> nodes)
    implements Fact {
  public WorkflowRequested {
    nodes = List.copyOf(nodes);
    Checks.atLeast(0, generator, "generator");
    Checks.atLeast(0, index, "index");
    Checks.atLeast(0, intendedAtNs, "intendedAtNs");
    Checks.atLeast(1, nodes.size(), "nodes");
    Checks.atLeastOrNull(1, sloNs, "sloNs");
    checkGraph(nodes);
  }

  private static void checkGraph(List<Node> nodes) {
    Set<String> ids = new HashSet<>();
    for (Node node : nodes) {
      if (!ids.add(node.nodeId())) {
        throw new IllegalArgumentException("two nodes are called (" + node.nodeId() + ")");
      }
      for (int input : node.inputs()) {
        if (input < 0 || input >= nodes.size()) {
          throw new IllegalArgumentException(
              "node (%s) waits for node (%d) of (%d)"
                  .formatted(node.nodeId(), input, nodes.size()));
        }
      }
    }
    BitSet canRun = new BitSet(nodes.size());
    boolean forward = true; // by turns, so that a list that begins at the end takes no longer
    for (int before = -1; before < canRun.cardinality(); forward = !forward) {
      before = canRun.cardinality();
      for (int i = 0; i < nodes.size(); i++) {
        int node = forward ? i : nodes.size() - 1 - i;
        if (nodes.get(node).inputs().stream().allMatch(canRun::get)) {
          canRun.set(node);
        }
      }
    }
    if (canRun.cardinality() < nodes.size()) {
      throw new IllegalArgumentException(
          "nodes wait for each other: "
              + IntStream.range(0, nodes.size())
                  .filter(i -> !canRun.get(i))
                  .mapToObj(i -> nodes.get(i).nodeId())
                  .toList());
    }
  }

  public WorkflowRequested sentAt(long ns) {
    return new WorkflowRequested(
        requestId, generator, index, workflowId, classType, sloNs, intendedAtNs, ns, nodes);
  }

  /** The request, whose nodes are expected to take these times. */
  public WorkflowRequested expecting(long[] ns) {
    return new WorkflowRequested(
        requestId,
        generator,
        index,
        workflowId,
        classType,
        sloNs,
        intendedAtNs,
        sentAtNs,
        expecting(nodes, ns));
  }

  public static List<Node> expecting(List<Node> nodes, long[] ns) {
    return IntStream.range(0, ns.length).mapToObj(i -> nodes.get(i).expecting(ns[i])).toList();
  }

  /**
   * Returns, by node, the duration of the longest path from its start to the graph's end, if
   * nothing ever waits.
   */
  public long[] pathsNs() {
    int[] outputsLeft = new int[nodes.size()];
    for (Node node : nodes) {
      node.inputs().forEach(input -> outputsLeft[input]++);
    }
    long[] pathNs = new long[outputsLeft.length]; // of the outputs alone, until the node's turn
    int[] known = IntStream.range(0, pathNs.length).filter(i -> outputsLeft[i] == 0).toArray();
    int count = known.length;
    known = Arrays.copyOf(known, pathNs.length);
    for (int i = 0; i < count; i++) {
      int node = known[i];
      pathNs[node] += nodes.get(node).expectedNs();
      for (int input : nodes.get(node).inputs()) {
        pathNs[input] = Math.max(pathNs[input], pathNs[node]);
        if (--outputsLeft[input] == 0) {
          known[count++] = input;
        }
      }
    }
    return pathNs;
  }

  /**
   * A job of the workflow.
   *
   * @param lanes number of neighbouring lanes that it takes at once, at least 1
   * @param expectedNs time that it is expected to take, at least 0
   * @param inputs indexes of the nodes that must be done before it
   */
  public record Node(
      String nodeId,
      String workload,
      String backend,
      String precision,
      int samples,
      int lanes,
      long expectedNs,
      List<Integer> inputs) {
    public Node {
      inputs = List.copyOf(inputs);
      Checks.atLeast(1, samples, "samples");
      Checks.atLeast(1, lanes, "lanes");
      Checks.atLeast(0, expectedNs, "expectedNs");
      if (inputs.size() > 1 && new HashSet<>(inputs).size() < inputs.size()) {
        throw new IllegalArgumentException(
            "node (%s) waits for one twice: %s".formatted(nodeId, inputs));
      }
    }

    Node expecting(long ns) {
      return new Node(nodeId, workload, backend, precision, samples, lanes, ns, inputs);
    }

    public ModelKey model() {
      return new ModelKey(workload, backend, precision);
    }
  }
}
