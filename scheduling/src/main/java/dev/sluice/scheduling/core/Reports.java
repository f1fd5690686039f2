package dev.sluice.scheduling.core;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.LaneMemory;
import java.util.ArrayList;
import java.util.List;

/** Reports of executors that join, change, leave, or come back as another process. */
final class Reports {
  private final CoreState state;
  private final LeaseClock leases;
  private final JobQueue queue;
  private final Batches batches;
  private final Losses losses;

  Reports(CoreState state, LeaseClock leases, JobQueue queue, Batches batches, Losses losses) {
    this.state = state;
    this.leases = leases;
    this.queue = queue;
    this.batches = batches;
    this.losses = losses;
  }

  void take(ExecutorReported report, CoreListener listener) {
    ExecutorLanes known = state.executor(report.executorId());
    if (known == null) {
      if (!report.leaving()) {
        ExecutorLanes joined =
            new ExecutorLanes(state.executors().size(), report, state.settings.placing());
        state.add(joined);
        leases.reported(joined);
        update(joined, report);
      }
      return;
    }
    long incarnation = known.report.incarnation();
    if (report.incarnation() < incarnation
        || (report.incarnation() == incarnation && known.report.leaving())) {
      return;
    }
    leases.reported(known);
    if (known.lost()) {
      known.lost(false);
      leases.executorsChanged();
    }
    if (report.incarnation() > incarnation || report.leaving()) {
      release(known, listener);
      update(known, report);
    } else if (!ExecutorLanes.lasting(report).equals(known.report)) {
      update(known, report);
    }
    for (ExecutorReported.Lane lane : report.lanes()) {
      if (lane.holds().isEmpty()
          && known.hasLane(lane.index())
          && known.lane(lane.index()).refuses()) {
        known.lane(lane.index()).refuses(false);
      }
    }
  }

  /** Notes that a lane has loaded a model, or could not. */
  void take(ModelLoaded loaded) {
    ExecutorLanes executor = state.executor(loaded.executorId());
    if (executor == null
        || executor.report.incarnation() != loaded.incarnation()
        || !executor.hasLane(loaded.lane())) {
      return;
    }
    LaneMemory memory = executor.lane(loaded.lane()).memory();
    if (memory != null) {
      memory.loaded(loaded.model(), loaded.dispatchId(), loaded.cause() != null);
    }
  }

  /** Takes all batches from the lanes of an executor whose process is gone. */
  private void release(ExecutorLanes executor, CoreListener listener) {
    losses.loseAll(executor, listener);
    List<Batch> answeredByNobody = new ArrayList<>();
    for (ExecutorLane lane : executor.allLanes()) {
      for (Batch batch : lane.held()) {
        if (batch.lane == lane) {
          answeredByNobody.add(batch);
        }
      }
    }
    executor.release(state.nowNs(), leases.nowNs());
    for (Batch batch : answeredByNobody) {
      if (!batch.hasUnendedJob()) {
        batches.forget(batch);
      }
    }
  }

  private void update(ExecutorLanes executor, ExecutorReported report) {
    executor.update(report, state.nowNs(), leases.nowNs());
    state.executorsChanged();
    leases.executorsChanged();
    queue.budgetsChanged();
  }
}
