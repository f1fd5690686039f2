package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.SharedLanes;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.simulation.Hops.Hop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A shard: its core, the lanes of its executor, and its tick. */
final class SimulatedShard implements CoreListener {
  private static final long MS = 1_000_000;

  final int number;
  final SharedLanes work;
  final SimulatedLane[] lanes;

  /** Dispatches that the core has made by the fact at hand, in order. */
  final List<Dispatch> started = new ArrayList<>();

  /** Time of the next tick: when the core wants one, or a heartbeat after the last fact. */
  long tickDueNs = Timeline.NEVER;

  /** Time since which a tick is on its way to the core; {@link Timeline#NEVER}: none is. */
  long tickSentNs = Timeline.NEVER;

  private final SchedulingCore core;
  private final LogFold listener;
  private final Consumer<JobEnded> ends;
  long facts;
  private long appendedAtNs;

  SimulatedShard(
      int number, SimulationSettings settings, LogFold listener, Consumer<JobEnded> ends) {
    this.number = number;
    this.listener = listener;
    this.ends = ends;
    core = new SchedulingCore(settings.core(), settings.policies().get());
    work = new SharedLanes(settings.lanes());
    lanes = new SimulatedLane[settings.lanes()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new SimulatedLane(this, i, number * lanes.length + i);
    }
  }

  /** Returns the log time of a record that is appended now. */
  static long logTimeNs(long nowNs) {
    return nowNs - Math.floorMod(nowNs, MS);
  }

  private long appendedAtEpochMs() {
    return Simulation.epochMs(appendedAtNs);
  }

  /** Applies a fact that is appended now; {@link #started} then holds what it starts. */
  void apply(Fact fact, long atLogTimeNs) {
    appendedAtNs = atLogTimeNs;
    listener.onFact(fact, number, appendedAtEpochMs());
    core.apply(facts++, appendedAtNs, fact, this);
  }

  /** Returns when the core wants a tick, rounded up to a millisecond unless its time is finer. */
  long wakeAtNs() {
    long atNs = core.wakeAtNs();
    if (atNs == Long.MAX_VALUE) {
      return Timeline.NEVER;
    }
    return core.hasFineTime() ? atNs : -logTimeNs(-atNs);
  }

  Ticked tick(long sentAtNs) {
    return core.hasFineTime() ? new Ticked(sentAtNs) : new Ticked();
  }

  boolean isAtRest() {
    return core.waiting() == 0 && core.running() == 0;
  }

  @Override
  public void started(BatchDispatched dispatch) {
    started.add(dispatch);
    listener.onDispatch(dispatch, number, appendedAtEpochMs());
  }

  @Override
  public void prepared(LanePrepared dispatch) {
    started.add(dispatch);
    listener.onPrepared(dispatch, number, appendedAtEpochMs());
  }

  @Override
  public void ended(JobEnded end) {
    listener.onOutcome(end, number, appendedAtEpochMs());
    ends.accept(end);
  }

  @Override
  public void blocked(Blocked span) {
    listener.onOutcome(span, number, appendedAtEpochMs());
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    throw new IllegalArgumentException("the predictions are not to be used: " + reason);
  }

  /** A lane with its batches, and the dispatches and completions on their way to and from it. */
  static final class SimulatedLane {
    final SimulatedShard shard;
    final int number;

    final int place;

    /** Batch that the lane runs, or has run and not released yet. */
    @Nullable BatchDispatched running;

    long startedAtNs;

    long doneAtNs;

    int busyLanesAtStart;

    /** Batches beside the running one, in order; the first may wait for its model. */
    final ArrayDeque<BatchDispatched> ahead = new ArrayDeque<>(1);

    /** Time since which the running batch, or the first one that does not run, has waited here. */
    long waitsSinceNs;

    /** Models that the lane has loaded; empty where lanes hold all models. */
    final Set<ModelKey> loaded = new HashSet<>();

    /** Preparations that the lane carries out, the present one first. */
    final ArrayDeque<LanePrepared> preparations = new ArrayDeque<>(1);

    /** Place of the model that the lane loads among those of the present preparation. */
    int loads;

    long loadStartedAtNs;

    final ArrayDeque<Coming> coming = new ArrayDeque<>(1);

    /** Completions, and what came of loads, on their way to the log, in order. */
    final ArrayDeque<Going> going = new ArrayDeque<>(1);

    record Coming(Dispatch dispatch, long atNs) {}

    record Going(Fact fact, Hop hop, long atNs) {}

    SimulatedLane(SimulatedShard shard, int number, int place) {
      this.shard = shard;
      this.number = number;
      this.place = place;
    }

    int holds() {
      return (running == null ? 0 : 1) + ahead.size();
    }

    /** Returns the names of the batches that the lane holds, in the order in which they run. */
    List<DispatchId> held() {
      List<DispatchId> names = new ArrayList<>(holds());
      if (running != null) {
        names.add(running.dispatchId());
      }
      ahead.forEach(dispatch -> names.add(dispatch.dispatchId()));
      return names;
    }

    /** Returns when the next dispatch comes; {@link Timeline#NEVER}: none is on its way. */
    long comesAtNs() {
      Coming first = coming.peek();
      return first == null ? Timeline.NEVER : first.atNs;
    }

    /** Returns when the next completion is appended; {@link Timeline#NEVER}: none is on its way. */
    long goesAtNs() {
      Going first = going.peek();
      return first == null ? Timeline.NEVER : first.atNs;
    }
  }
}
