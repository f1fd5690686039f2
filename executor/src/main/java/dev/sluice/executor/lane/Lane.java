package dev.sluice.executor.lane;

import dev.sluice.contract.value.DispatchId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread that lives as long as its executor, and the dispatches that the lane holds: the
 * running one and the ones behind it. An engine may keep memory for each thread that ran an
 * inference, so a lane never changes its thread.
 */
public final class Lane {
  private static final long LOOK_MS = 20;

  private final int index;
  private final int holdsMax;
  private final String threadName;
  private final ExecutorService thread;

  /** Dispatches that the lane holds, in the order in which they run. Guarded by itself. */
  private final List<DispatchId> holds = new ArrayList<>();

  private volatile long overdueAtNs = Long.MAX_VALUE;

  /** Work of the lane, once it is open; only its loads may be used by another thread. */
  private volatile @Nullable LaneWork work;

  /** Loads models beside the lane's batches; null: has not begun to. */
  private @Nullable ExecutorService loader;

  public interface Task<T> {
    T run(LaneWork work) throws Exception;
  }

  Lane(int index, int holdsMax, String threadName) {
    this.index = index;
    this.holdsMax = holdsMax;
    this.threadName = threadName;
    this.thread = Executors.newSingleThreadExecutor(task -> daemon(task, threadName));
  }

  public static Thread daemon(Runnable task, String name) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  public int index() {
    return index;
  }

  Future<?> open(Callable<LaneWork> opening) {
    return thread.submit(
        () -> {
          work = opening.call();
          return null;
        });
  }

  public <T> Future<T> submit(Task<T> task) {
    return thread.submit(() -> task.run(opened()));
  }

  /** Queues a task for the lane's thread, which must not throw: nobody would receive it. */
  public void execute(Consumer<LaneWork> task) {
    thread.execute(
        () -> {
          try {
            task.accept(opened());
          } finally {
            overdueAtNs = Long.MAX_VALUE;
          }
        });
  }

  /**
   * Queues a task that changes the lane's memory, and must not throw: on a thread beside the lane's
   * own if the lane can load while a batch runs.
   */
  public void executeLoad(Consumer<LaneWork> task) {
    LaneWork here = opened();
    if (here.loadsBeside()) {
      loader().execute(() -> task.accept(here));
    } else {
      execute(task);
    }
  }

  private synchronized ExecutorService loader() {
    if (loader == null) {
      loader = Executors.newSingleThreadExecutor(task -> daemon(task, threadName + "-loads"));
    }
    return loader;
  }

  private LaneWork opened() {
    LaneWork here = work;
    if (here == null) {
      throw new IllegalStateException("lane " + index + " is not open");
    }
    return here;
  }

  /** Takes the lane for a dispatch; returns false if the lane holds as many as it can. */
  public boolean hold(DispatchId dispatch) {
    synchronized (holds) {
      return holds.size() < holdsMax && holds.add(dispatch);
    }
  }

  /** Frees the lane, before the completion is sent, which may bring the next dispatch. */
  public void release(DispatchId dispatch) {
    synchronized (holds) {
      holds.remove(dispatch);
    }
  }

  /** The lane is {@link #overdue} from then until the batch's task has finished. */
  public void begin(long overdueAtNs) {
    this.overdueAtNs = overdueAtNs;
  }

  public boolean overdue(long nowNs) {
    return nowNs >= overdueAtNs;
  }

  public List<DispatchId> holds() {
    synchronized (holds) {
      return List.copyOf(holds);
    }
  }

  /** Closes the lane's work, on its own thread, once its dispatches have run. */
  public void beginToClose() {
    synchronized (this) {
      if (loader != null) {
        loader.shutdownNow();
      }
    }
    thread.execute(
        () -> {
          LaneWork here = work;
          if (here != null) {
            here.close();
          }
        });
    thread.shutdown();
  }

  /**
   * Waits until the lane's thread has ended, and returns true, or the lane is given up, which is
   * asked again and again; call {@link #beginToClose} first. A lane that is given up keeps its
   * sessions open, since a model must not be closed during an inference.
   */
  public boolean awaitEnd(BooleanSupplier givenUp) {
    boolean interrupted = false;
    boolean ended = thread.isTerminated();
    while (!ended && !givenUp.getAsBoolean()) {
      try {
        ended = thread.awaitTermination(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // keep waiting: a model must not be closed while a lane predicts
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }
}
