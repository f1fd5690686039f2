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
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane.Coming;
import dev.sluice.scheduling.simulation.SimulatedShard.SimulatedLane.Going;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The traffic between cores and lanes: dispatches arrive, batches run, completions leave. */
final class LaneTraffic {
  private final Simulation simulation;
  private final SimulationSettings settings;
  private final ServiceModel service;
  private final Hops hops;

  /** Lanes whose batches end at one instant; used again. */
  private final int[] ended;

  private final Map<ModelKey, Long> loadNs = new HashMap<>();

  long started;

  long finished;

  LaneTraffic(Simulation simulation, SimulationSettings settings, ServiceModel service) {
    this.simulation = simulation;
    this.settings = settings;
    this.service = service;
    this.hops = settings.hops();
    this.ended = new int[settings.lanes()];
    for (Capability capability : settings.capabilities()) {
      Long ns = capability.loadNs();
      loadNs.put(capability.model(), ns == null ? 0 : ns);
    }
  }

  /** Sends a dispatch to its lane; dispatches to one lane arrive in their order. */
  void send(SimulatedShard shard, Dispatch dispatch, long arrivesNs) {
    int number =
        dispatch instanceof BatchDispatched batch
            ? batch.lanes().get(0)
            : ((LanePrepared) dispatch).lane();
    SimulatedLane lane = shard.lanes[number];
    if (arrivesNs == simulation.nowNs && lane.coming.isEmpty()) {
      hold(lane, dispatch);
      return;
    }
    Coming last = lane.coming.peekLast();
    lane.coming.add(
        new Coming(dispatch, last == null ? arrivesNs : Math.max(arrivesNs, last.atNs())));
    simulation.dispatches.set(lane.place, lane.comesAtNs());
  }

  void reach(SimulatedLane lane) {
    Dispatch dispatch = lane.coming.remove().dispatch();
    simulation.dispatches.set(lane.place, lane.comesAtNs());
    hold(lane, dispatch);
  }

  private void hold(SimulatedLane lane, Dispatch sent) {
    if (!(sent instanceof BatchDispatched dispatch)) {
      lane.preparations.add((LanePrepared) sent);
      if (lane.preparations.size() == 1) {
        prepare(lane);
      }
      return;
    }
    BatchDispatched waits = lane.running == null ? lane.ahead.peek() : null;
    Long notAfterNs = dispatch.decision().notAfterNs();
    DispatchId cancels = dispatch.decision().cancels();
    BatchDispatched runs = lane.running;
    if (runs != null && runs.dispatchId().equals(cancels)) {
      if (lane.shard.work.cancel(lane.number, simulation.nowNs)) {
        cancelled(lane, runs);
        begin(lane, dispatch);
      } else {
        lane.ahead.add(dispatch); // the other is done, and leaves the lane at once
      }
    } else if (waits != null && waits.dispatchId().equals(cancels)) {
      lane.ahead.remove();
      answerCancelled(lane, waits, simulation.nowNs, null);
      simulation.releases.set(lane.place, Timeline.NEVER);
      begin(lane, dispatch);
    } else if (notAfterNs != null && simulation.nowNs > notAfterNs) {
      refuse(lane, dispatch, Reason.TOO_LATE);
    } else if (lane.holds() > settings.core().placing().ahead()) {
      refuse(lane, dispatch, Reason.BUSY);
    } else if (lane.running == null) {
      begin(lane, dispatch);
    } else {
      lane.ahead.add(dispatch);
    }
  }

  private void cancelled(SimulatedLane lane, BatchDispatched dispatch) {
    lane.running = null;
    finished++;
    simulation.ends.set(lane.shard.number, lane.shard.work.nextFinishNs());
    answerCancelled(lane, dispatch, lane.startedAtNs, lane.busyLanesAtStart);
  }

  private void answerCancelled(
      SimulatedLane lane, BatchDispatched dispatch, long startedAtNs, @Nullable Integer busyLanes) {
    var fact = completed(lane, dispatch, startedAtNs, Result.CANCELLED, null, busyLanes);
    tell(lane, fact, Kind.COMPLETION);
  }

  private BatchCompleted completed(
      SimulatedLane lane,
      BatchDispatched dispatch,
      long startedAtNs,
      Result result,
      @Nullable Long emulatedNs,
      @Nullable Integer busyLanes) {
    return new BatchCompleted(
        dispatch.dispatchId(),
        dispatch.executorId(),
        dispatch.incarnation(),
        lane.number,
        startedAtNs,
        simulation.nowNs,
        simulation.nowNs - startedAtNs,
        startedAtNs - lane.waitsSinceNs,
        result,
        null,
        List.of(),
        emulatedNs,
        busyLanes);
  }

  private void refuse(SimulatedLane lane, BatchDispatched dispatch, Reason cause) {
    var fact =
        BatchCompleted.refused(
            dispatch.dispatchId(),
            dispatch.executorId(),
            dispatch.incarnation(),
            lane.number,
            cause);
    tell(lane, fact, Kind.REQUEST);
  }

  /** Begins a batch, at once or when the lane has loaded its model. */
  private void begin(SimulatedLane lane, BatchDispatched dispatch) {
    lane.waitsSinceNs = simulation.nowNs;
    if (mayBegin(lane, dispatch)) {
      run(lane, dispatch);
      return;
    }
    lane.ahead.addFirst(dispatch);
    Long notBeforeNs = dispatch.decision().notBeforeNs();
    if (notBeforeNs != null && notBeforeNs > simulation.nowNs) {
      simulation.releases.set(lane.place, notBeforeNs);
    }
  }

  /** Returns whether its time has come and the lane holds its model. */
  private boolean mayBegin(SimulatedLane lane, BatchDispatched dispatch) {
    Long notBeforeNs = dispatch.decision().notBeforeNs();
    return (notBeforeNs == null || notBeforeNs <= simulation.nowNs)
        && (settings.core().placing().laneBytes() == 0
            || lane.loaded.contains(dispatch.work().model()));
  }

  /** Runs the batch that waits on a lane which runs none, if it may begin. */
  private void runWaiting(SimulatedLane lane) {
    BatchDispatched waits = lane.running == null ? lane.ahead.peek() : null;
    if (waits != null && mayBegin(lane, waits)) {
      lane.ahead.remove();
      run(lane, waits);
    }
  }

  private void prepare(SimulatedLane lane) {
    LanePrepared preparation = lane.preparations.element();
    for (ModelKey model : preparation.releases()) {
      lane.loaded.remove(model);
      var fact =
          new ModelEvicted(
              preparation.dispatchId(),
              preparation.executorId(),
              preparation.incarnation(),
              lane.number,
              model,
              simulation.nowNs);
      tell(lane, fact, Kind.COMPLETION);
    }
    loadFrom(lane, 0);
  }

  /** Loads the models of the first preparation from a place on. */
  private void loadFrom(SimulatedLane lane, int place) {
    LanePrepared preparation = lane.preparations.element();
    if (place < preparation.loads().size()) {
      lane.loads = place;
      lane.loadStartedAtNs = simulation.nowNs;
      long ns = loadNs.getOrDefault(preparation.loads().get(place), 0L);
      simulation.loads.set(lane.place, simulation.nowNs + ns);
      return;
    }
    simulation.loads.set(lane.place, Timeline.NEVER);
    lane.preparations.remove();
    if (!lane.preparations.isEmpty()) {
      prepare(lane);
    }
  }

  /** Ends the load of a model, for which a batch may wait. */
  void endLoad(SimulatedLane lane) {
    LanePrepared preparation = lane.preparations.element();
    ModelKey model = preparation.loads().get(lane.loads);
    lane.loaded.add(model);
    var fact =
        new ModelLoaded(
            preparation.dispatchId(),
            preparation.executorId(),
            preparation.incarnation(),
            lane.number,
            model,
            lane.loadStartedAtNs,
            simulation.nowNs,
            null);
    tell(lane, fact, Kind.COMPLETION);
    loadFrom(lane, lane.loads + 1);
    runWaiting(lane);
  }

  private void tell(SimulatedLane lane, Fact fact, Kind kind) {
    Hop hop = hops.at(kind, simulation.nowNs);
    go(lane, new Going(fact, hop, simulation.nowNs + hop.appendNs()));
  }

  private void run(SimulatedLane lane, BatchDispatched dispatch) {
    lane.shard.work.start(
        lane.number,
        service.nsByBusyLanes(dispatch.work()),
        service.factor(dispatch.work(), simulation.nowNs),
        simulation.nowNs);
    simulation.ends.set(lane.shard.number, lane.shard.work.nextFinishNs());
    started++;
    lane.running = dispatch;
    lane.startedAtNs = simulation.nowNs;
    lane.busyLanesAtStart = lane.shard.work.busy();
  }

  void endBatches(SimulatedShard shard) {
    int count = shard.work.endNext(ended);
    finished += count;
    for (int i = 0; i < count; i++) {
      SimulatedLane lane = shard.lanes[ended[i]];
      lane.doneAtNs = simulation.nowNs;
      long lateNs = hops.at(Kind.COMPLETION, simulation.nowNs).lateNs();
      if (lateNs == 0) {
        release(lane);
      } else {
        simulation.releases.set(lane.place, simulation.nowNs + lateNs);
      }
    }
    simulation.ends.set(shard.number, shard.work.nextFinishNs());
  }

  void releaseDue(SimulatedLane lane) {
    simulation.releases.set(lane.place, Timeline.NEVER);
    if (lane.running == null) {
      runWaiting(lane); // whose time has come
    } else {
      release(lane);
    }
  }

  /** Releases the lane after a batch: the next may begin, and the completion leaves. */
  private void release(SimulatedLane lane) {
    BatchDispatched dispatch = lane.running;
    if (dispatch == null) {
      throw new IllegalStateException("lane " + lane.number + " ran nothing");
    }
    Long emulatedNs = settings.emulated() ? lane.doneAtNs - lane.startedAtNs : null;
    var fact =
        completed(lane, dispatch, lane.startedAtNs, Result.DONE, emulatedNs, lane.busyLanesAtStart);
    Hop hop = hops.at(Kind.COMPLETION, lane.doneAtNs);
    lane.running = null;
    BatchDispatched next = lane.ahead.poll();
    if (next != null) {
      begin(lane, next);
    }
    if (hop.appendNs() == 0 && lane.going.isEmpty()) {
      simulation.apply(lane.shard, fact, hop);
    } else {
      go(lane, new Going(fact, hop, simulation.nowNs + hop.appendNs()));
    }
  }

  private void go(SimulatedLane lane, Going going) {
    Going last = lane.going.peekLast();
    lane.going.add(
        last == null || last.atNs() <= going.atNs()
            ? going
            : new Going(going.fact(), going.hop(), last.atNs()));
    simulation.completions.set(lane.place, lane.goesAtNs());
  }

  void appendCompletion(SimulatedLane lane) {
    Going going = lane.going.remove();
    simulation.completions.set(lane.place, lane.goesAtNs());
    simulation.apply(lane.shard, going.fact(), going.hop());
  }
}
