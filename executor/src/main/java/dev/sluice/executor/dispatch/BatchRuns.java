package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.Completions.EndedBatch;
import dev.sluice.executor.dispatch.Executor.Joined;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.lane.LaneWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the lanes of a dispatch, runs its batch, frees the lanes, appends the completion. */
final class BatchRuns {
  private static final Logger LOG = LoggerFactory.getLogger(BatchRuns.class);

  /** Multiple of its predicted service time after which a batch is overdue. */
  private static final int OVERDUE_FACTOR = 10;

  /** Time that a batch may always run before it counts as overdue. */
  private static final long OVERDUE_NS_MIN = 10_000_000_000L;

  /** Longest time to load a model before a closing executor gives the lane up. */
  private static final long LOAD_NS_MAX = 120_000_000_000L;

  private final Joined joined;
  private final Executor executor;
  private final ProcessClock clock;
  private final Map<DispatchId, Course> courses = new ConcurrentHashMap<>();
  private final AtomicInteger busy = new AtomicInteger();

  /** A batch on its way: what it uses, and how far it is. */
  private static final class Course {
    final Lane lane;
    final ModelKey model;

    /** Counted down when the batch no longer needs its model. */
    final CountDownLatch ended = new CountDownLatch(1);

    // this field and all fields below are guarded by this
    private boolean cancelled;
    private @Nullable Thread waits;
    private LaneWork.@Nullable PreparedBatch runs;

    Course(Lane lane, ModelKey model) {
      this.lane = lane;
      this.model = model;
    }

    synchronized boolean isCancelled() {
      return cancelled;
    }

    /** Ends the batch early, whether it waits, runs or does neither yet. */
    void cancel() {
      LaneWork.PreparedBatch batch;
      synchronized (this) {
        cancelled = true;
        batch = runs;
        if (waits != null) {
          waits.interrupt();
        }
      }
      if (batch != null) {
        batch.cancel();
      }
    }

    /** Begins to wait on this thread; returns false if the batch is cancelled. */
    synchronized boolean beginToWait() {
      waits = cancelled ? null : Thread.currentThread();
      return !cancelled;
    }

    synchronized void endTheWait() {
      waits = null;
      boolean unused = Thread.interrupted(); // no cancel interrupts this thread from here on
    }

    void begin(LaneWork.PreparedBatch batch) {
      boolean over;
      synchronized (this) {
        runs = batch;
        over = cancelled;
      }
      if (over) {
        batch.cancel();
      }
    }
  }

  BatchRuns(Joined joined) {
    this.joined = joined;
    this.executor = joined.executor();
    this.clock = executor.clock;
  }

  /**
   * Starts the batch on its lanes once these have run the batches that they hold. Returns false,
   * and starts nothing, if one of them holds as many dispatches as it can.
   */
  boolean start(BatchDispatched dispatch, ModelKey model, List<Lane> lanes, RunClock runClock) {
    DispatchId cancels = dispatch.decision().cancels();
    if (cancels != null && lanes.get(0).holds().contains(cancels)) {
      Course course = courses.get(cancels);
      if (course != null) {
        course.cancel();
      }
      lanes.get(0).release(cancels);
    }
    if (!hold(lanes, dispatch.dispatchId())) {
      return false;
    }
    var course = new Course(lanes.get(0), model);
    courses.put(dispatch.dispatchId(), course);
    var gang = new Gang();
    lanes.subList(1, lanes.size()).forEach(lane -> gang.join(lane, model));
    lanes
        .get(0)
        .execute(
            work -> {
              try {
                EndedBatch ran = run(work, dispatch, course, lanes, gang, runClock);
                joined.completing().accept(() -> complete(lanes, ran, runClock));
              } catch (RuntimeException | Error e) {
                joined.ending().fail(e);
              }
            });
    return true;
  }

  /**
   * Has a lane release and load models, in the order of its preparations. A model is released once
   * the batches before have ended that use it: cancelled ones, since no other one would lose it.
   */
  void prepare(LanePrepared dispatch, Lane lane, RunClock runClock) {
    List<CountDownLatch> usesBefore =
        courses.values().stream()
            .filter(use -> use.lane == lane && dispatch.releases().contains(use.model))
            .map(use -> use.ended)
            .toList();
    lane.executeLoad(
        work -> {
          try {
            for (CountDownLatch ended : usesBefore) {
              ended.await();
            }
            for (ModelKey model : dispatch.releases()) {
              work.evict(model);
              joined
                  .log()
                  .append(
                      new ModelEvicted(
                          dispatch.dispatchId(),
                          dispatch.executorId(),
                          dispatch.incarnation(),
                          dispatch.lane(),
                          model,
                          runClock.nowNs()));
            }
            for (ModelKey model : dispatch.loads()) {
              joined.log().append(load(work, dispatch, model, runClock));
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the executor closes
          } catch (RuntimeException | Error e) {
            joined.ending().fail(e);
          }
        });
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
      Course course,
      List<Lane> lanes,
      Gang gang,
      RunClock runClock) {
    long switchNs = 0;
    Long startedNs = null;
    Integer busyLanes = null;
    try (gang) {
      begin(lanes, LOAD_NS_MAX);
      switchNs = awaitStart(work, dispatch, course, gang, runClock);
      if (course.isCancelled()) {
        return new EndedBatch(dispatch, clock.monotonicNs(), 0, switchNs, null, null, true, null);
      }
      var batch = work.prepare(course.model, dispatch.work().jobs(), dispatch.work().attempt());
      busyLanes = busy.addAndGet(lanes.size());
      startedNs = clock.monotonicNs();
      course.begin(batch);
      begin(lanes, Math.max(OVERDUE_NS_MIN, OVERDUE_FACTOR * dispatch.prediction().meanNs()));
      joined.faults().beforeInference(course.lane.index());
      batch.run();
      long serviceNs = clock.monotonicNs() - startedNs;
      boolean wasCancelled = course.isCancelled();
      return new EndedBatch(
          dispatch, startedNs, serviceNs, switchNs, busyLanes, batch, wasCancelled, null);
    } catch (Exception e) {
      long nowNs = clock.monotonicNs();
      long beganNs = startedNs == null ? nowNs : startedNs;
      return new EndedBatch(
          dispatch, beganNs, nowNs - beganNs, switchNs, busyLanes, null, false, e);
    } finally {
      courses.remove(dispatch.dispatchId());
      course.ended.countDown();
      if (busyLanes != null) {
        busy.addAndGet(-lanes.size());
      }
    }
  }

  /**
   * Waits until all lanes hold the model, and for the time before which the batch does not begin;
   * no longer, if the batch is cancelled.
   *
   * @return time until the lanes held the model
   */
  private long awaitStart(
      LaneWork work, BatchDispatched dispatch, Course course, Gang gang, RunClock runClock)
      throws Exception {
    if (!course.beginToWait()) {
      return 0;
    }
    long sinceNs = clock.monotonicNs();
    try {
      long switchNs = Math.max(work.hold(course.model), gang.awaitHeldNs());
      Long notBeforeNs = dispatch.decision().notBeforeNs();
      if (notBeforeNs != null) {
        executor.pacer.awaitNs(runClock.toMonotonicNs(notBeforeNs));
      }
      return switchNs;
    } catch (InterruptedException e) {
      if (!course.isCancelled()) {
        throw e;
      }
      return clock.monotonicNs() - sinceNs;
    } finally {
      course.endTheWait();
    }
  }

  private void begin(List<Lane> lanes, long overdueAfterNs) {
    long overdueAtNs = clock.monotonicNs() + overdueAfterNs;
    lanes.forEach(lane -> lane.begin(overdueAtNs));
  }

  private void complete(List<Lane> lanes, EndedBatch ran, RunClock runClock) {
    try {
      BatchCompleted completed = executor.completions.of(ran, runClock);
      lanes.forEach(lane -> lane.release(completed.dispatchId()));
      joined.log().append(completed);
    } catch (RuntimeException | Error e) {
      joined.ending().fail(e);
    }
  }

  /**
   * The lanes of one dispatch other than its first lane: each loads the model and stands by until
   * the first lane has run it. No engine here splits a model over lanes.
   */
  private static final class Gang implements AutoCloseable {
    private final List<CompletableFuture<Long>> heldNs = new ArrayList<>();
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Has another lane load the model, and stand by until the first lane has finished. */
    void join(Lane lane, ModelKey model) {
      var held = new CompletableFuture<Long>();
      heldNs.add(held);
      lane.execute(
          work -> {
            try {
              held.complete(work.hold(model));
            } catch (Exception | Error e) {
              held.completeExceptionally(e);
            }
            over.join(); // through interrupts, which must not let two of these lanes run at once
          });
    }

    /** Returns, to the first lane, the longest time that another took, or throws its exception. */
    long awaitHeldNs() throws Exception {
      CompletableFuture.allOf(heldNs.toArray(CompletableFuture<?>[]::new))
          .handle((all, failure) -> true)
          .join();
      long longestNs = 0;
      for (CompletableFuture<Long> held : heldNs) {
        try {
          longestNs = Math.max(longestNs, held.join());
        } catch (CompletionException e) {
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw e.getCause() instanceof Exception cause ? cause : e;
        }
      }
      return longestNs;
    }

    @Override
    public void close() {
      over.complete(true);
    }
  }
}
