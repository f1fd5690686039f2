package dev.sluice.scheduling.state;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.event.WorkflowRequested.Node;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A workflow with a job that has not ended. One of its jobs waits or runs at any time, since jobs
 * that wait for a job that was not done end with it.
 */
public final class RunningWorkflow {
  private static final int ENDED = -1;

  final WorkflowRequested request;

  private final long[] pathNs;

  /** Nodes that wait for each node, ascending, behind those that wait for the node before it. */
  private final int[] outputs;

  /** Place among the outputs at which those of each node begin; the last is behind them all. */
  private final int[] firstOutput;

  /** Number of nodes that each node still waits for, or {@link #ENDED}. */
  private final int[] inputsLeft;

  private int left;

  public RunningWorkflow(WorkflowRequested request) {
    this.request = request;
    this.pathNs = request.pathsNs();
    this.left = pathNs.length;
    this.inputsLeft = new int[left];
    this.firstOutput = new int[left + 1];
    for (int node = 0; node < left; node++) {
      List<Integer> inputs = request.nodes().get(node).inputs();
      inputsLeft[node] = inputs.size();
      for (int i = 0; i < inputsLeft[node]; i++) {
        firstOutput[inputs.get(i)]++;
      }
    }
    for (int node = 1; node <= left; node++) {
      firstOutput[node] += firstOutput[node - 1];
    }
    this.outputs = new int[firstOutput[left]];
    for (int node = left - 1; node >= 0; node--) { // backwards, since each begin is an end yet
      for (int input : request.nodes().get(node).inputs()) {
        outputs[--firstOutput[input]] = node;
      }
    }
  }

  public static RunningWorkflow restore(CoreEntity.Workflow entity) {
    RunningWorkflow workflow = new RunningWorkflow(entity.request());
    entity.ended().forEach(workflow::end);
    return workflow;
  }

  public List<Integer> first() {
    return nodesWith(0);
  }

  private List<Integer> nodesWith(int inputs) {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 0; node < inputsLeft.length; node++) {
      if (inputsLeft[node] == inputs) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  /** Notes that a node was done, and returns the nodes that wait for no other now, ascending. */
  public List<Integer> end(int node) {
    inputsLeft[node] = ENDED;
    left--;
    List<Integer> freed = List.of();
    for (int i = firstOutput[node]; i < firstOutput[node + 1]; i++) {
      int output = outputs[i];
      if (inputsLeft[output] > 0 && --inputsLeft[output] == 0) {
        freed = freed.isEmpty() ? new ArrayList<>(2) : freed;
        freed.add(output);
      }
    }
    return freed;
  }

  /** Notes that a node was not done: returns all that wait for it and end too, nearest first. */
  public List<Integer> endUndone(int node) {
    List<Integer> ended = new ArrayList<>(List.of(node));
    inputsLeft[node] = ENDED;
    for (int next = 0; next < ended.size(); next++) {
      int before = ended.get(next);
      for (int i = firstOutput[before]; i < firstOutput[before + 1]; i++) {
        int output = outputs[i];
        if (inputsLeft[output] != ENDED) {
          inputsLeft[output] = ENDED;
          ended.add(output);
        }
      }
    }
    left -= ended.size();
    return ended.subList(1, ended.size());
  }

  public boolean isOver() {
    return left == 0;
  }

  public String jobId(int node) {
    return request.requestId() + "/" + request.nodes().get(node).nodeId();
  }

  public JobSpec job(int node, long index, long nowNs) {
    Node released = request.nodes().get(node);
    Long sloNs = request.sloNs();
    return new JobSpec(
        jobId(node),
        request.generator(),
        index,
        request.classType(),
        released.workload(),
        released.backend(),
        released.precision(),
        released.samples(),
        released.lanes(),
        sloNs == null ? Long.MAX_VALUE : request.intendedAtNs() + sloNs - nowNs,
        nowNs,
        new JobSpec.Node(request.index(), node, pathNs[node]));
  }

  public CoreEntity.Workflow toEntity() {
    return new CoreEntity.Workflow(request, nodesWith(ENDED));
  }
}
