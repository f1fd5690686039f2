package dev.sluice.scheduling.core;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.Set;

/**
 * Takes a core's state as entities, from which {@link Restore} makes an equal core. Of the jobs
 * that wait, of which there may be a million, only the references are copied; each becomes an
 * entity when it is read. What may change meanwhile of a job is its attempts, and it remembers
 * those.
 */
final class Snapshot {
  private final CoreState state;
  private final List<CoreEntity> entities = new ArrayList<>();

  /** Workflows that were taken already. */
  private final Set<RunningWorkflow> workflows = Collections.newSetFromMap(new IdentityHashMap<>());

  private Snapshot(CoreState state) {
    this.state = state;
  }

  static List<CoreEntity> of(
      CoreState state,
      JobQueue queue,
      Batches batches,
      Remembering remembering,
      CoreEntity.Progress progress) {
    state.snapshots++;
    Snapshot snapshot = new Snapshot(state);
    snapshot.entities.add(progress);
    snapshot.executors();
    state.serviceTimes.addTo(snapshot.entities);
    state.addPassedOverTo(snapshot.entities);
    state.addRatesTo(snapshot.entities);
    remembering.addTo(snapshot.entities);
    batches.addLostTo(snapshot.entities);
    QueuedJob[] waiting = state.allWaiting();
    if (queue.anyOfWorkflows) {
      for (QueuedJob job : waiting) {
        snapshot.workflowOf(job);
      }
    }
    return new WithWaitingJobs(snapshot.entities, waiting, state.snapshots);
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

  private void workflowOf(QueuedJob job) {
    RunningWorkflow workflow = job.workflow;
    if (workflow != null && !workflow.isOver() && workflows.add(workflow)) {
      entities.add(workflow.toEntity());
    }
  }

  /** Entities, and behind them the jobs that waited when a snapshot was taken. */
  private static final class WithWaitingJobs extends AbstractList<CoreEntity>
      implements RandomAccess {
    private final List<CoreEntity> others;
    private final QueuedJob[] waiting;
    private final int snapshot;

    WithWaitingJobs(List<CoreEntity> others, QueuedJob[] waiting, int snapshot) {
      this.others = others;
      this.waiting = waiting;
      this.snapshot = snapshot;
    }

    @Override
    public CoreEntity get(int index) {
      Objects.checkIndex(index, size());
      return index < others.size()
          ? others.get(index)
          : waiting[index - others.size()].toEntity(snapshot);
    }

    @Override
    public int size() {
      return others.size() + waiting.length;
    }
  }
}
