package dev.sluice.scheduling.state;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A lane of an executor: the batches that it holds, and whether it takes another. */
public final class ExecutorLane implements SchedulerState.Lane {
  public final ExecutorLanes executor;

  final int index;

  private final List<Integer> indexes;

  final List<ExecutorLane> alone;

  /** Batches that the lane holds, in the order in which it runs them. */
  public final List<Batch> held;

  /** Whether the lane takes nothing, since it refused a batch as busy. */
  public boolean refuses;

  /** Whether it takes nothing, since another lane's batch was cancelled for the next start. */
  boolean closed;

  public @Nullable String resident;

  /** Models in its memory; null: lanes hold all models at once, or one at a time. */
  public final @Nullable LaneMemory memory;

  /** Time at which a first batch last left; the present first batch is first since then. */
  long freedAtNs;

  long freedAtLeaseNs;

  ExecutorLane(ExecutorLanes executor, int index) {
    this.executor = executor;
    this.index = index;
    this.indexes = List.of(index);
    this.alone = List.of(this);
    this.held = new ArrayList<>(1 + executor.ahead);
    this.memory = executor.laneBytes == 0 ? null : new LaneMemory(this, executor.laneBytes);
  }

  /** Returns the indexes of this lane and as many of the next ones as are needed. */
  public List<Integer> indexes(int lanesNeeded) {
    return lanesNeeded == 1
        ? indexes
        : IntStream.range(index, index + lanesNeeded).boxed().toList();
  }

  void hold(Batch batch) {
    held.add(batch);
    refresh();
  }

  void finish(Batch batch, long nowNs, long leaseNs) {
    int place = held.indexOf(batch);
    held.remove(place);
    if (place == 0) {
      freedAtNs = nowNs;
      freedAtLeaseNs = leaseNs;
    }
    refresh();
  }

  void refresh() {
    boolean usable =
        executor.joined()
            && !executor.lost
            && index < executor.report.lanes().size()
            && !holdsLost()
            && !refuses
            && !closed;
    executor.idle.set(index, usable && held.isEmpty());
    if (executor.ahead > 0) {
      executor.takesMore.set(index, usable && !held.isEmpty() && held.size() <= executor.ahead);
    }
    executor.busy.set(index, !held.isEmpty());
    executor.firstToTakeMoreIsStale = true;
  }

  /** Returns the batch of that name if the lane holds it and has not lost it; else null. */
  @Nullable
  public Batch runningBatch(DispatchId name) {
    for (int i = 0; i < held.size(); i++) {
      Batch batch = held.get(i);
      if (!batch.lost && batch.dispatch.dispatchId().equals(name)) {
        return batch;
      }
    }
    return null;
  }

  public boolean takesBatch() {
    return executor.idle.get(index) || executor.takesMore.get(index);
  }

  public void refuses(boolean nowRefuses) {
    refuses = nowRefuses;
    refresh();
  }

  private boolean holdsLost() {
    for (int i = 0; i < held.size(); i++) {
      if (held.get(i).lost) {
        return true;
      }
    }
    return false;
  }

  /** Returns when the first batch becomes overdue, by the lease clock; the lane holds one. */
  public long overdueAtLeaseNs() {
    Batch first = held.get(0);
    return Math.max(first.decidedAtLeaseNs, freedAtLeaseNs) + first.allowedNs();
  }

  public CoreEntity.Lane toEntity() {
    return new CoreEntity.Lane(
        executorId(),
        index,
        freedAtNs,
        freedAtLeaseNs,
        refuses,
        resident,
        memory == null ? List.of() : memory.toEntities());
  }

  @Override
  public List<LaneMemory.Resident> residents() {
    return memory == null ? List.of() : memory.residents;
  }

  @Override
  public long freeBytes() {
    return memory == null ? Long.MAX_VALUE : memory.freeBytes();
  }

  @Override
  public String executorId() {
    return executor.report.executorId();
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public String deviceKind() {
    return executor.report.deviceKind();
  }

  @Override
  public @Nullable Batch running() {
    return held.isEmpty() ? null : held.get(0);
  }

  @Override
  public boolean mayCancel() {
    return held.size() == 1
        && !holdsLost()
        && held.get(0).lanes == 1
        && held.get(0).hasUnendedJob()
        && executor.joined()
        && !executor.lost
        && !refuses
        && !closed;
  }

  @Override
  public boolean idle() {
    return executor.idle.get(index);
  }

  @Override
  public boolean hangs() {
    return executor.lost || holdsLost();
  }

  @Override
  public @Nullable String resident() {
    return resident;
  }

  @Override
  public long idleSinceNs() {
    return held.isEmpty() ? freedAtNs : Long.MAX_VALUE;
  }

  @Override
  public long heldNs() {
    long ns = 0;
    for (int i = 0; i < held.size(); i++) {
      ns += held.get(i).dispatch.prediction().meanNs();
    }
    return ns;
  }

  @Override
  public long expectedFreeAtNs() {
    return held.isEmpty()
        ? freedAtNs
        : Math.max(held.get(0).dispatch.decidedAtNs() + held.get(0).heldBackNs(), freedAtNs)
            + heldNs();
  }

  @Override
  public String toString() {
    return executorId() + "/" + index;
  }
}
