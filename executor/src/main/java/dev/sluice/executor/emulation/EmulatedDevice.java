package dev.sluice.executor.emulation;

import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LaneWork;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that wait instead of computing. Each waits, asleep, on its own thread until its batch ends:
 * a timer that woke the lanes would end them later by a second thread's waking. A batch that ends
 * earlier than its lane waits for, because another ended, interrupts that lane's wait.
 */
public final class EmulatedDevice implements Device {
  private final EmulatedTimes times;
  private final EmulatedDrift drift;
  private final long seed;
  private final ProcessClock clock;
  private final Pacer pacer;

  private volatile @Nullable RunClock runClock;

  private final Object lock = new Object();
  // guarded by lock, as all below
  private final SharedWork work = new SharedWork();
  private final Map<Integer, Waiting> waitingByLane = new HashMap<>();
  private boolean closed;

  /** A lane whose batch runs. */
  private static final class Waiting {
    final Thread thread = Thread.currentThread();

    /** Until when its thread is asleep; {@link Long#MIN_VALUE}: it is not. */
    long untilNs = Long.MIN_VALUE;

    @Nullable Long finishedAtNs;
  }

  /** Service times of a device that is not there. */
  interface EmulatedTimes {
    /** Mean service time in milliseconds; busyLanes counts the lane itself. */
    double meanMs(ModelKey model, int samples, int busyLanes);

    /** Standard deviation of its natural logarithm. */
    double spread(ModelKey model, int samples);

    /** Floating-point operations of one sample's inference. */
    long flopsPerSample(ModelKey model);

    /** What a lane says of one batch at its warm-up: it is alone, and there is no noise. */
    default long warmUpNs(ModelKey model, int samples) {
      return Math.max(1, (long) (meanMs(model, samples, 1) * 1e6));
    }
  }

  public EmulatedDevice(
      EmulatedTimes times,
      EmulatedDrift drift,
      ExecutorSettings settings,
      ProcessClock clock,
      Pacer pacer) {
    this.times = times;
    this.drift = drift;
    this.seed = settings.seed();
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

  /** What a batch that starts now takes longer, by drift. */
  private double driftNow() {
    RunClock clock = runClock;
    return clock == null ? 1 : drift.factor(clock.nowNs());
  }

  @Override
  public long flopsPerSample(ModelKey model) {
    return times.flopsPerSample(model);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      waitingByLane.values().forEach(waiting -> waiting.thread.interrupt());
    }
  }

  /** Waits until the batch's work is done; returns how long that was meant to take. */
  private long run(int lane, IntToDoubleFunction serviceNs) {
    var waiting = new Waiting();
    long startedNs;
    synchronized (lock) {
      failIfClosed();
      startedNs = clock.monotonicNs();
      settle(startedNs);
      work.start(lane, serviceNs, startedNs);
      wakeWhoSleepsTooLong(); // a table may say that lanes are faster beside others
      waitingByLane.put(lane, waiting);
      waiting.untilNs = work.finishNs(lane);
    }
    while (true) {
      try {
        pacer.awaitNs(waiting.untilNs);
      } catch (InterruptedException e) {
        // re-timed or closed: look again
      }
      synchronized (lock) {
        boolean unused = Thread.interrupted(); // nobody interrupts it from here on
        waiting.untilNs = Long.MIN_VALUE;
        failIfClosed();
        settle(clock.monotonicNs());
        if (waiting.finishedAtNs != null) {
          return waiting.finishedAtNs - startedNs;
        }
        waiting.untilNs = work.finishNs(lane);
      }
    }
  }

  private void failIfClosed() {
    if (closed) {
      throw new IllegalStateException("the emulation has stopped");
    }
  }

  /** Ends what has ended by now, and wakes each lane that waits for longer than it still needs. */
  private void settle(long nowNs) {
    for (var finished : work.advance(nowNs)) {
      Waiting ended = waitingByLane.remove(finished.lane());
      if (ended != null) {
        ended.finishedAtNs = finished.atNs();
        wakeIfAsleepAfter(nowNs, ended);
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
    public WarmUpTiming warmUp(ModelKey model, int samples) {
      return new WarmUpTiming(times.warmUpNs(model, samples), null);
    }

    @Override
    public void follow(ModelKey model, List<Integer> samplesCounts) {
      // there is nothing to get used to
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
      double factor = driftNow();
      emulatedServiceNs =
          EmulatedDevice.this.run(lane, busyLanes -> factor * serviceNs.applyAsDouble(busyLanes));
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
