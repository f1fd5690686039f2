package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.Ticked;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import java.util.ArrayList;
import java.util.List;

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

  /** Row of the hop of the tick that is on its way. */
  int tickRow;

  private final SchedulingCore core;
  private final SimulationListener listener;
  private final JobEnds ends;
  private long facts;
  private long appendedAtNs;

  /** Told of each job that ended. */
  interface JobEnds {
    void ended(JobEnded end);
  }

  SimulatedShard(
      int number, SimulationSettings settings, SimulationListener listener, JobEnds ends) {
    this.number = number;
    this.listener = listener;
    this.ends = ends;
    core = new SchedulingCore(settings.core(), settings.policies().get());
    work = new SharedLanes(settings.lanes());
    lanes = new SimulatedLane[settings.lanes()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new SimulatedLane();
    }
  }

  /** Returns the log time of a record that is appended now. */
  static long logTimeNs(long nowNs) {
    return nowNs - Math.floorMod(nowNs, MS);
  }

  private long appendedAtEpochMs() {
    return Simulation.epochMs(appendedAtNs);
  }

  /**
   * Applies a fact that is appended now to the core and tells of it; {@link #started} then holds
   * the batches that it starts.
   */
  void apply(Fact fact, long atLogTimeNs) {
    appendedAtNs = atLogTimeNs;
    listener.onFact(fact, number, appendedAtEpochMs());
    core.apply(facts++, appendedAtNs, fact, this);
  }

  long facts() {
    return facts;
  }

  /**
   * Returns when the core wants a tick, rounded up to whole milliseconds unless its time is finer,
   * since an earlier log time would be too early.
   */
  long wakeAtNs() {
    long atNs = core.wakeAtNs();
    if (atNs == Long.MAX_VALUE) {
      return Timeline.NEVER;
    }
    return core.hasFineTime() ? atNs : -logTimeNs(-atNs);
  }

  /** Returns a tick that was sent at a time. */
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
    ends.ended(end);
  }

  @Override
  public void blocked(Blocked span) {
    listener.onOutcome(span, number, appendedAtEpochMs());
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    throw new IllegalArgumentException("the predictions are not to be used: " + reason);
  }
}
