package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.fact.CoreFact.BatchCompleted;
import dev.sluice.scheduling.fact.CoreFact.Result;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.Reason;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.SimulatedLane.Coming;
import dev.sluice.scheduling.simulation.SimulatedLane.Going;
import dev.sluice.scheduling.simulation.SimulationListener.Ran;
import org.jspecify.annotations.Nullable;

/**
 * The traffic between the cores and the lanes: dispatches arrive, batches run, completions leave.
 */
final class LaneTraffic {
  private final Simulation simulation;
  private final SimulationSettings settings;
  private final ServiceModel service;
  private final SimulationListener listener;
  private final Hops hops;
  private final Timeline timeline;

  /** Lanes whose batches end at one instant; used again. */
  private final int[] ended;

  /** First slots on the timeline, each of one slot for every lane of every shard. */
  final int releases;

  final int completions;
  final int dispatches;

  /** Number of batches that have started so far. */
  long started;

  /** Number of batches that have ended so far. */
  long finished;

  LaneTraffic(
      Simulation simulation,
      SimulationSettings settings,
      ServiceModel service,
      SimulationListener listener,
      int releases,
      int completions,
      int dispatches) {
    this.simulation = simulation;
    this.settings = settings;
    this.service = service;
    this.listener = listener;
    this.hops = settings.hops();
    this.timeline = simulation.timeline;
    this.ended = new int[settings.lanes()];
    this.releases = releases;
    this.completions = completions;
    this.dispatches = dispatches;
  }

  private int slot(int first, SimulatedShard shard, int lane) {
    return first + shard.number * settings.lanes() + lane;
  }

  /** Sends a dispatch to its lane; dispatches to one lane arrive in their order. */
  void send(SimulatedShard shard, Dispatch dispatch, long arrivesNs) {
    int number = dispatch.lanes().get(0);
    SimulatedLane lane = shard.lanes[number];
    if (arrivesNs == simulation.nowNs && lane.coming.isEmpty()) {
      hold(shard, number, dispatch);
      return;
    }
    Coming last = lane.coming.peekLast();
    lane.coming.add(
        new Coming(dispatch, last == null ? arrivesNs : Math.max(arrivesNs, last.atNs())));
    timeline.set(slot(dispatches, shard, number), lane.comesAtNs());
  }

  void reach(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    Dispatch dispatch = lane.coming.remove().dispatch();
    timeline.set(slot(dispatches, shard, number), lane.comesAtNs());
    hold(shard, number, dispatch);
  }

  private void hold(SimulatedShard shard, int number, Dispatch dispatch) {
    SimulatedLane lane = shard.lanes[number];
    if (simulation.nowNs > dispatch.notAfterNs()) {
      refuse(shard, number, dispatch, Reason.TOO_LATE.text());
    } else if (lane.holds() > settings.core().ahead()) {
      refuse(shard, number, dispatch, Reason.BUSY.text());
    } else if (lane.running == null) {
      begin(shard, number, dispatch);
    } else {
      lane.ahead.add(dispatch);
    }
  }

  private void refuse(SimulatedShard shard, int number, Dispatch dispatch, String cause) {
    int row = hops.row(Kind.REQUEST, simulation.nowNs);
    long atNs = simulation.nowNs + hops.appendNs(Kind.REQUEST, row);
    var fact = completed(dispatch, number, Result.REFUSED, cause, 0);
    go(shard, number, new Going(fact, Ran.NOT, row, atNs));
  }

  private static BatchCompleted completed(
      Dispatch dispatch, int lane, Result result, @Nullable String cause, long serviceNs) {
    return new BatchCompleted(
        dispatch.name(),
        dispatch.executorId(),
        dispatch.incarnation(),
        lane,
        result,
        cause,
        serviceNs);
  }

  private void begin(SimulatedShard shard, int number, Dispatch dispatch) {
    SimulatedLane lane = shard.lanes[number];
    JobSpec first = dispatch.jobs().get(0);
    int samples = dispatch.samples();
    shard.work.start(
        number,
        service.nsByBusyLanes(first, samples),
        service.factor(first, samples, dispatch.attempt(), simulation.nowNs),
        simulation.nowNs);
    timeline.set(shard.number, shard.work.nextFinishNs());
    started++;
    lane.running = dispatch;
    lane.startedAtNs = simulation.nowNs;
    lane.busyLanesAtStart = shard.work.busy();
  }

  void endBatches(SimulatedShard shard) {
    int count = shard.work.endNext(ended);
    finished += count;
    for (int i = 0; i < count; i++) {
      SimulatedLane lane = shard.lanes[ended[i]];
      lane.doneAtNs = simulation.nowNs;
      lane.endRow = hops.row(Kind.COMPLETION, simulation.nowNs);
      long lateNs = hops.lateNs(Kind.COMPLETION, lane.endRow);
      if (lateNs == 0) {
        release(shard, ended[i]);
      } else {
        timeline.set(slot(releases, shard, ended[i]), simulation.nowNs + lateNs);
      }
    }
    timeline.set(shard.number, shard.work.nextFinishNs());
  }

  void releaseDue(SimulatedShard shard, int number) {
    timeline.set(slot(releases, shard, number), Timeline.NEVER);
    release(shard, number);
  }

  /**
   * Releases the lane after a batch: its next batch may begin, and the completion leaves for the
   * log.
   */
  private void release(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    Dispatch dispatch = lane.running;
    if (dispatch == null) {
      throw new IllegalStateException("lane " + number + " ran nothing");
    }
    var ran =
        new Ran(
            lane.startedAtNs,
            simulation.nowNs,
            lane.doneAtNs - lane.startedAtNs,
            lane.busyLanesAtStart);
    var fact = completed(dispatch, number, Result.DONE, null, simulation.nowNs - lane.startedAtNs);
    int row = lane.endRow;
    lane.running = null;
    Dispatch next = lane.ahead.poll();
    if (next != null) {
      begin(shard, number, next);
    }
    long appendNs = hops.appendNs(Kind.COMPLETION, row);
    if (appendNs == 0 && lane.going.isEmpty()) {
      append(shard, fact, ran, row);
    } else {
      go(shard, number, new Going(fact, ran, row, simulation.nowNs + appendNs));
    }
  }

  private void go(SimulatedShard shard, int number, Going going) {
    SimulatedLane lane = shard.lanes[number];
    Going last = lane.going.peekLast();
    lane.going.add(
        last == null || last.atNs() <= going.atNs()
            ? going
            : new Going(going.fact(), going.ran(), going.row(), last.atNs()));
    timeline.set(slot(completions, shard, number), lane.goesAtNs());
  }

  void appendCompletion(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    Going going = lane.going.remove();
    timeline.set(slot(completions, shard, number), lane.goesAtNs());
    append(shard, going.fact(), going.ran(), going.row());
  }

  private void append(SimulatedShard shard, BatchCompleted fact, Ran ran, int row) {
    listener.completed(shard.number, simulation.logTimeNs, fact, ran);
    simulation.apply(
        shard, fact, fact.result() == Result.REFUSED ? Kind.REQUEST : Kind.COMPLETION, row);
  }
}
