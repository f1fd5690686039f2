package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane.Coming;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane.Going;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The traffic between the cores and the lanes: dispatches arrive, batches run, completions leave.
 */
final class LaneTraffic {
  private final Simulation simulation;
  private final SimulationSettings settings;
  private final ServiceModel service;
  private final Hops hops;
  private final Timeline timeline;

  /** Lanes whose batches end at one instant; used again. */
  private final int[] ended;

  /** First slots on the timeline, each of one slot for every lane of every shard. */
  final int releases;

  final int completions;
  final int dispatches;
  final int loads;

  /** Times to load models, in nanoseconds. */
  private final Map<ModelKey, Long> loadNs = new HashMap<>();

  /** Number of batches that have started so far. */
  long started;

  /** Number of batches that have ended so far. */
  long finished;

  LaneTraffic(
      Simulation simulation,
      SimulationSettings settings,
      ServiceModel service,
      int releases,
      int completions,
      int dispatches,
      int loads) {
    this.simulation = simulation;
    this.settings = settings;
    this.service = service;
    this.hops = settings.hops();
    this.timeline = simulation.timeline;
    this.ended = new int[settings.lanes()];
    this.releases = releases;
    this.completions = completions;
    this.dispatches = dispatches;
    this.loads = loads;
    for (Capability capability : settings.capabilities()) {
      Long ns = capability.loadNs();
      loadNs.put(capability.model(), ns == null ? 0 : ns);
    }
  }

  private int slot(int first, SimulatedShard shard, int lane) {
    return first + shard.number * settings.lanes() + lane;
  }

  /** Sends a dispatch to its lane; dispatches to one lane arrive in their order. */
  void send(SimulatedShard shard, Dispatch dispatch, long arrivesNs) {
    int number =
        dispatch instanceof BatchDispatched batch
            ? batch.lanes().get(0)
            : ((LanePrepared) dispatch).lane();
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

  private void hold(SimulatedShard shard, int number, Dispatch sent) {
    SimulatedLane lane = shard.lanes[number];
    if (!(sent instanceof BatchDispatched dispatch)) {
      lane.preparations.add((LanePrepared) sent);
      if (lane.preparations.size() == 1) {
        prepare(shard, number);
      }
      return;
    }
    BatchDispatched waits = lane.running == null ? lane.ahead.peek() : null;
    Long notAfterNs = dispatch.notAfterNs();
    DispatchId cancels = dispatch.cancels();
    BatchDispatched runs = lane.running;
    if (runs != null && runs.dispatchId().equals(cancels)) {
      if (shard.work.cancel(number, simulation.nowNs)) {
        cancelled(shard, number, runs);
        begin(shard, number, dispatch);
      } else {
        lane.ahead.add(dispatch); // the other is done, and leaves the lane at once
      }
    } else if (waits != null && waits.dispatchId().equals(cancels)) {
      lane.ahead.remove();
      answerCancelled(shard, number, waits, simulation.nowNs, null);
      timeline.set(slot(releases, shard, number), Timeline.NEVER);
      begin(shard, number, dispatch);
    } else if (notAfterNs != null && simulation.nowNs > notAfterNs) {
      refuse(shard, number, dispatch, Reason.TOO_LATE);
    } else if (lane.holds() > settings.core().ahead()) {
      refuse(shard, number, dispatch, Reason.BUSY);
    } else if (lane.running == null) {
      begin(shard, number, dispatch);
    } else {
      lane.ahead.add(dispatch);
    }
  }

  private void cancelled(SimulatedShard shard, int number, BatchDispatched dispatch) {
    SimulatedLane lane = shard.lanes[number];
    lane.running = null;
    finished++;
    timeline.set(shard.number, shard.work.nextFinishNs());
    answerCancelled(shard, number, dispatch, lane.startedAtNs, lane.busyLanesAtStart);
  }

  private void answerCancelled(
      SimulatedShard shard,
      int number,
      BatchDispatched dispatch,
      long startedAtNs,
      @Nullable Integer busyLanes) {
    int row = hops.row(Kind.COMPLETION, simulation.nowNs);
    var fact =
        new BatchCompleted(
            dispatch.dispatchId(),
            dispatch.executorId(),
            dispatch.incarnation(),
            number,
            startedAtNs,
            simulation.nowNs,
            simulation.nowNs - startedAtNs,
            startedAtNs - shard.lanes[number].waitsSinceNs,
            Result.CANCELLED,
            null,
            List.of(),
            null,
            busyLanes);
    go(shard, number, new Going(fact, row, simulation.nowNs + hops.appendNs(Kind.COMPLETION, row)));
  }

  private void refuse(SimulatedShard shard, int number, BatchDispatched dispatch, Reason cause) {
    int row = hops.row(Kind.REQUEST, simulation.nowNs);
    long atNs = simulation.nowNs + hops.appendNs(Kind.REQUEST, row);
    var fact =
        BatchCompleted.refused(
            dispatch.dispatchId(), dispatch.executorId(), dispatch.incarnation(), number, cause);
    go(shard, number, new Going(fact, row, atNs));
  }

  /** Begins a batch, at once or when the lane has loaded its model. */
  private void begin(SimulatedShard shard, int number, BatchDispatched dispatch) {
    SimulatedLane lane = shard.lanes[number];
    lane.waitsSinceNs = simulation.nowNs;
    if (mayBegin(lane, dispatch)) {
      run(shard, number, dispatch);
      return;
    }
    lane.ahead.addFirst(dispatch);
    Long notBeforeNs = dispatch.notBeforeNs();
    if (notBeforeNs != null && notBeforeNs > simulation.nowNs) {
      timeline.set(slot(releases, shard, number), notBeforeNs);
    }
  }

  /** Returns whether its time has come and the lane holds its model. */
  private boolean mayBegin(SimulatedLane lane, BatchDispatched dispatch) {
    Long notBeforeNs = dispatch.notBeforeNs();
    return (notBeforeNs == null || notBeforeNs <= simulation.nowNs)
        && (settings.core().laneBytes() == 0 || lane.loaded.contains(dispatch.work().model()));
  }

  /** Runs the batch that waits on a lane which runs none, if it may begin. */
  private void runWaiting(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    BatchDispatched waits = lane.running == null ? lane.ahead.peek() : null;
    if (waits != null && mayBegin(lane, waits)) {
      lane.ahead.remove();
      run(shard, number, waits);
    }
  }

  /** Carries out the lane's first preparation. */
  private void prepare(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    LanePrepared preparation = lane.preparations.element();
    for (ModelKey model : preparation.releases()) {
      lane.loaded.remove(model);
      var fact =
          new ModelEvicted(
              preparation.dispatchId(),
              preparation.executorId(),
              preparation.incarnation(),
              number,
              model,
              simulation.nowNs);
      tell(shard, number, fact);
    }
    loadFrom(shard, number, 0);
  }

  /** Loads the models of the first preparation from a place on. */
  private void loadFrom(SimulatedShard shard, int number, int place) {
    SimulatedLane lane = shard.lanes[number];
    LanePrepared preparation = lane.preparations.element();
    if (place < preparation.loads().size()) {
      lane.loads = place;
      lane.loadStartedAtNs = simulation.nowNs;
      long ns = loadNs.getOrDefault(preparation.loads().get(place), 0L);
      timeline.set(slot(loads, shard, number), simulation.nowNs + ns);
      return;
    }
    timeline.set(slot(loads, shard, number), Timeline.NEVER);
    lane.preparations.remove();
    if (!lane.preparations.isEmpty()) {
      prepare(shard, number);
    }
  }

  /** Ends the load of a model, for which a batch may wait. */
  void endLoad(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    LanePrepared preparation = lane.preparations.element();
    ModelKey model = preparation.loads().get(lane.loads);
    lane.loaded.add(model);
    var fact =
        new ModelLoaded(
            preparation.dispatchId(),
            preparation.executorId(),
            preparation.incarnation(),
            number,
            model,
            lane.loadStartedAtNs,
            simulation.nowNs,
            null);
    tell(shard, number, fact);
    loadFrom(shard, number, lane.loads + 1);
    runWaiting(shard, number);
  }

  private void tell(SimulatedShard shard, int number, Fact fact) {
    int row = hops.row(Kind.COMPLETION, simulation.nowNs);
    go(shard, number, new Going(fact, row, simulation.nowNs + hops.appendNs(Kind.COMPLETION, row)));
  }

  private void run(SimulatedShard shard, int number, BatchDispatched dispatch) {
    SimulatedLane lane = shard.lanes[number];
    shard.work.start(
        number,
        service.nsByBusyLanes(dispatch.work()),
        service.factor(dispatch.work(), simulation.nowNs),
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
    if (shard.lanes[number].running == null) {
      runWaiting(shard, number); // whose time has come
    } else {
      release(shard, number);
    }
  }

  /**
   * Releases the lane after a batch: its next batch may begin, and the completion leaves for the
   * log.
   */
  private void release(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    BatchDispatched dispatch = lane.running;
    if (dispatch == null) {
      throw new IllegalStateException("lane " + number + " ran nothing");
    }
    var fact =
        new BatchCompleted(
            dispatch.dispatchId(),
            dispatch.executorId(),
            dispatch.incarnation(),
            number,
            lane.startedAtNs,
            simulation.nowNs,
            simulation.nowNs - lane.startedAtNs,
            lane.startedAtNs - lane.waitsSinceNs,
            Result.DONE,
            null,
            List.of(),
            settings.emulated() ? lane.doneAtNs - lane.startedAtNs : null,
            lane.busyLanesAtStart);
    int row = lane.endRow;
    lane.running = null;
    BatchDispatched next = lane.ahead.poll();
    if (next != null) {
      begin(shard, number, next);
    }
    long appendNs = hops.appendNs(Kind.COMPLETION, row);
    if (appendNs == 0 && lane.going.isEmpty()) {
      append(shard, fact, row);
    } else {
      go(shard, number, new Going(fact, row, simulation.nowNs + appendNs));
    }
  }

  private void go(SimulatedShard shard, int number, Going going) {
    SimulatedLane lane = shard.lanes[number];
    Going last = lane.going.peekLast();
    lane.going.add(
        last == null || last.atNs() <= going.atNs()
            ? going
            : new Going(going.fact(), going.row(), last.atNs()));
    timeline.set(slot(completions, shard, number), lane.goesAtNs());
  }

  void appendCompletion(SimulatedShard shard, int number) {
    SimulatedLane lane = shard.lanes[number];
    Going going = lane.going.remove();
    timeline.set(slot(completions, shard, number), lane.goesAtNs());
    append(shard, going.fact(), going.row());
  }

  private void append(SimulatedShard shard, Fact fact, int row) {
    boolean refused =
        fact instanceof BatchCompleted completion && completion.result() == Result.REFUSED;
    simulation.apply(shard, fact, refused ? Kind.REQUEST : Kind.COMPLETION, row);
  }
}
