package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lane with its batches, and the traffic between it and the core: dispatches arrive, batches run,
 * completions leave.
 */
final class SimulatedLane {
  private final Simulation simulation;
  private final SimulatedShard shard;
  private final int number;

  /** Place of the lane among those of all shards. */
  private final int place;

  /** Batch that the lane runs, or has run and not released yet. */
  @Nullable BatchDispatched running;

  private long startedAtNs;

  private long doneAtNs;

  private int busyLanesAtStart;

  /** Batches beside the running one, in order; the first may wait for its model. */
  final ArrayDeque<BatchDispatched> ahead = new ArrayDeque<>(1);

  /** Time since which the running batch, or the first one that does not run, has waited here. */
  private long waitsSinceNs;

  /** Models that the lane has loaded; empty where lanes hold all models. */
  private final Set<ModelKey> loaded = new HashSet<>();

  /** Preparations that the lane carries out, the present one first. */
  private final ArrayDeque<LanePrepared> preparations = new ArrayDeque<>(1);

  /** Place of the model that the lane loads among those of the present preparation. */
  private int loads;

  private long loadStartedAtNs;

  private final ArrayDeque<Coming> coming = new ArrayDeque<>(1);

  /** Completions, and what came of loads, on their way to the log, in order. */
  private final ArrayDeque<Going> going = new ArrayDeque<>(1);

  private record Coming(Dispatch dispatch, long atNs) {}

  private record Going(Fact fact, Hop hop, long atNs) {}

  SimulatedLane(Simulation simulation, SimulatedShard shard, int number, int place) {
    this.simulation = simulation;
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
  private long comesAtNs() {
    Coming first = coming.peek();
    return first == null ? Timeline.NEVER : first.atNs;
  }

  /** Returns when the next completion is appended; {@link Timeline#NEVER}: none is on its way. */
  private long goesAtNs() {
    Going first = going.peek();
    return first == null ? Timeline.NEVER : first.atNs;
  }

  /** Sends a dispatch to this lane; dispatches arrive in their order. */
  void send(Dispatch dispatch, long arrivesNs) {
    if (arrivesNs == simulation.nowNs && coming.isEmpty()) {
      hold(dispatch);
      return;
    }
    Coming last = coming.peekLast();
    coming.add(new Coming(dispatch, last == null ? arrivesNs : Math.max(arrivesNs, last.atNs())));
    simulation.dispatches.set(place, comesAtNs());
  }

  void reach() {
    Dispatch dispatch = coming.remove().dispatch();
    simulation.dispatches.set(place, comesAtNs());
    hold(dispatch);
  }

  private void hold(Dispatch sent) {
    if (!(sent instanceof BatchDispatched dispatch)) {
      preparations.add((LanePrepared) sent);
      if (preparations.size() == 1) {
        prepare();
      }
      return;
    }
    BatchDispatched waits = running == null ? ahead.peek() : null;
    Long notAfterNs = dispatch.decision().notAfterNs();
    DispatchId cancels = dispatch.decision().cancels();
    BatchDispatched runs = running;
    if (runs != null && runs.dispatchId().equals(cancels)) {
      if (shard.work.cancel(number, simulation.nowNs)) {
        cancelled(runs);
        begin(dispatch);
      } else {
        ahead.add(dispatch); // the other is done, and leaves the lane at once
      }
    } else if (waits != null && waits.dispatchId().equals(cancels)) {
      ahead.remove();
      answerCancelled(waits, simulation.nowNs, null);
      simulation.releases.set(place, Timeline.NEVER);
      begin(dispatch);
    } else if (notAfterNs != null && simulation.nowNs > notAfterNs) {
      refuse(dispatch, Reason.TOO_LATE);
    } else if (holds() > simulation.settings.core().placing().ahead()) {
      refuse(dispatch, Reason.BUSY);
    } else if (running == null) {
      begin(dispatch);
    } else {
      ahead.add(dispatch);
    }
  }

  private void cancelled(BatchDispatched dispatch) {
    running = null;
    simulation.batchesEnded++;
    simulation.ends.set(shard.number, shard.work.nextFinishNs());
    answerCancelled(dispatch, startedAtNs, busyLanesAtStart);
  }

  private void answerCancelled(
      BatchDispatched dispatch, long beganAtNs, @Nullable Integer busyLanes) {
    tell(completed(dispatch, beganAtNs, Result.CANCELLED, null, busyLanes), Kind.COMPLETION);
  }

  private BatchCompleted completed(
      BatchDispatched dispatch,
      long beganAtNs,
      Result result,
      @Nullable Long emulatedNs,
      @Nullable Integer busyLanes) {
    return new BatchCompleted(
        dispatch.dispatchId(),
        dispatch.executorId(),
        dispatch.incarnation(),
        number,
        beganAtNs,
        simulation.nowNs,
        simulation.nowNs - beganAtNs,
        beganAtNs - waitsSinceNs,
        result,
        null,
        List.of(),
        emulatedNs,
        busyLanes);
  }

  private void refuse(BatchDispatched dispatch, Reason cause) {
    var fact =
        BatchCompleted.refused(
            dispatch.dispatchId(), dispatch.executorId(), dispatch.incarnation(), number, cause);
    tell(fact, Kind.REQUEST);
  }

  /** Begins a batch, at once or when the lane has loaded its model. */
  private void begin(BatchDispatched dispatch) {
    waitsSinceNs = simulation.nowNs;
    if (mayBegin(dispatch)) {
      run(dispatch);
      return;
    }
    ahead.addFirst(dispatch);
    Long notBeforeNs = dispatch.decision().notBeforeNs();
    if (notBeforeNs != null && notBeforeNs > simulation.nowNs) {
      simulation.releases.set(place, notBeforeNs);
    }
  }

  /** Returns whether its time has come and the lane holds its model. */
  private boolean mayBegin(BatchDispatched dispatch) {
    Long notBeforeNs = dispatch.decision().notBeforeNs();
    return (notBeforeNs == null || notBeforeNs <= simulation.nowNs)
        && (simulation.settings.core().placing().laneBytes() == 0
            || loaded.contains(dispatch.work().model()));
  }

  /** Runs the batch that waits on a lane which runs none, if it may begin. */
  private void runWaiting() {
    BatchDispatched waits = running == null ? ahead.peek() : null;
    if (waits != null && mayBegin(waits)) {
      ahead.remove();
      run(waits);
    }
  }

  private void prepare() {
    LanePrepared preparation = preparations.element();
    for (ModelKey model : preparation.releases()) {
      loaded.remove(model);
      var fact =
          new ModelEvicted(
              preparation.dispatchId(),
              preparation.executorId(),
              preparation.incarnation(),
              number,
              model,
              simulation.nowNs);
      tell(fact, Kind.COMPLETION);
    }
    loadFrom(0);
  }

  /** Loads the models of the first preparation from a place on. */
  private void loadFrom(int next) {
    LanePrepared preparation = preparations.element();
    if (next < preparation.loads().size()) {
      loads = next;
      loadStartedAtNs = simulation.nowNs;
      long ns = simulation.loadNs.getOrDefault(preparation.loads().get(next), 0L);
      simulation.loads.set(place, simulation.nowNs + ns);
      return;
    }
    simulation.loads.set(place, Timeline.NEVER);
    preparations.remove();
    if (!preparations.isEmpty()) {
      prepare();
    }
  }

  /** Ends the load of a model, for which a batch may wait. */
  void endLoad() {
    LanePrepared preparation = preparations.element();
    ModelKey model = preparation.loads().get(loads);
    loaded.add(model);
    var fact =
        new ModelLoaded(
            preparation.dispatchId(),
            preparation.executorId(),
            preparation.incarnation(),
            number,
            model,
            loadStartedAtNs,
            simulation.nowNs,
            null);
    tell(fact, Kind.COMPLETION);
    loadFrom(loads + 1);
    runWaiting();
  }

  private void tell(Fact fact, Kind kind) {
    Hop hop = simulation.hops.at(kind, simulation.nowNs);
    go(new Going(fact, hop, simulation.nowNs + hop.appendNs()));
  }

  private void run(BatchDispatched dispatch) {
    shard.work.start(
        number,
        simulation.service.nsByBusyLanes(dispatch.work()),
        simulation.service.factor(dispatch.work(), simulation.nowNs),
        simulation.nowNs);
    simulation.ends.set(shard.number, shard.work.nextFinishNs());
    simulation.batchesStarted++;
    running = dispatch;
    startedAtNs = simulation.nowNs;
    busyLanesAtStart = shard.work.busy();
  }

  /** Releases the lane after a batch whose work is done, at once or as late as lanes are. */
  void done() {
    doneAtNs = simulation.nowNs;
    long lateNs = simulation.hops.at(Kind.COMPLETION, simulation.nowNs).lateNs();
    if (lateNs == 0) {
      release();
    } else {
      simulation.releases.set(place, simulation.nowNs + lateNs);
    }
  }

  void releaseDue() {
    simulation.releases.set(place, Timeline.NEVER);
    if (running == null) {
      runWaiting(); // whose time has come
    } else {
      release();
    }
  }

  /** Releases the lane after a batch: the next may begin, and the completion leaves. */
  private void release() {
    BatchDispatched dispatch = running;
    if (dispatch == null) {
      throw new IllegalStateException("lane " + number + " ran nothing");
    }
    Long emulatedNs = simulation.settings.emulated() ? doneAtNs - startedAtNs : null;
    var fact = completed(dispatch, startedAtNs, Result.DONE, emulatedNs, busyLanesAtStart);
    Hop hop = simulation.hops.at(Kind.COMPLETION, doneAtNs);
    running = null;
    BatchDispatched next = ahead.poll();
    if (next != null) {
      begin(next);
    }
    if (hop.appendNs() == 0 && going.isEmpty()) {
      simulation.apply(shard, fact, hop);
    } else {
      go(new Going(fact, hop, simulation.nowNs + hop.appendNs()));
    }
  }

  private void go(Going next) {
    Going last = going.peekLast();
    going.add(
        last == null || last.atNs() <= next.atNs()
            ? next
            : new Going(next.fact(), next.hop(), last.atNs()));
    simulation.completions.set(place, goesAtNs());
  }

  void appendCompletion() {
    Going next = going.remove();
    simulation.completions.set(place, goesAtNs());
    simulation.apply(shard, next.fact(), next.hop());
  }
}
