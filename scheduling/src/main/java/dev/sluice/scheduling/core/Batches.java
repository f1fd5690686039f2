package dev.sluice.scheduling.core;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The running batches, by name, and lost batches that may still be answered. */
final class Batches {
  private final CoreState state;

  int running;

  /** Lost batches that were not answered yet and still have an unended job or a lane. */
  final Map<DispatchId, Batch> lost = new HashMap<>();

  Batches(CoreState state) {
    this.state = state;
  }

  @Nullable Batch running(DispatchId name, @Nullable ExecutorLane likely) {
    Batch batch = likely == null ? null : likely.runningBatch(name);
    for (int i = 0; batch == null && i < state.executors.all.size(); i++) {
      List<ExecutorLane> lanes = state.executors.all.get(i).allLanes;
      for (int j = 0; batch == null && j < lanes.size(); j++) {
        batch = lanes.get(j).runningBatch(name);
      }
    }
    return batch;
  }

  void lose(Batch batch) {
    lost.put(batch.dispatch.dispatchId(), batch);
  }

  static void rememberLostIn(QueuedJob job, Batch batch) {
    if (job.lostIn == null) {
      job.lostIn = new ArrayList<>(1);
    }
    job.lostIn.add(batch);
  }

  /** Forgets lost batches of an ended job that have no other unended job and hold no lane. */
  void forgetWhereLost(QueuedJob job) {
    if (job.lostIn != null) {
      for (Batch batch : job.lostIn) {
        if (!batch.lane.held.contains(batch) && !batch.hasUnendedJob()) {
          forget(batch);
        }
      }
      job.lostIn = null;
    }
  }

  void forget(Batch batch) {
    lost.remove(batch.dispatch.dispatchId());
  }
}
