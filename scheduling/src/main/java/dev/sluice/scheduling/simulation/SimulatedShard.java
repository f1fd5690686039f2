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
import dev.sluice.contract.value.SharedLanes;
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

  /** Lanes whose batches end at one instant; used again. */
  private final int[] ended;

  /** Dispatches that the core has made by the fact at hand, in order. */
  private final List<Dispatch> started = new ArrayList<>();

  /** Time of the next tick: when the core wants one, or a heartbeat after the last fact. */
  long tickDueNs = Timeline.NEVER;

  /** Time since which a tick is on its way to the core; {@link Timeline#NEVER}: none is. */
  long tickSentNs = Timeline.NEVER;

  private final SchedulingCore core;
  private final LogFold listener;
  private final Simulation simulation;
  long facts;
  private long appendedAtNs;

  SimulatedShard(Simulation simulation, int number, SimulationSettings settings, LogFold listener) {
    this.simulation = simulation;
    this.number = number;
    this.listener = listener;
    core = new SchedulingCore(settings.core(), settings.policies().get());
    work = new SharedLanes(settings.lanes());
    lanes = new SimulatedLane[settings.lanes()];
    ended = new int[lanes.length];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new SimulatedLane(simulation, this, i, number * lanes.length + i);
    }
  }

  /** Returns the log time of a record that is appended now. */
  static long logTimeNs(long nowNs) {
    return nowNs - Math.floorMod(nowNs, MS);
  }

  private long appendedAtEpochMs() {
    return Simulation.epochMs(appendedAtNs);
  }

  /** Applies a fact that is appended now; {@link #send} then sends what it starts. */
  void apply(Fact fact, long atLogTimeNs) {
    appendedAtNs = atLogTimeNs;
    listener.onFact(fact, number, appendedAtEpochMs());
    core.apply(facts++, appendedAtNs, fact, this);
  }

  /** Sends what the fact at hand has started to its lanes. */
  void send(long arrivesNs) {
    for (int i = 0; i < started.size(); i++) {
      Dispatch dispatch = started.get(i);
      int lane =
          dispatch instanceof BatchDispatched batch
              ? batch.lanes().get(0)
              : ((LanePrepared) dispatch).lane();
      lanes[lane].send(dispatch, arrivesNs);
    }
    started.clear();
  }

  /** Ends the batches that are due now. */
  void endBatches() {
    int count = work.endNext(ended);
    simulation.batchesEnded += count;
    for (int i = 0; i < count; i++) {
      lanes[ended[i]].done();
    }
    simulation.ends.set(number, work.nextFinishNs());
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
    simulation.jobEnded(end);
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
