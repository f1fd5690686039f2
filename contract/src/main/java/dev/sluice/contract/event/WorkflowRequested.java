package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.Checks;
import dev.sluice.contract.value.ModelKey;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A workflow entered the system: a graph of jobs, each of which is released by the scheduler when
 * those before it are done. Topic {@code facts}; all of it in one shard. Its jobs are called {@code
 * requestId/nodeId}.
 *
 * @param requestId unique in the run
 * @param generator which generator sent it, from 0
 * @param index rises per generator and shard
 * @param workflowId which workflow it asks for
 * @param classType the class of its jobs
 * @param sloNs latency promise, from intended arrival to the end of its last job; null: none
 * @param intendedAtNs when it was to be sent; latency is counted from here
 * @param sentAtNs when the generator called send
 * @param nodes without a cycle
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
  public static final int VERSION = 1;

  public WorkflowRequested {
    requireNonNull(requestId, "requestId");
    requireNonNull(workflowId, "workflowId");
    requireNonNull(classType, "classType");
    nodes = List.copyOf(nodes);
    Checks.atLeast(0, generator, "generator");
    Checks.atLeast(0, index, "index");
    Checks.atLeast(0, intendedAtNs, "intendedAtNs");
    Checks.atLeast(1, nodes.size(), "nodes");
    if (sloNs != null) {
      Checks.atLeast(1, sloNs, "sloNs");
    }
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
    NavigableSet<Integer> waiting = new TreeSet<>();
    for (int i = 0; i < nodes.size(); i++) {
      waiting.add(i);
    }
    while (waiting.removeIf(n -> nodes.get(n).inputs().stream().noneMatch(waiting::contains))) {
      // those that wait for nothing that waits can run: what stays in the end is a circle
    }
    if (!waiting.isEmpty()) {
      throw new IllegalArgumentException(
          "nodes wait for each other: "
              + waiting.stream().map(n -> nodes.get(n).nodeId()).toList());
    }
  }

  @Override
  public int version() {
    return VERSION;
  }

  /**
   * A job of the workflow.
   *
   * @param workload the model that it runs
   * @param samples inputs in it, at least 1
   * @param lanes how many neighbouring lanes it takes at once, at least 1
   * @param expectedNs how long it is thought to take, at least 0
   * @param inputs the places of the nodes that must be done before
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
      requireNonNull(nodeId, "nodeId");
      requireNonNull(workload, "workload");
      requireNonNull(backend, "backend");
      requireNonNull(precision, "precision");
      inputs = List.copyOf(inputs);
      Checks.atLeast(1, samples, "samples");
      Checks.atLeast(1, lanes, "lanes");
      Checks.atLeast(0, expectedNs, "expectedNs");
      if (new HashSet<>(inputs).size() < inputs.size()) {
        throw new IllegalArgumentException(
            "node (%s) waits for one twice: %s".formatted(nodeId, inputs));
      }
    }

    /** The model that the node runs. */
    public ModelKey model() {
      return new ModelKey(workload, backend, precision);
    }
  }
}
