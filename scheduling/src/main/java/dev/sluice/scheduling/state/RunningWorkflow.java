package dev.sluice.scheduling.state;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.policy.JobGraph;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.WorkflowSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A workflow with a job that has not ended. One of its jobs waits or runs at any time, since jobs
 * that wait for a job that was not done end with it.
 */
public final class RunningWorkflow {
  private static final int ENDED = -1;

  final WorkflowSpec spec;

  private final long[] pathNs;

  /** Number of nodes that each node still waits for, or {@link #ENDED}. */
  private final int[] inputsLeft;

  private int left;

  public RunningWorkflow(WorkflowSpec spec) {
    this.spec = spec;
    this.pathNs = spec.graph().pathsNs(spec.expectedNs());
    this.left = spec.graph().size();
    this.inputsLeft = new int[left];
    for (int node = 0; node < left; node++) {
      inputsLeft[node] = spec.graph().inputs(node);
    }
  }

  public static RunningWorkflow restore(CoreEntity.Workflow entity) {
    RunningWorkflow workflow =
        new RunningWorkflow(
            new WorkflowSpec(
                entity.id(),
                entity.source(),
                entity.index(),
                entity.classType(),
                entity.sloNs(),
                entity.intendedAtNs(),
                new JobGraph(entity.nodes()),
                entity.expectedNs().stream().mapToLong(Long::longValue).toArray()));
    entity.ended().forEach(workflow::end);
    return workflow;
  }

  /** Returns the nodes that wait for no other node. */
  public List<Integer> first() {
    return IntStream.range(0, inputsLeft.length).filter(n -> inputsLeft[n] == 0).boxed().toList();
  }

  /**
   * Notes that a node has ended and was done.
   *
   * @return the nodes that no longer wait for another one, ascending
   */
  public List<Integer> end(int node) {
    inputsLeft[node] = ENDED;
    left--;
    List<Integer> freed = List.of();
    for (int output : spec.graph().outputs(node)) {
      if (inputsLeft[output] > 0 && --inputsLeft[output] == 0) {
        freed = freed.isEmpty() ? new ArrayList<>(2) : freed;
        freed.add(output);
      }
    }
    return freed;
  }

  /**
   * Notes that a node has ended and was not done: the nodes that wait for it, at whatever distance,
   * end as well.
   *
   * @return these nodes, in the order of their distance
   */
  public List<Integer> endUndone(int node) {
    List<Integer> ended = new ArrayList<>();
    Queue<Integer> undone = new ArrayDeque<>();
    inputsLeft[node] = ENDED;
    left--;
    undone.add(node);
    while (!undone.isEmpty()) {
      for (int output : spec.graph().outputs(undone.remove())) {
        if (inputsLeft[output] != ENDED) {
          inputsLeft[output] = ENDED;
          left--;
          ended.add(output);
          undone.add(output);
        }
      }
    }
    return ended;
  }

  public boolean isOver() {
    return left == 0;
  }

  public String jobId(int node) {
    return spec.id() + "/" + spec.graph().nodes().get(node).id();
  }

  /** Returns the job of a node that is released now. */
  public JobSpec job(int node, long index, long nowNs) {
    JobGraph.Node what = spec.graph().nodes().get(node);
    return new JobSpec(
        jobId(node),
        spec.source(),
        index,
        spec.classType(),
        what.workload(),
        what.backend(),
        what.precision(),
        what.samples(),
        what.lanesNeeded(),
        spec.sloNs() == Long.MAX_VALUE
            ? Long.MAX_VALUE
            : spec.intendedAtNs() + spec.sloNs() - nowNs,
        nowNs,
        new JobSpec.Node(spec.index(), node, pathNs[node]));
  }

  public CoreEntity.Workflow toEntity() {
    return new CoreEntity.Workflow(
        spec.id(),
        spec.source(),
        spec.index(),
        spec.classType(),
        spec.sloNs(),
        spec.intendedAtNs(),
        spec.graph().nodes(),
        LongStream.of(spec.expectedNs()).boxed().toList(),
        IntStream.range(0, inputsLeft.length).filter(n -> inputsLeft[n] == ENDED).boxed().toList());
  }

  @Override
  public String toString() {
    return spec.id() + " " + Arrays.toString(inputsLeft);
  }
}
