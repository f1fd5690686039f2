package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreFact.Capability;
import dev.sluice.scheduling.CoreFact.ExecutorReported;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An executor: its lanes, its tokens, and what runs on them. */
final class ExecutorLanes {
  final int order;
  ExecutorReported report;
  private final List<Lane> lanes = new ArrayList<>();
  private final BitSet idle = new BitSet();
  private long tokensHeld;

  /** A batch on its way. */
  record Batch(Dispatch dispatch, List<QueuedJob> jobs, Lane lane) {}

  /**
   * @param nowNs since when its lanes are idle
   */
  ExecutorLanes(int order, ExecutorReported report, long nowNs) {
    this.order = order;
    this.report = report;
    addLanes(nowNs);
  }

  static ExecutorLanes restore(CoreEntity.Executor entity) {
    ExecutorLanes executor = new ExecutorLanes(entity.order(), entity.report(), 0);
    for (int i = executor.lanes.size(); i < entity.idleSinceNs().size(); i++) {
      executor.lanes.add(executor.new Lane(i, 0)); // busy with a batch of an older incarnation
    }
    for (Lane lane : executor.lanes) {
      lane.idleSinceNs = entity.idleSinceNs().get(lane.index);
    }
    return executor;
  }

  CoreEntity.Executor toEntity() {
    return new CoreEntity.Executor(
        order, report, lanes.stream().map(lane -> lane.idleSinceNs).toList());
  }

  /** Takes a newer report. Lanes that it no longer has finish what runs on them. */
  void update(ExecutorReported newer, long nowNs) {
    report = newer;
    addLanes(nowNs);
    idle.clear();
    for (Lane lane : lanes) {
      idle.set(lane.index, lane.batch == null && lane.index < report.lanes());
    }
  }

  private void addLanes(long nowNs) {
    for (int i = lanes.size(); i < report.lanes(); i++) {
      lanes.add(new Lane(i, nowNs));
      idle.set(i);
    }
  }

  /** Whether its lanes take batches. */
  boolean joined() {
    return !report.leaving();
  }

  boolean canRun(JobGroup.Key key) {
    for (Capability capability : report.capabilities()) {
      if (capability.workload().equals(key.workload())
          && capability.backend().equals(key.backend())
          && capability.precision().equals(key.precision())) {
        return true;
      }
    }
    return false;
  }

  /** Tokens that no batch holds; negative if the budget shrank below what is held. */
  long freeTokens() {
    return report.tokens() - tokensHeld;
  }

  boolean hasIdleLane() {
    return joined() && !idle.isEmpty();
  }

  /** Its idle lane with the lowest index; null: none, or it left. */
  @Nullable Lane firstIdleLane() {
    return hasIdleLane() ? lanes.get(idle.nextSetBit(0)) : null;
  }

  /** The lanes of its last report, by index. */
  List<Lane> lanes() {
    return lanes.subList(0, report.lanes());
  }

  Lane lane(int index) {
    return lanes.get(index);
  }

  void start(Batch batch) {
    batch.lane().batch = batch;
    idle.clear(batch.lane().index);
    tokensHeld += batch.dispatch().tokens();
  }

  void finish(Batch batch, long nowNs) {
    Lane lane = batch.lane();
    lane.batch = null;
    lane.idleSinceNs = nowNs;
    idle.set(lane.index, lane.index < report.lanes());
    tokensHeld -= batch.dispatch().tokens();
  }

  /** A lane of this executor. */
  final class Lane implements SchedulerState.Lane {
    private final int index;
    private long idleSinceNs;
    private @Nullable Batch batch;

    Lane(int index, long idleSinceNs) {
      this.index = index;
      this.idleSinceNs = idleSinceNs;
    }

    ExecutorLanes executor() {
      return ExecutorLanes.this;
    }

    @Override
    public String executorId() {
      return report.executorId();
    }

    @Override
    public int index() {
      return index;
    }

    @Override
    public String deviceKind() {
      return report.deviceKind();
    }

    @Override
    public boolean idle() {
      return batch == null;
    }

    @Override
    public long idleSinceNs() {
      return batch == null ? idleSinceNs : Long.MAX_VALUE;
    }

    @Override
    public long expectedFreeAtNs() {
      return batch == null
          ? idleSinceNs
          : batch.dispatch().decidedAtNs() + batch.dispatch().prediction().meanNs();
    }

    @Override
    public String toString() {
      return executorId() + "/" + index;
    }
  }
}
