package dev.sluice.executor;

import dev.sluice.contract.BatchCompleted.JobResult;
import dev.sluice.contract.BatchDispatched.DispatchedJob;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that wait instead of computing. One timer thread waits for the next end of a batch on
 * behalf of all lanes, so that many lanes on few cores do not compete in waiting; a start that
 * brings the next end forward interrupts its wait.
 */
final class EmulatedDevice implements Device {
  private final EmulatedTimes times;
  private final long seed;
  private final ProcessClock clock;
  private final Pacer pacer;
  private final Thread timer;
  private final AtomicInteger lanesOpened = new AtomicInteger();

  private final Object lock = new Object();
  // guarded by lock, as all below
  private final SharedWork work = new SharedWork();
  private final Map<Integer, CompletableFuture<Long>> finishes = new HashMap<>();
  private long awaitedNs = Long.MAX_VALUE;
  private boolean closed;
  private @Nullable Throwable failure;

  /** Service times of a device that is not there. */
  interface EmulatedTimes {
    /** Mean service time in milliseconds; busyLanes counts the lane itself. */
    double meanMs(ModelKey model, int samples, int busyLanes);

    /** Standard deviation of its natural logarithm. */
    double spread(ModelKey model, int samples);

    /** Floating-point operations of one sample's inference. */
    long flopsPerSample(ModelKey model);
  }

  EmulatedDevice(EmulatedTimes times, ExecutorSettings settings, ProcessClock clock, Pacer pacer) {
    this.times = times;
    this.seed = settings.seed();
    this.clock = clock;
    this.pacer = pacer;
    this.timer = new Thread(this::keepTime, settings.executorId() + "-emulation");
    this.timer.setDaemon(true);
  }

  @Override
  public LaneWork openLane() {
    synchronized (lock) {
      if (timer.getState() == Thread.State.NEW) {
        timer.start();
      }
    }
    return new EmulatedLane(lanesOpened.getAndIncrement());
  }

  @Override
  public long flopsPerSample(ModelKey model) {
    return times.flopsPerSample(model);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      timer.interrupt();
    }
    boolean interrupted = false;
    while (timer.isAlive()) {
      try {
        timer.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the batch's work is done; returns how long that was meant to take. */
  private long run(int lane, IntToDoubleFunction serviceNs) {
    var finish = new CompletableFuture<Long>();
    long startedNs;
    synchronized (lock) {
      if (closed || failure != null) {
        throw new IllegalStateException("the emulation has stopped", failure);
      }
      startedNs = clock.monotonicNs();
      settle(startedNs);
      work.start(lane, serviceNs, startedNs);
      finishes.put(lane, finish);
      if (work.nextFinishNs() < awaitedNs) {
        timer.interrupt();
      }
    }
    return finish.join() - startedNs;
  }

  private void settle(long nowNs) {
    for (var finished : work.advance(nowNs)) {
      var finish = finishes.remove(finished.lane());
      if (finish != null) {
        finish.complete(finished.atNs());
      }
    }
  }

  private void keepTime() {
    try {
      while (true) {
        try {
          pacer.awaitNs(nextFinishNs());
        } catch (InterruptedException e) {
          // re-timed or closed: look again
        }
        synchronized (lock) {
          if (closed) {
            return;
          }
          settle(clock.monotonicNs());
        }
      }
    } catch (RuntimeException | Error e) {
      synchronized (lock) {
        failure = e;
        finishes.values().forEach(finish -> finish.completeExceptionally(e));
        finishes.clear();
      }
    }
  }

  /** When the next batch ends; waits while none runs. */
  private long nextFinishNs() throws InterruptedException {
    synchronized (lock) {
      awaitedNs = work.nextFinishNs();
      while (awaitedNs == Long.MAX_VALUE) {
        lock.wait(); // a start interrupts it
        awaitedNs = work.nextFinishNs();
      }
      return awaitedNs;
    }
  }

  private final class EmulatedLane implements LaneWork {
    private final int lane;

    EmulatedLane(int lane) {
      this.lane = lane;
    }

    @Override
    public PreparedBatch prepare(ModelKey model, List<DispatchedJob> jobs, int attempt) {
      int samples = jobs.stream().mapToInt(DispatchedJob::samples).sum();
      double noise =
          EmulationNoise.factor(seed, jobs.get(0).jobId(), attempt, times.spread(model, samples));
      return new EmulatedBatch(
          lane, busyLanes -> times.meanMs(model, samples, busyLanes) * 1e6 * noise);
    }

    @Override
    public WarmUpTiming warmUp(ModelKey model, int samples, boolean timed) {
      return new WarmUpTiming(Math.max(1, (long) (times.meanMs(model, samples, 1) * 1e6)), null);
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  private final class EmulatedBatch implements LaneWork.PreparedBatch {
    private final int lane;
    private final IntToDoubleFunction serviceNs;
    private @Nullable Long emulatedServiceNs;

    EmulatedBatch(int lane, IntToDoubleFunction serviceNs) {
      this.lane = lane;
      this.serviceNs = serviceNs;
    }

    @Override
    public void run() {
      emulatedServiceNs = EmulatedDevice.this.run(lane, serviceNs);
    }

    @Override
    public List<JobResult> results() {
      return List.of();
    }

    @Override
    public @Nullable Long emulatedServiceNs() {
      return emulatedServiceNs;
    }
  }
}
