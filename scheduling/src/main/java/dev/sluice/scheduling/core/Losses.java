package dev.sluice.scheduling.core;

import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;

/** Expiry of leases, and loss of batches whose lane or executor is silent. */
final class Losses {
  private final CoreState state;
  private final LeaseClock leases;
  private final JobQueue queue;
  private final Batches batches;
  private final Completions completions;

  Losses(
      CoreState state,
      LeaseClock leases,
      JobQueue queue,
      Batches batches,
      Completions completions) {
    this.state = state;
    this.leases = leases;
    this.queue = queue;
    this.batches = batches;
    this.completions = completions;
  }

  void checkLeases(CoreListener listener) {
    if (leases.anyExpired()) {
      for (ExecutorLanes executor : state.executors()) {
        if (leases.hasExpired(executor)) {
          executor.lost(true);
          loseAll(executor, listener);
        }
      }
      leases.executorsChanged();
    }
    if (leases.anyMayBeOverdue()) {
      loseOverdue(listener);
    }
  }

  /** Gives up all batches of hanging lanes; a lane hangs if its first batch is overdue. */
  private void loseOverdue(CoreListener listener) {
    List<ExecutorLane> hanging = new ArrayList<>();
    for (ExecutorLanes executor : state.executors()) {
      for (ExecutorLane lane : executor.allLanes()) {
        List<Batch> held = lane.held();
        if (!held.isEmpty() && !held.get(0).lost && lane.overdueAtLeaseNs() <= leases.nowNs()) {
          hanging.add(lane);
        }
      }
    }
    for (ExecutorLane lane : hanging) { // a gang hangs on several
      loseAll(lane, listener);
    }
    leases.checkedOverdue();
  }

  void loseAll(ExecutorLanes executor, CoreListener listener) {
    for (ExecutorLane lane : executor.allLanes()) {
      loseAll(lane, listener);
    }
  }

  private void loseAll(ExecutorLane lane, CoreListener listener) {
    for (Batch batch : lane.held()) {
      if (!batch.lost) {
        lose(batch, listener);
      }
    }
  }

  private void lose(Batch batch, CoreListener listener) {
    batches.running--;
    batches.lose(batch);
    batch.lane.executor().lose(batch);
    for (QueuedJob job : batch.jobs) {
      if (job.phase == QueuedJob.Phase.ENDED) {
        continue;
      }
      if (job.attempts() + 1 >= state.settings.leases().maxAttempts()) {
        completions.end(job, batch, Status.FAILED, Reason.LANE_LOST.text(), listener);
      } else {
        job.countLoss(state.snapshots);
        Batches.rememberLostIn(job, batch);
        queue.putBack(job);
      }
    }
  }
}
