package dev.sluice.scheduling.state;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.scheduling.prediction.ModelTimes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The executors of a core, and queries over all of them. */
public final class ExecutorTable {
  public final List<ExecutorLanes> all = new ArrayList<>();

  private final Map<String, ExecutorLanes> executorById = new HashMap<>();

  /** Lanes of all executors that have joined and not left. */
  List<ExecutorLane> joinedLanes = List.of();

  private final List<ExecutorLane> idleLanes = new ArrayList<>();

  boolean idleIsStale = true;

  public @Nullable ExecutorLanes byId(String executorId) {
    return executorById.get(executorId);
  }

  /** Finds a lane, also one that the last report lacks; null: there is none of that index. */
  public @Nullable ExecutorLane lane(String executorId, int index) {
    ExecutorLanes executor = byId(executorId);
    return executor == null || !executor.hasLane(index) ? null : executor.allLanes.get(index);
  }

  public void add(ExecutorLanes executor) {
    all.add(executor);
    executorById.put(executor.report.executorId(), executor);
  }

  public boolean hasLane(ExecutorLane lane) {
    ExecutorLanes executor = lane.executor;
    return executor.order < all.size()
        && all.get(executor.order) == executor
        && executor.hasLane(lane);
  }

  /** Looks up the lanes anew, after an executor joined or changed. */
  void changed() {
    joinedLanes =
        all.stream()
            .filter(ExecutorLanes::joined)
            .flatMap(executor -> executor.lanes().stream())
            .toList();
  }

  public List<ExecutorReported> reports() {
    return all.stream().map(executor -> executor.report).toList();
  }

  List<ExecutorLane> idleLanes() {
    if (idleIsStale) {
      idleLanes.clear();
      for (ExecutorLanes executor : all) {
        BitSet idle = executor.idle;
        for (int i = idle.nextSetBit(0); i >= 0; i = idle.nextSetBit(i + 1)) {
          idleLanes.add(executor.allLanes.get(i));
        }
      }
      idleIsStale = false;
    }
    return idleLanes;
  }

  /** Lets no lane but this take a batch; null: lets all. */
  public void openOnly(@Nullable ExecutorLane open) {
    for (ExecutorLanes executor : all) {
      for (ExecutorLane lane : executor.allLanes) {
        lane.closed = open != null && lane != open;
        lane.refresh();
      }
    }
  }

  /** Returns whether some lane is idle and takes a batch. */
  public boolean hasIdleLane() {
    for (ExecutorLanes executor : all) {
      if (!executor.idle.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether some lane takes a batch, idle or, with {@code ahead}, holding one. */
  public boolean hasFreeLane() {
    for (ExecutorLanes executor : all) {
      if (executor.takesBatch()) {
        return true;
      }
    }
    return false;
  }

  /** Upper bound of a job's time on the fastest joined executor, if idle; 0: none can run it. */
  public long fastestNs(JobGroup group) {
    long fastestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : all) {
      ModelTimes model = executor.joined() ? group.set.modelOn(executor) : null;
      if (model != null) {
        fastestNs = Math.min(fastestNs, model.boundNs(group.samples(), 1));
      }
    }
    return fastestNs == Long.MAX_VALUE ? 0 : fastestNs;
  }

  /** Returns whether executors have joined and none of them has a budget for a job of the group. */
  boolean isOverBudget(JobGroup group) {
    boolean anyJoined = false;
    for (ExecutorLanes executor : all) {
      if (executor.joined()) {
        anyJoined = true;
        if (group.tokens <= executor.budgetTokens) {
          return false;
        }
      }
    }
    return anyJoined;
  }
}
