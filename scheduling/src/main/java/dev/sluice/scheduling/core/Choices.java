package dev.sluice.scheduling.core;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.JobSet;
import dev.sluice.scheduling.state.LaneMemory;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks the policy, checks each of its answers, and starts what it chose. */
final class Choices {
  private static final long BLOCKED_NS_MIN = 1_000_000;

  private final CoreState state;
  private final SchedulingPolicy policy;
  private final LeaseClock leases;
  private final JobQueue queue;
  private final Batches batches;
  private final Drops drops;
  private final Remembering remembering;
  private final DecisionCheck check;

  /** Whether the policy has something to do also while no lane takes a batch. */
  private final boolean actsOnBusyLanes;

  /** Time until which the policy's last answer starts nothing; Long.MAX_VALUE: it named no time. */
  long wakeAtNs = Long.MAX_VALUE;

  /** Batch that was cancelled, and for which no other has started on its lane; null: none. */
  private @Nullable Batch cancelled;

  /** Time since which lanes are idle while work waits; 0: this is not the case. */
  long blockedSinceNs;

  /** Cause for which lanes are idle while work waits; null: this is not the case. */
  @Nullable Cause blockedCause;

  Choices(
      CoreState state,
      SchedulingPolicy policy,
      LeaseClock leases,
      JobQueue queue,
      Batches batches,
      Drops drops,
      Remembering remembering) {
    this.state = state;
    this.policy = policy;
    this.leases = leases;
    this.queue = queue;
    this.batches = batches;
    this.drops = drops;
    this.remembering = remembering;
    SchedulingPolicy.Needs needs = policy.needs();
    boolean loads = needs.has(Need.RESIDENCY);
    this.actsOnBusyLanes = loads || needs.has(Need.DROPPING) || needs.has(Need.CANCELLING);
    this.check = new DecisionCheck(state, policy.getClass().getSimpleName(), loads);
  }

  /** Asks the policy, if something waits and a lane takes a batch or it acts on busy lanes too. */
  void decide(long factId, CoreListener listener) {
    int index = 0;
    int dropped = 0;
    while (true) {
      if (state.waiting() == 0 || !(actsOnBusyLanes || state.executors.hasFreeLane())) {
        resume();
        wakeAtNs = Long.MAX_VALUE;
        noteBlocked(Cause.LANE, listener);
        return;
      }
      state.deciding(factId, index);
      Choice choice = policy.choose(state);
      if (choice instanceof Choice.Start start) {
        index = start(factId, index, start, listener);
      } else if (choice instanceof Choice.Cancel cancel) {
        cancel(check.check(cancel));
      } else if (choice instanceof Choice.Prepare prepare) {
        ExecutorLane lane = check.check(prepare);
        List<ModelKey> loads = new ArrayList<>();
        for (SchedulerState.CompatibleSet set : prepare.load()) {
          loads.add(((JobSet) set).model());
        }
        List<LaneMemory.Resident> releases = new ArrayList<>();
        prepare.release().forEach(resident -> releases.add((LaneMemory.Resident) resident));
        prepare(new DispatchId(factId, index++), lane, loads, releases, listener);
      } else if (choice instanceof Choice.Drop drop) {
        dropped += drops.drop(check.checkJobs(drop.jobs()), Reason.ofPolicy(drop.word()), listener);
        if (dropped >= Drops.AT_ONCE_MAX) {
          resume();
          wakeAtNs = state.nowNs() + 1;
          return;
        }
      } else if (choice instanceof Choice.Nothing nothing) {
        check.check(nothing);
        resume();
        wakeAtNs = nothing.untilNs();
        noteBlocked(nothing.cause(), listener);
        return;
      }
      if (remembering.remembers) {
        remembering.take(new Happening.Applied(choice));
      }
    }
  }

  /** Takes a batch off its lane; its jobs wait again, and its completion may still come. */
  private void cancel(Batch batch) {
    batch.lane.executor.takeOff(batch);
    batches.running--;
    batch.lost = true;
    batch.cancelled = true;
    for (int i = 0; i < batch.jobs.size(); i++) {
      QueuedJob job = batch.jobs.get(i);
      if (job.phase == QueuedJob.Phase.RUNNING && job.batch == batch) {
        queue.putBack(job);
        Batches.rememberLostIn(job, batch);
      }
    }
    batches.lose(batch);
    cancelled = batch;
    state.executors.openOnly(batch.lane);
  }

  /** Leaves a cancelled batch on its lane after all, since nothing takes its place. */
  private void resume() {
    Batch batch = cancelled;
    if (batch == null) {
      return;
    }
    cancelled = null;
    state.executors.openOnly(null);
    batches.forget(batch);
    batch.lost = false;
    batch.cancelled = false;
    for (int i = 0; i < batch.jobs.size(); i++) {
      QueuedJob job = batch.jobs.get(i);
      if (job.lostIn != null) {
        job.lostIn.remove(batch);
      }
      if (job.phase == QueuedJob.Phase.WAITING) {
        queue.remove(job, QueuedJob.Phase.RUNNING);
        job.batch = batch;
      }
    }
    batch.lane.executor.hold(batch);
    batches.running++;
  }

  private void noteBlocked(Cause answered, CoreListener listener) {
    boolean blocked =
        answered != Cause.LANE && state.waiting() > 0 && state.executors.hasIdleLane();
    Cause cause = blocked ? answered : null;
    if (cause != blockedCause) {
      if (blockedCause != null && state.nowNs() - blockedSinceNs >= BLOCKED_NS_MIN) {
        listener.blocked(
            new Blocked(blockedSinceNs, state.nowNs(), Blocked.Cause.valueOf(blockedCause.name())));
      }
      blockedCause = cause;
      blockedSinceNs = cause == null ? 0 : state.nowNs();
    }
  }

  private void prepare(
      DispatchId name,
      ExecutorLane lane,
      List<ModelKey> loads,
      List<LaneMemory.Resident> releases,
      CoreListener listener) {
    LaneMemory memory = requireNonNull(lane.memory);
    memory.residents.removeAll(releases);
    for (ModelKey model : loads) {
      memory.load(model, lane.executor.memoryBytes(model), name, state.nowNs());
    }
    listener.prepared(
        new LanePrepared(
            name,
            lane.executorId(),
            lane.executor.report.incarnation(),
            lane.index(),
            releases.stream().map(LaneMemory.Resident::model).toList(),
            loads,
            state.nowNs()));
  }

  /**
   * Has an idle lane load a batch's model, unless it holds it, in place of those that were not used
   * for longest.
   *
   * @return index of the next dispatch
   */
  private int load(
      long factId, int index, ExecutorLane lane, ModelKey model, CoreListener listener) {
    LaneMemory memory = lane.memory;
    if (memory == null) {
      return index;
    }
    int next = index;
    if (memory.of(model) == null) {
      List<LaneMemory.Resident> releases = memory.toRelease(lane.executor.memoryBytes(model));
      if (releases == null) {
        throw new IllegalStateException(
            "lane (%s) has no room for (%s) beside %s".formatted(lane, model, memory.residents));
      }
      prepare(new DispatchId(factId, next++), lane, List.of(model), releases, listener);
    }
    memory.used(model, state.nowNs());
    return next;
  }

  /** Starts a batch, and returns the index of the next dispatch. */
  private int start(long factId, int index, Choice.Start start, CoreListener listener) {
    DecisionCheck.Checked checked = check.check(start);
    ExecutorLane lane = checked.lane();
    List<QueuedJob> jobs = checked.jobs();
    JobGroup group = jobs.get(0).group;
    int place = load(factId, index, lane, group.model(), listener);
    DispatchId name = new DispatchId(factId, place);
    int count = jobs.size();
    int attempt = 0;
    DispatchId cancels = takesPlace();
    for (int i = 0; i < count; i++) {
      QueuedJob job = jobs.get(i);
      attempt = Math.max(attempt, job.attempts + 1);
      queue.remove(job, QueuedJob.Phase.RUNNING);
    }
    BatchDispatched dispatch =
        new BatchDispatched(
            name,
            new BatchDispatched.Place(
                lane.executorId(),
                lane.executor.report.incarnation(),
                lane.indexes(group.lanesNeeded())),
            new BatchDispatched.Work(
                group.model(), dispatched(jobs), checked.samples(), checked.tokens(), attempt),
            new BatchDispatched.Decision(
                state.nowNs(),
                start.notAfterNs() == Long.MAX_VALUE ? null : start.notAfterNs(),
                start.scoreTerms(),
                cancels,
                start.notBeforeNs() <= state.nowNs() ? null : start.notBeforeNs()),
            state.prediction(group, checked.samples(), lane));
    Batch batch = new Batch(dispatch, jobs, lane, leases.nowNs);
    for (int i = 0; i < count; i++) {
      jobs.get(i).batch = batch;
    }
    lane.executor.hold(batch);
    for (int i = 0; i < batch.lanes; i++) {
      lane.executor.laneOf(batch, i).resident = group.workload();
    }
    batches.running++;
    leases.started(batch);
    state.started(jobs, lane.executor);
    listener.started(dispatch, jobs.get(0).spec);
    return place + 1;
  }

  /** Returns the cancelled batch whose lane a start takes; null: there is none. */
  private @Nullable DispatchId takesPlace() {
    Batch batch = cancelled;
    if (batch == null) {
      return null;
    }
    cancelled = null;
    state.executors.openOnly(null);
    return batch.dispatch.dispatchId();
  }

  private static List<DispatchedJob> dispatched(List<QueuedJob> jobs) {
    DispatchedJob[] dispatched = new DispatchedJob[jobs.size()];
    for (int i = 0; i < dispatched.length; i++) {
      JobSpec spec = jobs.get(i).spec;
      dispatched[i] = new DispatchedJob(spec.id(), spec.samples());
    }
    return List.of(dispatched);
  }
}
