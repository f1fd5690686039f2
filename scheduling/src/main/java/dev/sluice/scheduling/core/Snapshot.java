package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.LostBatch;
import dev.sluice.scheduling.driver.CoreEntity.Progress;
import dev.sluice.scheduling.driver.CoreEntity.RunningBatch;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import dev.sluice.scheduling.state.RunningWorkflow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes a core's state as entities, from which {@link Restore} makes an equal core. */
final class Snapshot {
  private final CoreState state;
  private final List<CoreEntity> entities = new ArrayList<>();

  private final Set<RunningWorkflow> workflows = Collections.newSetFromMap(new IdentityHashMap<>());

  private Snapshot(CoreState state) {
    this.state = state;
  }

  static List<CoreEntity> of(SchedulingCore core, CoreEntity.Progress progress) {
    CoreState state = core.state;
    Snapshot snapshot = new Snapshot(state);
    snapshot.entities.add(progress);
    snapshot.executors();
    state.serviceTimes.addTo(snapshot.entities);
    state.addPassedOverTo(snapshot.entities);
    state.jobs.addRatesTo(snapshot.entities);
    core.remembering.addTo(snapshot.entities);
    core.batches.lost.values().forEach(batch -> snapshot.entities.add(batch.toLostEntity()));
    for (JobGroup group : state.groups()) {
      for (int i = 0; i < group.waiting(); i++) {
        QueuedJob job = group.anyList().at(i);
        snapshot.workflowOf(job);
        snapshot.entities.add(job.toEntity());
      }
    }
    return Collections.unmodifiableList(snapshot.entities); // not a second copy of them all
  }

  private void executors() {
    for (ExecutorLanes executor : state.executors.all) {
      entities.add(executor.toEntity());
      for (ExecutorLane lane : executor.allLanes) {
        entities.add(lane.toEntity());
        for (Batch batch : lane.held) {
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

  /** Gives a fresh core the state of another core, which {@link Snapshot} took. */
  static final class Restore {
    private final SchedulingCore core;
    private final CoreState state;
    private final Collection<CoreEntity> entities;
    private final Map<String, RunningWorkflow> workflowByKey = new HashMap<>();
    private final Map<String, QueuedJob> jobById = new HashMap<>();

    private final List<Batch> held = new ArrayList<>();

    private Restore(SchedulingCore core, Collection<CoreEntity> entities) {
      this.core = core;
      this.state = core.state;
      this.entities = entities;
    }

    static void into(SchedulingCore core, Collection<CoreEntity> entities) {
      Restore restore = new Restore(core, entities);
      restore.executors();
      restore.waitingJobs();
      restore.batches();
      restore.progress();
    }

    private <E extends CoreEntity> List<E> entitiesOf(Class<E> kind) {
      return entities.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private void executors() {
      entitiesOf(CoreEntity.Executor.class).stream()
          .sorted(Comparator.comparingInt(CoreEntity.Executor::order))
          .forEach(
              executor ->
                  state.executors.add(ExecutorLanes.restore(executor, state.settings.placing())));
      entitiesOf(CoreEntity.Lane.class).stream()
          .sorted(Comparator.comparingInt(CoreEntity.Lane::index))
          .forEach(lane -> executorOf(lane.executorId()).restore(lane));
      state.executorsChanged();
      state.serviceTimes.restore(entities);
      entitiesOf(CoreEntity.ArrivalCounts.class).forEach(state.jobs::restore);
    }

    private void waitingJobs() {
      entitiesOf(CoreEntity.Workflow.class)
          .forEach(
              entity ->
                  workflowByKey.put(
                      key(entity.request().generator(), entity.request().index()),
                      RunningWorkflow.restore(entity)));
      entitiesOf(CoreEntity.WaitingJob.class).stream()
          .sorted(Comparator.comparingLong(CoreEntity.WaitingJob::entry))
          .forEach(
              entity -> {
                QueuedJob job = toQueued(entity);
                core.queue.add(job);
                jobById.put(entity.spec().id(), job);
              });
    }

    private void batches() {
      for (RunningBatch entity : entitiesOf(RunningBatch.class)) {
        Batch batch = running(entity);
        batch.jobs.forEach(job -> jobById.put(job.spec.id(), job));
        held.add(batch);
      }
      entitiesOf(LostBatch.class).stream()
          .sorted(Comparator.comparing(entity -> entity.dispatch().dispatchId()))
          .forEach(
              entity -> {
                Batch batch = lost(entity);
                if (entity.held()) {
                  held.add(batch);
                }
              });
      held.sort(Comparator.comparing(batch -> batch.dispatch.dispatchId()));
      held.forEach(batch -> batch.lane.executor.hold(batch));
    }

    private void progress() {
      entitiesOf(CoreEntity.PassedOver.class).forEach(state::restore);
      entitiesOf(CoreEntity.Remembered.class).forEach(core.remembering::restore);
      entitiesOf(Progress.class).forEach(core::restore);
    }

    private QueuedJob toQueued(CoreEntity.WaitingJob job) {
      QueuedJob queued = state.newJob(job.spec(), job.entry(), job.appendedAtNs(), job.attempts());
      JobSpec.Node node = job.spec().node();
      if (node != null) {
        queued.workflow = workflowByKey.get(key(job.spec().source(), node.workflow()));
      }
      return queued;
    }

    private static String key(int generator, long index) {
      return generator + "/" + index;
    }

    private ExecutorLanes executorOf(String executorId) {
      ExecutorLanes executor = state.executors.byId(executorId);
      if (executor == null) {
        throw new IllegalArgumentException(
            "executor (%s) has lanes or batches but is not among the entities"
                .formatted(executorId));
      }
      return executor;
    }

    private ExecutorLane laneOf(BatchDispatched dispatch) {
      return executorOf(dispatch.executorId()).allLanes.get(dispatch.lanes().get(0));
    }

    private Batch running(RunningBatch entity) {
      List<QueuedJob> jobs = entity.jobs().stream().map(this::toQueued).toList();
      BatchDispatched dispatch = entity.dispatch();
      Batch batch = new Batch(dispatch, jobs, laneOf(dispatch), entity.decidedAtLeaseNs());
      for (QueuedJob job : jobs) {
        job.phase = QueuedJob.Phase.RUNNING;
        job.batch = batch;
      }
      core.batches.running++;
      return batch;
    }

    private Batch lost(LostBatch entity) {
      List<QueuedJob> jobs = new ArrayList<>();
      for (DispatchedJob ran : entity.dispatch().jobs()) {
        QueuedJob job = jobById.get(ran.jobId());
        if (job != null) {
          jobs.add(job);
        }
      }
      Batch batch = new Batch(entity.dispatch(), jobs, laneOf(entity.dispatch()), 0);
      batch.lost = true;
      batch.cancelled = entity.cancelled();
      jobs.forEach(job -> Batches.rememberLostIn(job, batch));
      core.batches.lose(batch);
      return batch;
    }
  }
}
