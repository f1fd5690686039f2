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
 * One thread that lives as long as its executor, and the dispatches that it holds: the one that
 * runs and those that wait for it. An engine may keep memory for each thread that ran an inference,
 * so a lane never changes its thread.
 */
public final class Lane {
  private static final long LOOK_MS = 20;

  private final int index;
  private final int holdsMax;
  private final ExecutorService thread;

  /** Dispatches that it holds, in the order of their runs. Guarded by itself. */
  private final List<DispatchId> holds = new ArrayList<>();

  private volatile long overdueAtNs = Long.MAX_VALUE;

  /** Work of the lane, once it is open; used by the lane's thread alone. */
  private @Nullable LaneWork work;

  /** A task that uses the lane's work, on the lane's thread. */
  public interface Task<T> {
    T run(LaneWork work) throws Exception;
  }

  /**
   * @param holdsMax how many dispatches it holds at most, at least 1
   */
  Lane(int index, int holdsMax, String threadName) {
    this.index = index;
    this.holdsMax = holdsMax;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              var made = new Thread(task, threadName);
              made.setDaemon(true);
              return made;
            });
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

  /** Runs the task after those before it. It must not throw: nobody would be told. */
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

  private LaneWork opened() {
    if (work == null) {
      throw new IllegalStateException("lane " + index + " is not open");
    }
    return work;
  }

  /** Takes the lane for a dispatch; false if it holds as many as it can. */
  public boolean hold(DispatchId dispatch) {
    synchronized (holds) {
      return holds.size() < holdsMax && holds.add(dispatch);
    }
  }

  /** The dispatch is over: called before its completion is sent, which may bring the next. */
  public void release(DispatchId dispatch) {
    synchronized (holds) {
      holds.remove(dispatch);
    }
  }

  /** A batch begins; {@link #overdue} from that time on, until its task is through. */
  public void begin(long overdueAtNs) {
    this.overdueAtNs = overdueAtNs;
  }

  /** True if the running batch has taken longer than it may. */
  public boolean overdue(long nowNs) {
    return nowNs >= overdueAtNs;
  }

  /** The dispatches that it holds, in the order of their runs. */
  public List<DispatchId> holds() {
    synchronized (holds) {
      return List.copyOf(holds);
    }
  }

  /** Closes its work, on its own thread, once it has run what it holds. */
  public void beginToClose() {
    thread.execute(
        () -> {
          if (work != null) {
            work.close();
          }
        });
    thread.shutdown();
  }

  /**
   * After {@link #beginToClose}: waits until its thread has ended, or is given up. A lane that is
   * given up keeps what it has open, since a model must not be closed under an inference.
   *
   * @param givenUp whether to wait no longer; looked at again and again
   * @return whether it has ended
   */
  public boolean awaitEnd(BooleanSupplier givenUp) {
    boolean interrupted = false;
    boolean ended = thread.isTerminated();
    while (!ended && !givenUp.getAsBoolean()) {
      try {
        ended = thread.awaitTermination(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // a model must not be closed under a lane that predicts
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }
}
