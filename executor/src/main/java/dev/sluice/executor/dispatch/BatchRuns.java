package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches on their lanes: takes the lanes of a dispatch, runs its batch on the first lane's thread,
 * frees the lanes and appends the completion.
 */
final class BatchRuns {
  private static final Logger LOG = LoggerFactory.getLogger(BatchRuns.class);

  /** Multiple of its predicted service time after which a batch is overdue. */
  private static final int OVERDUE_FACTOR = 10;

  /** Time that a batch may always run before it counts as overdue. */
  private static final long OVERDUE_NS_MIN = 10_000_000_000L;

  /** Longest time to load a model before a closing executor gives the lane up. */
  private static final long LOAD_NS_MAX = 120_000_000_000L;

  private final ProcessClock clock;
  private final Pacer pacer;
  private final LaneFaults faults;
  private final ExecutorLog log;
  private final Completions completions;
  private final Consumer<Runnable> completing;
  private final Ending ending;

  /** Batches that run at the moment. */
  private final Map<DispatchId, LaneWork.PreparedBatch> running = new ConcurrentHashMap<>();

  /** Batches that were cancelled and have not ended. */
  private final Set<DispatchId> cancelled = ConcurrentHashMap.newKeySet();

  /** Number of lanes that run a batch at the moment. */
  private final AtomicInteger busy = new AtomicInteger();

  /**
   * @param pacer how a lane waits for the time before which a batch does not begin
   * @param completing runs the work that follows a batch: on the lane's own thread, or on another
   *     thread if lanes hold batches ahead. Either way batches are handled one after the other, so
   *     each lane's completions keep their order
   */
  BatchRuns(
      ProcessClock clock,
      Pacer pacer,
      LaneFaults faults,
      ExecutorLog log,
      Completions completions,
      Consumer<Runnable> completing,
      Ending ending) {
    this.clock = clock;
    this.pacer = pacer;
    this.faults = faults;
    this.log = log;
    this.completions = completions;
    this.completing = completing;
    this.ending = ending;
  }

  /**
   * Starts the batch on its lanes once these lanes have run the batches that they hold.
   *
   * @return false if one of the lanes holds as many dispatches as it can; nothing is started
   */
  boolean start(BatchDispatched dispatch, ModelKey model, List<Lane> lanes, RunClock runClock) {
    DispatchId cancels = dispatch.cancels();
    if (cancels != null && lanes.get(0).holds().contains(cancels)) {
      cancel(cancels);
      lanes.get(0).release(cancels);
    }
    if (!hold(lanes, dispatch.dispatchId())) {
      return false;
    }
    var gang = new Gang(lanes.size() - 1);
    for (Lane lane : lanes.subList(1, lanes.size())) {
      lane.execute(work -> gang.standBy(() -> work.hold(model)));
    }
    lanes
        .get(0)
        .execute(
            work -> {
              try {
                EndedBatch ran = run(work, dispatch, model, lanes, gang, runClock);
                completing.accept(() -> complete(lanes, ran, runClock));
              } catch (RuntimeException | Error e) {
                ending.fail(e);
              }
            });
    return true;
  }

  /** Has a lane release and load models, in the order of its preparations. */
  void prepare(LanePrepared dispatch, Lane lane, RunClock runClock) {
    lane.executeLoad(
        work -> {
          try {
            for (ModelKey model : dispatch.releases()) {
              work.evict(model);
              log.append(evicted(dispatch, model, runClock.nowNs()));
            }
            for (ModelKey model : dispatch.loads()) {
              log.append(load(work, dispatch, model, runClock));
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the executor closes
          } catch (RuntimeException | Error e) {
            ending.fail(e);
          }
        });
  }

  private static ModelEvicted evicted(LanePrepared dispatch, ModelKey model, long atNs) {
    return new ModelEvicted(
        dispatch.dispatchId(),
        dispatch.executorId(),
        dispatch.incarnation(),
        dispatch.lane(),
        model,
        atNs);
  }

  private ModelLoaded load(LaneWork work, LanePrepared dispatch, ModelKey model, RunClock runClock)
      throws InterruptedException {
    long zeroNs = runClock.toMonotonicNs(0);
    long startedNs = clock.monotonicNs();
    long finishedNs;
    String cause = null;
    try {
      finishedNs = work.load(model);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      LOG.warn("{} could not be loaded by {}", model, dispatch.dispatchId(), e);
      cause = e.getMessage() == null ? e.toString() : e.getMessage();
      finishedNs = clock.monotonicNs();
    }
    return new ModelLoaded(
        dispatch.dispatchId(),
        dispatch.executorId(),
        dispatch.incarnation(),
        dispatch.lane(),
        model,
        startedNs - zeroNs,
        finishedNs - zeroNs,
        cause);
  }

  /** Ends a batch of an emulated lane early, whether or not it runs already. */
  private void cancel(DispatchId dispatch) {
    cancelled.add(dispatch);
    LaneWork.PreparedBatch runs = running.get(dispatch);
    if (runs != null) {
      runs.cancel();
    }
  }

  /** Takes all lanes, or none. */
  private static boolean hold(List<Lane> lanes, DispatchId dispatch) {
    for (int i = 0; i < lanes.size(); i++) {
      if (!lanes.get(i).hold(dispatch)) {
        lanes.subList(0, i).forEach(lane -> lane.release(dispatch));
        return false;
      }
    }
    return true;
  }

  /** Runs the batch on the first lane's thread. Any exception becomes the batch's failure. */
  private EndedBatch run(
      LaneWork work,
      BatchDispatched dispatch,
      ModelKey model,
      List<Lane> lanes,
      Gang gang,
      RunClock runClock) {
    Lane lane = lanes.get(0);
    long switchNs = 0;
    Long startedNs = null;
    Integer busyLanes = null;
    try (gang) {
      begin(lanes, LOAD_NS_MAX);
      switchNs = work.hold(model);
      switchNs = Math.max(switchNs, gang.awaitHeldNs());
      Long notBeforeNs = dispatch.notBeforeNs();
      if (notBeforeNs != null) {
        pacer.awaitNs(runClock.toMonotonicNs(notBeforeNs));
      }
      var batch = work.prepare(model, dispatch.work().jobs(), dispatch.work().attempt());
      busyLanes = busy.addAndGet(lanes.size());
      startedNs = clock.monotonicNs();
      running.put(dispatch.dispatchId(), batch);
      if (cancelled.contains(dispatch.dispatchId())) {
        batch.cancel();
      }
      begin(lanes, Math.max(OVERDUE_NS_MIN, OVERDUE_FACTOR * dispatch.prediction().meanNs()));
      faults.beforeInference(lane.index());
      batch.run();
      long serviceNs = clock.monotonicNs() - startedNs;
      boolean wasCancelled = cancelled.remove(dispatch.dispatchId());
      return new EndedBatch(
          dispatch, startedNs, serviceNs, switchNs, busyLanes, batch, wasCancelled, null);
    } catch (Exception e) {
      long nowNs = clock.monotonicNs();
      long beganNs = startedNs == null ? nowNs : startedNs;
      return new EndedBatch(
          dispatch, beganNs, nowNs - beganNs, switchNs, busyLanes, null, false, e);
    } finally {
      running.remove(dispatch.dispatchId());
      if (busyLanes != null) {
        busy.addAndGet(-lanes.size());
      }
    }
  }

  private void begin(List<Lane> lanes, long overdueAfterNs) {
    long overdueAtNs = clock.monotonicNs() + overdueAfterNs;
    lanes.forEach(lane -> lane.begin(overdueAtNs));
  }

  private void complete(List<Lane> lanes, EndedBatch ran, RunClock runClock) {
    try {
      BatchCompleted completed = completions.of(ran, runClock);
      lanes.forEach(lane -> lane.release(completed.dispatchId()));
      log.append(completed);
    } catch (RuntimeException | Error e) {
      ending.fail(e);
    }
  }
}
