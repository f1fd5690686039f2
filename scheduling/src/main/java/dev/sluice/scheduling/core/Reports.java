package dev.sluice.scheduling.core;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;

/** Executors that join, change, leave or restart, and the loss of silent ones' batches. */
record Reports(
    CoreState state, LeaseClock leases, JobQueue queue, Batches batches, Completions completions) {
  void take(ExecutorReported report, CoreListener listener) {
    ExecutorLanes known = state.executors.byId(report.executorId());
    if (known == null) {
      if (!report.leaving()) {
        ExecutorLanes joined =
            new ExecutorLanes(state.executors.all.size(), report, state.settings.placing());
        state.executors.add(joined);
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
    if (known.lost) {
      known.lost(false);
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
          && known.allLanes.get(lane.index()).refuses) {
        known.allLanes.get(lane.index()).refuses(false);
      }
    }
  }

  void take(ModelLoaded loaded) {
    ExecutorLane lane = state.executors.lane(loaded.executorId(), loaded.lane());
    if (lane != null
        && lane.memory != null
        && lane.executor.report.incarnation() == loaded.incarnation()) {
      lane.memory.loaded(loaded.model(), loaded.dispatchId(), loaded.cause() != null);
    }
  }

  /** Takes all batches from the lanes of an executor whose process is gone. */
  private void release(ExecutorLanes executor, CoreListener listener) {
    loseAll(executor, listener);
    List<Batch> answeredByNobody = new ArrayList<>();
    for (ExecutorLane lane : executor.allLanes) {
      for (Batch batch : lane.held) {
        if (batch.lane == lane) {
          answeredByNobody.add(batch);
        }
      }
    }
    executor.release(state.nowNs(), leases.nowNs);
    for (Batch batch : answeredByNobody) {
      if (!batch.hasUnendedJob()) {
        batches.forget(batch);
      }
    }
  }

  private void update(ExecutorLanes executor, ExecutorReported report) {
    executor.update(report, state.nowNs(), leases.nowNs);
    state.executorsChanged();
    queue.budgetsChanged();
  }

  void checkLeases(CoreListener listener) {
    for (ExecutorLanes executor : state.executors.all) {
      if (leases.hasExpired(executor)) {
        executor.lost(true);
        loseAll(executor, listener);
      }
    }
    if (leases.overdueCheckAtNs <= leases.nowNs) {
      loseOverdue(listener);
    }
  }

  /** Gives up all batches of hanging lanes; a lane hangs if its first batch is overdue. */
  private void loseOverdue(CoreListener listener) {
    List<ExecutorLane> hanging = new ArrayList<>();
    for (ExecutorLanes executor : state.executors.all) {
      for (ExecutorLane lane : executor.allLanes) {
        List<Batch> held = lane.held;
        if (!held.isEmpty() && !held.get(0).lost && lane.overdueAtLeaseNs() <= leases.nowNs) {
          hanging.add(lane);
        }
      }
    }
    for (ExecutorLane lane : hanging) { // a gang hangs on several
      loseAll(lane, listener);
    }
    leases.checkedOverdue();
  }

  private void loseAll(ExecutorLanes executor, CoreListener listener) {
    for (ExecutorLane lane : executor.allLanes) {
      loseAll(lane, listener);
    }
  }

  private void loseAll(ExecutorLane lane, CoreListener listener) {
    for (Batch batch : lane.held) {
      if (!batch.lost) {
        lose(batch, listener);
      }
    }
  }

  private void lose(Batch batch, CoreListener listener) {
    batches.running--;
    batches.lose(batch);
    batch.lane.executor.lose(batch);
    for (QueuedJob job : batch.jobs) {
      if (job.phase == QueuedJob.Phase.ENDED) {
        continue;
      }
      if (job.attempts + 1 >= state.settings.leases().maxAttempts()) {
        completions.end(job, batch, Status.FAILED, Reason.LANE_LOST.text(), listener);
      } else {
        job.attempts++;
        Batches.rememberLostIn(job, batch);
        queue.putBack(job);
      }
    }
  }
}
