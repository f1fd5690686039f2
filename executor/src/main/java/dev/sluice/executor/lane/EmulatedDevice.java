package dev.sluice.executor.lane;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.SharedLanes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that wait instead of computing. Each lane sleeps on its own thread until its batch ends: a
 * timer that woke the lanes would end batches later, by the time that a second thread takes to
 * wake. If a batch comes to end earlier because another batch has ended, its lane's sleep is
 * interrupted.
 */
public final class EmulatedDevice implements Device {
  /** Longest time after which a lane that waits for its model looks whether all is over. */
  private static final long CLOSED_LOOK_MS = 100;

  private final Emulation emulation;
  private final long seed;
  private final int lanes;
  private final Map<Size, double[]> nsByBusyLanes = new ConcurrentHashMap<>();
  private final ProcessClock clock;
  private final Pacer pacer;

  private volatile @Nullable RunClock runClock;

  private final Object lock = new Object();
  // this field and all fields below are guarded by lock
  private final SharedLanes work;

  /** Lanes whose batches end at one instant; used again. */
  private final int[] ended;

  private final Map<Integer, Waiting> waitingByLane = new HashMap<>();
  private volatile boolean closed;

  private record Size(ModelKey model, int samples) {}

  private static final class Waiting {
    final Thread thread = Thread.currentThread();

    /** Time until which its thread sleeps; {@link Long#MIN_VALUE} if it is awake. */
    long untilNs = Long.MIN_VALUE;

    @Nullable Long finishedAtNs;
  }

  public EmulatedDevice(
      Emulation emulation, ExecutorSettings settings, ProcessClock clock, Pacer pacer) {
    this.emulation = emulation;
    this.seed = settings.seed();
    this.lanes = settings.lanes();
    this.work = new SharedLanes(lanes);
    this.ended = new int[lanes];
    this.clock = clock;
    this.pacer = pacer;
  }

  @Override
  public LaneWork openLane(int lane) {
    return new EmulatedLane(lane);
  }

  @Override
  public void begin(RunClock runClock) {
    this.runClock = runClock;
  }

  /**
   * Returns the mean service times of a model and samples count by the number of busy lanes, from
   * 1; a single time if it does not depend on that number. Each is looked up once; from any lane's
   * thread.
   */
  private double[] nsByBusyLanes(ModelKey model, int samples) {
    return nsByBusyLanes.computeIfAbsent(
        new Size(model, samples),
        size -> {
          double[] ns =
              IntStream.rangeClosed(1, lanes)
                  .mapToDouble(busyLanes -> emulation.meanNs(model, samples, busyLanes))
                  .toArray();
          return Arrays.stream(ns).allMatch(time -> time == ns[0]) ? new double[] {ns[0]} : ns;
        });
  }

  private double driftNow() {
    RunClock clock = runClock;
    return clock == null ? 1 : emulation.drift(clock.nowNs());
  }

  @Override
  public Capability capability(ModelKey model, List<WarmUp> warmUps, @Nullable Long loadNs) {
    return emulation.capability(model, warmUps);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      waitingByLane.values().forEach(waiting -> waiting.thread.interrupt());
    }
  }

  private void failIfClosed() {
    if (closed) {
      throw new IllegalStateException("the emulation has stopped");
    }
  }

  /** Ends the batches that are over, and wakes each lane that would sleep beyond its end. */
  private void settle(long nowNs) {
    while (work.nextFinishNs() <= nowNs) {
      long finishedAtNs = work.nextFinishNs();
      int count = work.endNext(ended);
      for (int i = 0; i < count; i++) {
        Waiting waiting = waitingByLane.remove(ended[i]);
        if (waiting != null) {
          waiting.finishedAtNs = finishedAtNs;
          wakeIfAsleepAfter(nowNs, waiting);
        }
      }
    }
    wakeWhoSleepsTooLong();
  }

  private void wakeWhoSleepsTooLong() {
    waitingByLane.forEach((lane, waiting) -> wakeIfAsleepAfter(work.finishNs(lane), waiting));
  }

  private static void wakeIfAsleepAfter(long atNs, Waiting waiting) {
    if (waiting.untilNs > atNs) {
      waiting.thread.interrupt();
    }
  }

  private final class EmulatedLane implements LaneWork {
    private final int lane;

    /** Guarded by itself. */
    private final Set<ModelKey> loaded = new HashSet<>();

    EmulatedLane(int lane) {
      this.lane = lane;
    }

    /** Waits until the lane has loaded the model, where it has a memory. */
    @Override
    public long hold(ModelKey model) throws InterruptedException {
      if (emulation.memoryBytes(model) == null || runClock == null) { // or warms up
        return 0;
      }
      long startedNs = clock.monotonicNs();
      synchronized (loaded) {
        if (loaded.contains(model)) {
          return 0;
        }
        while (!loaded.contains(model)) {
          failIfClosed();
          loaded.wait(CLOSED_LOOK_MS);
        }
      }
      return Math.max(1, clock.monotonicNs() - startedNs);
    }

    @Override
    public boolean loadsBeside() {
      return true;
    }

    @Override
    public long load(ModelKey model) throws InterruptedException {
      Long loadNs = emulation.loadNs(model);
      pacer.awaitNs(clock.monotonicNs() + (loadNs == null ? 0 : loadNs));
      synchronized (loaded) {
        long loadedNs = clock.monotonicNs();
        loaded.add(model);
        loaded.notifyAll();
        return loadedNs;
      }
    }

    @Override
    public void evict(ModelKey model) {
      synchronized (loaded) {
        loaded.remove(model);
      }
    }

    @Override
    public PreparedBatch prepare(ModelKey model, List<DispatchedJob> jobs, int attempt) {
      int samples = jobs.stream().mapToInt(DispatchedJob::samples).sum();
      double noise =
          Emulation.noise(seed, jobs.get(0).jobId(), attempt, emulation.spread(model, samples));
      return new EmulatedBatch(lane, nsByBusyLanes(model, samples), noise);
    }

    @Override
    public WarmUpTiming warmUp(ModelKey model, int samples) {
      return new WarmUpTiming(emulation.warmUpNs(model, samples), null);
    }
  }

  private final class EmulatedBatch implements LaneWork.PreparedBatch {
    private final int lane;
    private final double[] nsByBusyLanes;
    private final double noise;
    private @Nullable Long emulatedServiceNs;

    /** Guarded by the device's lock, as is the next field. */
    private boolean cancelled;

    private @Nullable Waiting waiting;

    EmulatedBatch(int lane, double[] nsByBusyLanes, double noise) {
      this.lane = lane;
      this.nsByBusyLanes = nsByBusyLanes;
      this.noise = noise;
    }

    @Override
    public void run() {
      emulatedServiceNs = await(driftNow() * noise);
    }

    /** Waits until the batch's work is done or cancelled; returns its intended duration. */
    private long await(double factor) {
      var waits = new Waiting();
      long startedNs;
      synchronized (lock) {
        failIfClosed();
        if (cancelled) {
          return 0;
        }
        waiting = waits;
        startedNs = clock.monotonicNs();
        settle(startedNs);
        work.start(lane, nsByBusyLanes, factor, startedNs);
        wakeWhoSleepsTooLong(); // a table may hold shorter times for more busy lanes
        waitingByLane.put(lane, waits);
        waits.untilNs = work.finishNs(lane);
      }
      while (true) {
        try {
          pacer.awaitNs(waits.untilNs);
        } catch (InterruptedException e) {
          // re-timed or closed: look again
        }
        synchronized (lock) {
          boolean unused = Thread.interrupted(); // no other thread interrupts this one from here on
          waits.untilNs = Long.MIN_VALUE;
          failIfClosed();
          settle(clock.monotonicNs());
          if (waits.finishedAtNs != null) {
            return waits.finishedAtNs - startedNs;
          }
          waits.untilNs = work.finishNs(lane);
        }
      }
    }

    @Override
    public void cancel() {
      synchronized (lock) {
        cancelled = true;
        Waiting waits = waiting;
        if (waits != null && waits.finishedAtNs == null) {
          long nowNs = clock.monotonicNs();
          settle(nowNs);
          if (waits.finishedAtNs == null) {
            boolean unused = work.cancel(lane, nowNs);
            waitingByLane.remove(lane);
            waits.finishedAtNs = nowNs;
            wakeIfAsleepAfter(nowNs, waits);
            wakeWhoSleepsTooLong();
          }
        }
      }
    }

    @Override
    public @Nullable Long emulatedServiceNs() {
      return emulatedServiceNs;
    }
  }
}
