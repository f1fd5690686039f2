package dev.sluice.scheduling.state;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.scheduling.prediction.ModelTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The executors of a core, and queries over all of them. */
public final class ExecutorTable {
  /** Executors in the order in which they joined. */
  public final List<ExecutorLanes> all = new ArrayList<>();

  /** Executors of {@link #all} as an array, which is read several times for each fact. */
  ExecutorLanes[] array = {};

  private final Map<String, ExecutorLanes> executorById = new HashMap<>();

  /** Lanes of all executors that have joined and not left. */
  List<ExecutorLane> joinedLanes = List.of();

  private final List<ExecutorLane> idleLanes = new ArrayList<>();

  /** Whether the idle lanes were looked up for an earlier choice. */
  private boolean idleIsStale = true;

  private final OpenExecutors open = new OpenExecutors();

  /** Whether the open executors were looked up for an earlier choice. */
  private boolean openIsStale = true;

  /** Executor that was looked up last: facts of one executor often follow each other. */
  private @Nullable ExecutorLanes lastLookedUp;

  public @Nullable ExecutorLanes byId(String executorId) {
    ExecutorLanes executor = lastLookedUp;
    if (executor == null || !executor.report.executorId().equals(executorId)) {
      executor = executorById.get(executorId);
      lastLookedUp = executor;
    }
    return executor;
  }

  public void add(ExecutorLanes executor) {
    all.add(executor);
    array = all.toArray(array);
    executorById.put(executor.report.executorId(), executor);
  }

  public boolean hasLane(ExecutorLane lane) {
    ExecutorLanes executor = lane.executor();
    return executor.order < array.length
        && array[executor.order] == executor
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

  /** Returns what each executor reported last. */
  public List<ExecutorReported> reports() {
    List<ExecutorReported> reports = new ArrayList<>(all.size());
    for (ExecutorLanes executor : all) {
      reports.add(executor.report);
    }
    return reports;
  }

  /** Notes that another choice is to be made. */
  void deciding() {
    idleIsStale = true;
    openIsStale = true;
  }

  List<ExecutorLane> idleLanes() {
    if (idleIsStale) {
      idleLanes.clear();
      for (ExecutorLanes executor : array) {
        executor.addIdle(idleLanes);
      }
      idleIsStale = false;
    }
    return idleLanes;
  }

  /** Returns the executors with a lane that takes a batch, for the choice at hand. */
  OpenExecutors open(long nowNs) {
    if (openIsStale) {
      open.find(array, nowNs);
      openIsStale = false;
    }
    return open;
  }

  /** Returns how often a lane of any of them has changed. */
  long changes() {
    long changes = 0;
    for (ExecutorLanes executor : array) {
      changes += executor.changes;
    }
    return changes;
  }

  /** Lets no lane but this take a batch; null: lets all. */
  public void openOnly(@Nullable ExecutorLane lane) {
    for (ExecutorLanes executor : array) {
      executor.openOnly(lane);
    }
  }

  /** Returns whether some lane is idle and takes a batch. */
  public boolean hasIdleLane() {
    for (ExecutorLanes executor : array) {
      if (executor.hasIdleLane()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether some lane takes a batch, be it idle or, with {@code ahead}, holding one
   * already.
   */
  public boolean hasFreeLane() {
    for (ExecutorLanes executor : array) {
      if (executor.takesBatch()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Upper bound of the time of one job of the group alone on the fastest joined executor, if none
   * of its other lanes is busy; 0: none can run it.
   */
  public long fastestNs(JobGroup group) {
    long fastestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : all) {
      ModelTimes model = executor.joined() ? group.modelOn(executor) : null;
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
        if (group.tokens <= executor.budgetTokens()) {
          return false;
        }
      }
    }
    return anyJoined;
  }

  /**
   * The executors with a lane that takes a batch, as one choice finds them, and the tokens that
   * they have for it. Often there is one, of which the last batch has just ended.
   */
  static final class OpenExecutors {
    /** Executors, in the first {@link #count} places. */
    private @Nullable ExecutorLanes[] executors = new ExecutorLanes[4];

    /** Free tokens of each that are reserved for no group. */
    private long[] unreserved = new long[4];

    private int count;

    /** Number of searches; values that a set remembers of an earlier search are stale. */
    private long finds;

    private boolean anyReserves;
    private long freeTokensMax;

    void find(ExecutorLanes[] all, long nowNs) {
      count = 0;
      finds++;
      anyReserves = false;
      freeTokensMax = Long.MIN_VALUE;
      for (ExecutorLanes executor : all) {
        if (executor.takesBatch()) {
          add(executor, nowNs);
        }
      }
    }

    private void add(ExecutorLanes executor, long nowNs) {
      if (count == executors.length) {
        executors = Arrays.copyOf(executors, 2 * count);
        unreserved = Arrays.copyOf(unreserved, 2 * count);
      }
      executors[count] = executor;
      unreserved[count] = executor.unreservedTokens(nowNs);
      anyReserves |= unreserved[count] < executor.freeTokens();
      freeTokensMax = Math.max(freeTokensMax, executor.freeTokens());
      count++;
    }

    /** Returns the most tokens that are free on one of them, be they reserved or not. */
    long freeTokensMax() {
      return freeTokensMax;
    }

    /**
     * Returns the most tokens for jobs of the set that hold no reservation; {@link Long#MIN_VALUE}:
     * none of the executors can run it.
     */
    long tokensFor(JobSet set) {
      if (set.openFinds != finds) {
        set.openFinds = finds;
        set.openTokens = findTokensFor(set);
      }
      return set.openTokens;
    }

    private long findTokensFor(JobSet set) {
      long most = Long.MIN_VALUE;
      for (int i = 0; i < count; i++) {
        if (unreserved[i] > most
            && set.modelOn(executor(i)) != null
            && executor(i).takes(set.lanesNeeded())) {
          most = unreserved[i];
        }
      }
      return most;
    }

    /** Returns whether a job of the set's group that holds a reservation can start on it. */
    boolean reserveEnoughFor(JobSet set, long nowNs) {
      for (int i = 0; anyReserves && i < count; i++) {
        ExecutorLanes executor = executor(i);
        if (executor.reservesEnoughFor(set, nowNs)
            && set.modelOn(executor) != null
            && executor.takes(set.lanesNeeded())) {
          return true;
        }
      }
      return false;
    }

    /**
     * Returns whether a job of the group, which holds a reservation or not, can start on one of
     * them.
     */
    boolean haveRoomFor(JobGroup group, long nowNs) {
      for (int i = 0; i < count; i++) {
        ExecutorLanes executor = executor(i);
        if (group.tokensNeeded <= executor.freeTokens(group, nowNs)
            && group.modelOn(executor) != null
            && executor.takes(group.lanesNeeded())) {
          return true;
        }
      }
      return false;
    }

    @SuppressWarnings("NullAway") // one stands at each place below count
    private ExecutorLanes executor(int place) {
      return executors[place];
    }
  }
}
