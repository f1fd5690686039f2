package dev.sluice.scheduling.core;

import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Changes by the present fact that its listener has yet to be told of, so that it can keep the
 * core's state. Batches and learnt service times are told where they change.
 */
final class Kept {
  /** Whether the listener of the present fact keeps the state's entities. */
  boolean keepsState;

  /** Jobs that came, or came back, with the present fact; empty unless the state is kept. */
  private final List<QueuedJob> arrived = new ArrayList<>();

  /** Executors that changed with the present fact, in the order in which they joined. */
  private final TreeSet<ExecutorLanes> executors =
      new TreeSet<>(Comparator.comparingInt((ExecutorLanes executor) -> executor.order));

  /** Lanes that changed with the present fact; empty unless the state is kept. */
  private final List<ExecutorLane> lanes = new ArrayList<>();

  void arrived(QueuedJob job) {
    if (keepsState) {
      arrived.add(job);
    }
  }

  void changed(ExecutorLanes executor) {
    executors.add(executor);
  }

  void changed(ExecutorLane lane) {
    if (keepsState && !lane.changed) {
      lane.changed = true;
      lanes.add(lane);
    }
  }

  /**
   * Tells the listener at once of a workflow's state, which is kept until all its nodes have ended.
   */
  void changed(RunningWorkflow workflow, CoreListener listener) {
    if (!keepsState) {
      return;
    }
    if (!workflow.isOver()) {
      workflow.kept = true;
      listener.changed(workflow.toEntity());
    } else if (workflow.kept) {
      workflow.kept = false;
      listener.removed(workflow.key());
    }
  }

  /** Tells the listener of jobs that still wait, then of executors, then of lanes. */
  void tell(CoreListener listener) {
    for (QueuedJob job : arrived) {
      if (job.phase == QueuedJob.Phase.WAITING && !job.kept) {
        job.kept = true;
        listener.changed(job.toEntity());
      }
    }
    for (ExecutorLanes executor : executors) {
      listener.changed(executor.toEntity());
    }
    for (ExecutorLane lane : lanes) {
      listener.changed(lane.toEntity());
      lane.changed = false;
    }
    arrived.clear();
    lanes.clear();
  }

  /** Ends the present fact. */
  void clear() {
    if (!executors.isEmpty()) {
      executors.clear();
    }
  }
}
