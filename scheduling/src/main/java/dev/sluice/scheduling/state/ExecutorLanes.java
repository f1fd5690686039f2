package dev.sluice.scheduling.state;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An executor: its lanes, its tokens, and the batches that its lanes hold. */
public final class ExecutorLanes {
  public final int order;

  /** Last report of the executor, without what holds for its moment alone. */
  public ExecutorReported report;

  /** Memory budget of the executor; {@link Long#MAX_VALUE}: none. */
  public long budgetTokens;

  final Reservations reservations = new Reservations(this);

  final int ahead;

  /** Memory of each lane; 0: lanes hold all models at once, or one at a time. */
  final long laneBytes;

  /** All lanes by index, also lanes that the last report lacks. */
  public final List<ExecutorLane> allLanes = new ArrayList<>();

  final BitSet idle = new BitSet();

  /** Lanes that hold a batch and take one more. */
  final BitSet takesMore = new BitSet();

  final BitSet busy = new BitSet();

  boolean firstToTakeMoreIsStale = true;
  private @Nullable ExecutorLane firstToTakeMore;

  private boolean loads;

  public boolean lost;
  private long tokensHeld;
  private long tokensLost;

  public ExecutorLanes(int order, ExecutorReported report, CoreSettings.Placing placing) {
    this.order = order;
    this.ahead = placing.ahead();
    this.laneBytes = placing.laneBytes();
    report(report);
  }

  private void report(ExecutorReported newer) {
    report = lasting(newer);
    budgetTokens = report.tokens() == null ? Long.MAX_VALUE : report.tokens();
    loads = report.capabilities().stream().anyMatch(capability -> capability.loadNs() != null);
  }

  /** Returns a report without what holds for its moment: dispatches on lanes, measurements. */
  public static ExecutorReported lasting(ExecutorReported report) {
    return ExecutorReported.of(
        report.executorId(),
        report.incarnation(),
        report.leaving(),
        report.deviceKind(),
        report.tokens(),
        report.lanes().stream().map(lane -> new Lane(lane.index(), List.of())).toList(),
        report.capabilities());
  }

  public static ExecutorLanes restore(CoreEntity.Executor entity, CoreSettings.Placing placing) {
    ExecutorLanes executor = new ExecutorLanes(entity.order(), entity.report(), placing);
    executor.lost = entity.lost();
    return executor;
  }

  /** Adds a lane from the state of an earlier core; lanes must be added by index. */
  public void restore(CoreEntity.Lane entity) {
    ExecutorLane lane = new ExecutorLane(this, entity.index());
    lane.freedAtNs = entity.freedAtNs();
    lane.freedAtLeaseNs = entity.freedAtLeaseNs();
    lane.refuses = entity.refuses();
    lane.resident = entity.resident();
    if (lane.memory != null) {
      entity.residents().forEach(lane.memory::restore);
    }
    allLanes.add(lane);
    lane.refresh();
  }

  public CoreEntity.Executor toEntity() {
    return new CoreEntity.Executor(order, report, lost);
  }

  /** Returns whether the executor has not left; one whose lease has expired may come back. */
  public boolean joined() {
    return !report.leaving();
  }

  public void lost(boolean nowLost) {
    lost = nowLost;
    allLanes.forEach(ExecutorLane::refresh);
  }

  /** Takes a newer report of the same incarnation, or the first one, as its state. */
  public void update(ExecutorReported newer, long nowNs, long leaseNs) {
    report(newer);
    for (int i = allLanes.size(); i < report.lanes().size(); i++) {
      ExecutorLane lane = new ExecutorLane(this, i);
      lane.freedAtNs = nowNs;
      lane.freedAtLeaseNs = leaseNs;
      allLanes.add(lane);
    }
    allLanes.forEach(ExecutorLane::refresh);
  }

  /** Empties all lanes: the process that held their batches is gone. */
  public void release(long nowNs, long leaseNs) {
    for (ExecutorLane lane : allLanes) {
      lane.held.clear();
      lane.refuses = false;
      lane.resident = null;
      if (lane.memory != null) {
        lane.memory.residents.clear();
      }
      lane.freedAtNs = nowNs;
      lane.freedAtLeaseNs = leaseNs;
    }
    tokensHeld = 0;
    tokensLost = 0;
    allLanes.forEach(ExecutorLane::refresh);
  }

  /** Returns how long a lane takes to load a model, as the executor says; 0: it does not say. */
  long loadNs(ModelKey model) {
    Capability capability = loads ? capability(model) : null;
    return capability == null || capability.loadNs() == null ? 0 : capability.loadNs();
  }

  /** Returns the memory that a model takes, as the executor says; 0: it does not say. */
  public long memoryBytes(ModelKey model) {
    Capability capability = laneBytes == 0 ? null : capability(model);
    return capability == null || capability.memoryBytes() == null ? 0 : capability.memoryBytes();
  }

  @Nullable Capability capability(ModelKey model) {
    for (Capability capability : report.capabilities()) {
      if (capability.workload().equals(model.workload())
          && capability.backend().equals(model.backend())
          && capability.precision().equals(model.precision())) {
        return capability;
      }
    }
    return null;
  }

  /** Returns the tokens that no batch holds; negative if the budget shrank below what is held. */
  public long freeTokens() {
    return budgetTokens - tokensHeld;
  }

  /** Returns the tokens that no batch holds and that are not reserved for another group. */
  public long freeTokens(JobGroup group, long nowNs) {
    return freeTokens() - reservations.reservedForOthers(group, nowNs);
  }

  /** Returns the budget without what lost batches hold, which may never come back. */
  long usableTokens() {
    return budgetTokens - tokensLost;
  }

  /** Returns whether a lane takes a batch, idle or not. */
  boolean takesBatch() {
    return !idle.isEmpty() || !takesMore.isEmpty();
  }

  /** Returns whether a job finds its lanes; a job of one lane may also take a busy one. */
  public boolean takes(int lanesNeeded) {
    return lanesNeeded == 1 ? takesBatch() : firstIdle(lanesNeeded) != null;
  }

  /** Returns how many lanes are busy if this one, and as many next ones as needed, run a batch. */
  int busyLanesWith(ExecutorLane lane, int lanesNeeded) {
    int more = 0;
    for (int i = lane.index; i < lane.index + lanesNeeded; i++) {
      more += busy.get(i) ? 0 : 1;
    }
    return busy.cardinality() + more;
  }

  /** Finds the first of that many idle neighbours; null: there are none. */
  @Nullable ExecutorLane firstIdle(int lanesNeeded) {
    int first = idle.nextSetBit(0);
    while (first >= 0 && lanesNeeded > 1) {
      int end = idle.nextClearBit(first);
      if (end - first >= lanesNeeded) {
        break;
      }
      first = idle.nextSetBit(end);
    }
    return first < 0 ? null : allLanes.get(first);
  }

  /** Returns whether this lane and as many of the next ones as needed are idle and take a batch. */
  boolean isIdle(ExecutorLane lane, int lanesNeeded) {
    return idle.nextClearBit(lane.index) - lane.index >= lanesNeeded;
  }

  /** Returns the latest expectedFreeAtNs of this lane and as many next ones as needed. */
  long expectedFreeAtNs(ExecutorLane lane, int lanesNeeded) {
    long freeAtNs = Long.MIN_VALUE;
    for (int i = lane.index; i < lane.index + lanesNeeded; i++) {
      freeAtNs = Math.max(freeAtNs, allLanes.get(i).expectedFreeAtNs());
    }
    return freeAtNs;
  }

  /** This lane and as many of the next ones as needed, which are there. */
  List<ExecutorLane> lanesFrom(ExecutorLane lane, int lanesNeeded) {
    return lanesNeeded == 1 ? lane.alone : allLanes.subList(lane.index, lane.index + lanesNeeded);
  }

  /** Finds, of the busy lanes that take a batch, the one that is expected free first. */
  @Nullable ExecutorLane firstToTakeMore() {
    if (firstToTakeMoreIsStale) {
      firstToTakeMore = null;
      for (int i = takesMore.nextSetBit(0); i >= 0; i = takesMore.nextSetBit(i + 1)) {
        ExecutorLane lane = allLanes.get(i);
        if (firstToTakeMore == null
            || lane.expectedFreeAtNs() < firstToTakeMore.expectedFreeAtNs()) {
          firstToTakeMore = lane;
        }
      }
      firstToTakeMoreIsStale = false;
    }
    return firstToTakeMore;
  }

  /** Returns the lanes of the executor's last report, by index. */
  public List<ExecutorLane> lanes() {
    return allLanes.subList(0, report.lanes().size());
  }

  public boolean hasLane(int index) {
    return index >= 0 && index < allLanes.size();
  }

  public boolean hasLane(ExecutorLane lane) {
    return joined() && lane.index < report.lanes().size() && allLanes.get(lane.index) == lane;
  }

  public void hold(Batch batch) {
    tokensHeld += batch.dispatch.tokens();
    tokensLost += batch.lost ? batch.dispatch.tokens() : 0;
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).hold(batch);
    }
  }

  /** Gives a batch up; it stays on its lanes, which take nothing until the executor answers. */
  public void lose(Batch batch) {
    batch.lost = true;
    tokensLost += batch.dispatch.tokens();
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).refresh();
    }
  }

  /** Takes a running batch off its lanes, which count as idle since they were last freed. */
  public void takeOff(Batch batch) {
    tokensHeld -= batch.dispatch.tokens();
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).held.remove(batch);
      laneOf(batch, i).refresh();
    }
  }

  public void finish(Batch batch, long nowNs, long leaseNs) {
    tokensHeld -= batch.dispatch.tokens();
    tokensLost -= batch.lost ? batch.dispatch.tokens() : 0;
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).finish(batch, nowNs, leaseNs);
    }
  }

  public ExecutorLane laneOf(Batch batch, int number) {
    return number == 0 ? batch.lane : allLanes.get(batch.lane.index + number);
  }
}
