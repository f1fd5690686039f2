package dev.sluice.scheduling.state;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.ExecutorReported;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An executor: its lanes, its tokens, and the batches that its lanes hold. */
public final class ExecutorLanes {
  public final int order;

  /** Its last report, without what its lanes held then. */
  public ExecutorReported report;

  final Reservations reservations = new Reservations(this);

  private final int ahead;
  private final List<Lane> lanes = new ArrayList<>();

  /** Lanes that hold nothing and take a batch. */
  private final IndexSet idle = new IndexSet();

  /** Lanes that hold a batch and take one more. */
  private final IndexSet takesMore = new IndexSet();

  /** Lanes that hold a batch. */
  private final IndexSet busy = new IndexSet();

  private boolean firstToTakeMoreIsStale = true;
  private @Nullable Lane firstToTakeMore;

  /** Whether it says of a model how long it takes to load. */
  private boolean loads;

  public boolean lost;
  private long tokensHeld;
  private long tokensLost;

  /**
   * @param ahead how many batches a lane takes beside the one that it runs
   */
  public ExecutorLanes(int order, ExecutorReported report, int ahead) {
    this.order = order;
    this.ahead = ahead;
    report(report);
  }

  public void report(ExecutorReported newer) {
    report = newer.withoutMoment();
    loads = report.capabilities().stream().anyMatch(capability -> capability.loadNs() > 0);
  }

  public static ExecutorLanes restore(CoreEntity.Executor entity, int ahead) {
    ExecutorLanes executor = new ExecutorLanes(entity.order(), entity.report(), ahead);
    executor.lost = entity.lost();
    return executor;
  }

  /** Adds a lane as it was; they come by index. */
  public void restore(CoreEntity.Lane entity) {
    Lane lane = new Lane(entity.index());
    lane.freedAtNs = entity.freedAtNs();
    lane.freedAtLeaseNs = entity.freedAtLeaseNs();
    lane.refuses = entity.refuses();
    lane.resident = entity.resident();
    lanes.add(lane);
    lane.refresh();
  }

  public CoreEntity.Executor toEntity() {
    return new CoreEntity.Executor(order, report, lost);
  }

  /** Whether it has joined and not left; one whose lease has expired may come back. */
  public boolean joined() {
    return !report.leaving();
  }

  /** Whether its lease has expired. */
  public boolean lost() {
    return lost;
  }

  public void lost(boolean nowLost) {
    lost = nowLost;
    refreshAll();
  }

  /** Takes a newer report of the same incarnation, or the first one, as its state. */
  public void update(ExecutorReported newer, long nowNs, long leaseNs) {
    report(newer);
    for (int i = lanes.size(); i < report.lanes(); i++) {
      Lane lane = new Lane(i);
      lane.freedAtNs = nowNs;
      lane.freedAtLeaseNs = leaseNs;
      lanes.add(lane);
    }
    refreshAll();
  }

  /** Takes what it held from all lanes: the process that held it is gone. */
  public void release(long nowNs, long leaseNs) {
    for (Lane lane : lanes) {
      lane.held.clear();
      lane.lostHeld = 0;
      lane.refuses = false;
      lane.resident = null;
      lane.freedAtNs = nowNs;
      lane.freedAtLeaseNs = leaseNs;
    }
    tokensHeld = 0;
    tokensLost = 0;
    refreshAll();
  }

  private void refreshAll() {
    lanes.forEach(Lane::refresh);
  }

  public boolean canRun(JobGroup.Key key) {
    return canRun(key.workload(), key.backend(), key.precision());
  }

  public boolean canRun(String workload, String backend, String precision) {
    return report.capability(workload, backend, precision) != null;
  }

  /** How long one of its lanes takes to load a model, as it says; 0: it does not. */
  long loadNs(String workload, String backend, String precision) {
    if (!loads) {
      return 0;
    }
    Capability capability = report.capability(workload, backend, precision);
    return capability == null ? 0 : capability.loadNs();
  }

  /** Tokens that no batch holds; negative if the budget shrank below what is held. */
  long freeTokens() {
    return report.tokens() - tokensHeld;
  }

  /** Tokens that no batch holds and that are not reserved for another group. */
  long freeTokens(JobGroup group, long nowNs) {
    return freeTokens() - reservations.reservedForOthers(group, nowNs);
  }

  /** Tokens that no batch holds and that are reserved for no group. */
  long unreservedTokens(long nowNs) {
    JobGroup holder = reservations.holder(nowNs);
    return holder == null ? freeTokens() : freeTokens() - holder.tokens;
  }

  /** Whether a job of a group in the set may start on what is reserved for the group. */
  boolean reservesEnoughFor(JobSet set, long nowNs) {
    JobGroup holder = reservations.holder(nowNs);
    return holder != null && holder.set == set && holder.tokens <= freeTokens();
  }

  /** The budget without what lost batches hold, which may never come back. */
  long usableTokens() {
    return report.tokens() - tokensLost;
  }

  boolean hasIdleLane() {
    return !idle.isEmpty();
  }

  /** Whether a lane takes a batch, be it idle or not. */
  boolean takesBatch() {
    return !idle.isEmpty() || !takesMore.isEmpty();
  }

  /** Whether a job that needs so many lanes finds them, be it one that is not idle. */
  boolean takes(int lanesNeeded) {
    return lanesNeeded == 1 ? takesBatch() : firstIdle(lanesNeeded) != null;
  }

  /** How many lanes are busy if that one, and as many of the next ones as needed, run a batch. */
  int busyLanesWith(Lane lane, int lanesNeeded) {
    int more = 0;
    for (int i = lane.index; i < lane.index + lanesNeeded; i++) {
      more += busy.has(i) ? 0 : 1;
    }
    return busy.size() + more;
  }

  /** The lowest index at which so many idle lanes begin; null: there are not so many. */
  @Nullable Lane firstIdle(int lanesNeeded) {
    int first = idle.firstOf(lanesNeeded);
    return first < 0 ? null : lanes.get(first);
  }

  /** Whether this lane and as many of the next ones as needed are idle and take a batch. */
  boolean isIdle(Lane lane, int lanesNeeded) {
    return idle.hasAll(lane.index, lanesNeeded);
  }

  /**
   * The latest {@link Lane#expectedFreeAtNs} of this lane and as many of the next ones as needed.
   */
  long expectedFreeAtNs(Lane lane, int lanesNeeded) {
    long freeAtNs = Long.MIN_VALUE;
    for (int i = lane.index; i < lane.index + lanesNeeded; i++) {
      freeAtNs = Math.max(freeAtNs, lanes.get(i).expectedFreeAtNs());
    }
    return freeAtNs;
  }

  /** This lane and as many of the next ones as needed, which are there. */
  List<Lane> lanesFrom(Lane lane, int lanesNeeded) {
    return lanesNeeded == 1 ? lane.alone : lanes.subList(lane.index, lane.index + lanesNeeded);
  }

  /** Of the lanes that take a batch beside what they hold the one expected free first, by index. */
  @Nullable Lane firstToTakeMore() {
    if (firstToTakeMoreIsStale) {
      firstToTakeMore = null;
      for (int i = takesMore.next(0); i >= 0; i = takesMore.next(i + 1)) {
        Lane lane = lanes.get(i);
        if (firstToTakeMore == null
            || lane.expectedFreeAtNs() < firstToTakeMore.expectedFreeAtNs()) {
          firstToTakeMore = lane;
        }
      }
      firstToTakeMoreIsStale = false;
    }
    return firstToTakeMore;
  }

  /** Adds its idle lanes, by index. */
  void addIdle(List<Lane> to) {
    for (int i = idle.next(0); i >= 0; i = idle.next(i + 1)) {
      to.add(lanes.get(i));
    }
  }

  /** The lanes of its last report, by index. */
  List<Lane> lanes() {
    return lanes.subList(0, report.lanes());
  }

  /** All lanes, also those that its last report has no more. */
  public List<Lane> allLanes() {
    return lanes;
  }

  public Lane lane(int index) {
    return lanes.get(index);
  }

  public boolean hasLane(int index) {
    return index >= 0 && index < lanes.size();
  }

  public boolean hasLane(Lane lane) {
    return joined() && lane.index < report.lanes() && lanes.get(lane.index) == lane;
  }

  public void hold(Batch batch) {
    tokensHeld += batch.dispatch.tokens();
    tokensLost += batch.lost ? batch.dispatch.tokens() : 0;
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).hold(batch);
    }
  }

  /** The batch stays on its lanes, which take nothing more until it is answered. */
  public void lose(Batch batch) {
    batch.lost = true;
    tokensLost += batch.dispatch.tokens();
    for (int i = 0; i < batch.lanes; i++) {
      laneOf(batch, i).lostHeld++;
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

  /** The lanes of a batch, from the first on. */
  public Lane laneOf(Batch batch, int number) {
    return number == 0 ? batch.lane : lanes.get(batch.lane.index + number);
  }

  /** A lane of this executor. */
  public final class Lane implements SchedulerState.Lane {
    private final int index;
    public final List<Integer> indexes;
    private final List<Lane> alone;

    /** In the order in which it runs them. */
    public final List<Batch> held = new ArrayList<>(1 + ahead);

    private int lostHeld;
    public boolean refuses;
    private @Nullable String resident;

    /** When its first batch last left it: the first that it holds now has been so since then. */
    private long freedAtNs;

    private long freedAtLeaseNs;

    /** Whether it changed with the present fact. */
    public boolean changed;

    Lane(int index) {
      this.index = index;
      this.indexes = List.of(index);
      this.alone = List.of(this);
    }

    /** Those of a dispatch that runs on it and as many of the next ones as needed. */
    public List<Integer> indexes(int lanesNeeded) {
      return lanesNeeded == 1
          ? indexes
          : IntStream.range(index, index + lanesNeeded).boxed().toList();
    }

    public ExecutorLanes executor() {
      return ExecutorLanes.this;
    }

    private void hold(Batch batch) {
      held.add(batch);
      lostHeld += batch.lost ? 1 : 0;
      refresh();
    }

    private void finish(Batch batch, long nowNs, long leaseNs) {
      int place = held.indexOf(batch);
      held.remove(place);
      lostHeld -= batch.lost ? 1 : 0;
      if (place == 0) {
        freedAtNs = nowNs;
        freedAtLeaseNs = leaseNs;
      }
      refresh();
    }

    private void refresh() {
      boolean usable = joined() && !lost && index < report.lanes() && lostHeld == 0 && !refuses;
      idle.set(index, usable && held.isEmpty());
      if (ahead > 0) {
        takesMore.set(index, usable && !held.isEmpty() && held.size() <= ahead);
      }
      busy.set(index, !held.isEmpty());
      firstToTakeMoreIsStale = true;
    }

    /** A batch of that workload was started on it. */
    public void load(String workload) {
      resident = workload;
    }

    /** The batches that it holds, in the order in which it runs them. */
    public List<Batch> held() {
      return held;
    }

    /** The batch of that name, if it holds it and has not lost it. */
    @Nullable
    public Batch runningBatch(DispatchName name) {
      for (int i = 0; i < held.size(); i++) {
        Batch batch = held.get(i);
        if (!batch.lost && batch.dispatch.name().equals(name)) {
          return batch;
        }
      }
      return null;
    }

    public boolean holds(Batch batch) {
      return held.contains(batch);
    }

    public boolean takesBatch() {
      return idle.has(index) || takesMore.has(index);
    }

    public boolean refuses() {
      return refuses;
    }

    /** After it refused a batch as busy it takes none until it is known to do so again. */
    public void refuses(boolean nowRefuses) {
      refuses = nowRefuses;
      refresh();
    }

    /** When its first batch becomes overdue, by the lease clock; it holds one. */
    public long overdueAtLeaseNs() {
      Batch first = held.get(0);
      return Math.max(first.decidedAtLeaseNs, freedAtLeaseNs) + first.allowedNs();
    }

    public CoreEntity.Lane toEntity() {
      return new CoreEntity.Lane(executorId(), index, freedAtNs, freedAtLeaseNs, refuses, resident);
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
      return idle.has(index);
    }

    @Override
    public boolean hangs() {
      return lost || lostHeld > 0;
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
          : Math.max(held.get(0).dispatch.decidedAtNs(), freedAtNs) + heldNs();
    }

    @Override
    public String toString() {
      return executorId() + "/" + index;
    }
  }
}
