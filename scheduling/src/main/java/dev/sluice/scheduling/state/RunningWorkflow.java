package dev.sluice.scheduling.state;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.event.WorkflowRequested.Node;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.JobGraph;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A workflow with a job that has not ended. One of its jobs waits or runs at any time, since jobs
 * that wait for a job that was not done end with it.
 */
public final class RunningWorkflow {
  private static final int ENDED = -1;

  final WorkflowRequested request;

  private final JobGraph graph;
  private final long[] pathNs;

  /** Number of nodes that each node still waits for, or {@link #ENDED}. */
  private final int[] inputsLeft;

  private int left;

  public RunningWorkflow(WorkflowRequested request) {
    this.request = request;
    this.graph = new JobGraph(request.nodes());
    this.pathNs = graph.pathsNs();
    this.left = graph.size();
    this.inputsLeft = new int[left];
    for (int node = 0; node < left; node++) {
      inputsLeft[node] = graph.inputs(node);
    }
  }

  public static RunningWorkflow restore(CoreEntity.Workflow entity) {
    RunningWorkflow workflow = new RunningWorkflow(entity.request());
    entity.ended().forEach(workflow::end);
    return workflow;
  }

  public List<Integer> first() {
    return IntStream.range(0, inputsLeft.length).filter(n -> inputsLeft[n] == 0).boxed().toList();
  }

  /** Notes that a node was done, and returns the nodes that wait for no other now, ascending. */
  public List<Integer> end(int node) {
    inputsLeft[node] = ENDED;
    left--;
    List<Integer> freed = List.of();
    for (int output : graph.outputs(node)) {
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
    for (int i = 0; i < ended.size(); i++) {
      for (int output : graph.outputs(ended.get(i))) {
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
    return new CoreEntity.Workflow(
        request,
        IntStream.range(0, inputsLeft.length).filter(n -> inputsLeft[n] == ENDED).boxed().toList());
  }
}
