package dev.sluice.scheduling.core;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Takes a core's state as entities, from which {@link Restore} makes an equal core. */
final class Snapshot {
  private final CoreState state;
  private final List<CoreEntity> entities = new ArrayList<>();

  /** Workflows that were taken already. */
  private final Set<RunningWorkflow> workflows = Collections.newSetFromMap(new IdentityHashMap<>());

  private Snapshot(CoreState state) {
    this.state = state;
  }

  static List<CoreEntity> of(CoreState state, Batches batches, CoreEntity.Progress progress) {
    Snapshot snapshot = new Snapshot(state);
    snapshot.entities.add(progress);
    snapshot.executors();
    state.serviceTimes.addTo(snapshot.entities);
    state.addPassedOverTo(snapshot.entities);
    batches.addLostTo(snapshot.entities);
    snapshot.waitingJobs();
    return snapshot.entities;
  }

  private void executors() {
    for (ExecutorLanes executor : state.executors()) {
      entities.add(executor.toEntity());
      for (ExecutorLane lane : executor.allLanes()) {
        entities.add(lane.toEntity());
        for (Batch batch : lane.held()) {
          if (batch.lane == lane && !batch.lost) {
            batch.jobs.forEach(this::workflowOf);
            entities.add(batch.toEntity());
          }
        }
      }
    }
  }

  private void waitingJobs() {
    for (QueuedJob job : state.waitingIn(group -> true)) {
      workflowOf(job);
      entities.add(job.toEntity());
    }
  }

  private void workflowOf(QueuedJob job) {
    RunningWorkflow workflow = job.workflow;
    if (workflow != null && !workflow.isOver() && workflows.add(workflow)) {
      entities.add(workflow.toEntity());
    }
  }
}
