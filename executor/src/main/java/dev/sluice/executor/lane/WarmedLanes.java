package dev.sluice.executor.lane;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.LaneWork.WarmUpTiming;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Opens and warms up all lanes, in two steps. In the first all lanes run each model for the first
 * time, all at once and while this process may do other work. Then the first lane is timed alone,
 * so that its times and its processor use are undisturbed. If a lane cannot be opened or warmed up,
 * all lanes and the device are closed.
 */
public final class WarmedLanes implements AutoCloseable {
  /** Processor use of one lane, as a multiple of its threads, above which a warning is given. */
  private static final double CPU_EXCESS = 1.25;

  private final ExecutorSettings settings;
  private final Device device;
  private final WarmUpProgress progress;
  private final List<Lane> lanes = new ArrayList<>();

  /** For each model whether the first lane could run it, once it has tried. */
  private final Map<ModelKey, CompletableFuture<Boolean>> begun = new LinkedHashMap<>();

  /** Unfinished first runs, by lane, in order; used by one thread. */
  private final Map<Lane, List<Future<?>>> beginning = new LinkedHashMap<>();

  private final int steps;
  private int stepsDone; // guarded by this
  private @Nullable Timed timed;
  private boolean closed;

  private record Timed(List<Capability> capabilities, @Nullable Double cpuPerLane) {}

  @FunctionalInterface
  public interface WarmUpProgress {
    /**
     * Called when one more step is done, one call at a time, from any thread. The first lane has
     * one for each model and samples count, every other lane one for each model.
     *
     * @param what the step, for people
     */
    void warmed(int done, int total, String what);
  }

  /** A lane could not be opened or warmed up; the message says which, with what, and why. */
  public static final class WarmUpException extends Exception {
    public WarmUpException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private WarmedLanes(ExecutorSettings settings, Device device, WarmUpProgress progress) {
    this.settings = settings;
    this.device = device;
    this.progress = progress;
    for (int i = 0; i < settings.lanes(); i++) {
      lanes.add(new Lane(i, 1 + settings.ahead(), settings.executorId() + "-lane-" + i));
    }
    settings.models().forEach(model -> begun.put(model, new CompletableFuture<>()));
    steps = settings.models().size() * (settings.warmUpSamples().size() + lanes.size() - 1);
  }

  /** Opens the first lane, and returns while all lanes run their models for the first time. */
  public static WarmedLanes begin(ExecutorSettings settings, Device device, WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    var warmed = new WarmedLanes(settings, device, progress);
    Lane first = warmed.lanes.get(0);
    warmed.result(first, warmed.open(first));
    warmed.beginning.put(first, List.of(first.submit(warmed::start)));
    for (Lane lane : warmed.lanes.subList(1, warmed.lanes.size())) {
      warmed.beginning.put(lane, List.of(warmed.open(lane), lane.submit(warmed::follow)));
    }
    return warmed;
  }

  private Future<?> open(Lane lane) {
    return lane.open(() -> device.openLane(lane.index()));
  }

  public void awaitFirstRuns() throws WarmUpException, InterruptedException {
    for (var lane : beginning.entrySet()) {
      for (Future<?> step : lane.getValue()) {
        result(lane.getKey(), step);
      }
    }
    beginning.clear();
  }

  /** Times the first lane after the first runs; nothing else should work meanwhile. */
  public void await() throws WarmUpException, InterruptedException {
    awaitFirstRuns();
    if (timed == null) {
      timed = result(lanes.get(0), lanes.get(0).submit(this::time));
    }
  }

  /** Waits for a step, and closes all after a failure. */
  private <T> T result(Lane lane, Future<T> step) throws WarmUpException, InterruptedException {
    try {
      return step.get();
    } catch (InterruptedException e) {
      close();
      throw e;
    } catch (ExecutionException e) {
      close();
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw cause instanceof WarmUpException known
          ? known
          : new WarmUpException("lane " + lane.index() + " could not be opened: " + cause, cause);
    }
  }

  @Override
  public void close() {
    closed = true;
    lanes.forEach(Lane::beginToClose);
    lanes.forEach(lane -> lane.awaitEnd(() -> false));
    device.close();
  }

  public boolean areClosed() {
    return closed;
  }

  public boolean areAllWarm() {
    return timed != null;
  }

  /** Runs each model for the first time, on the first lane. */
  private boolean start(LaneWork work) throws WarmUpException {
    try {
      int samples = settings.warmUpSamples().get(0);
      for (var model : begun.entrySet()) {
        tried(
            what(model.getKey(), samples),
            () -> {
              work.start(model.getKey(), samples);
              return true;
            });
        model.getValue().complete(true);
      }
      return true;
    } finally {
      begun.values().forEach(model -> model.complete(false)); // no lane waits for a failed one
    }
  }

  /** Runs each model for the first time on another lane, once the first lane has run it. */
  private boolean follow(LaneWork work) throws WarmUpException {
    for (var model : begun.entrySet()) {
      if (!model.getValue().join()) {
        return false;
      }
      String what = model.getKey().toString();
      tried(
          what,
          () -> {
            work.follow(model.getKey(), settings.warmUpSamples());
            return true;
          });
      done(what);
    }
    return true;
  }

  private Timed time(LaneWork work) throws WarmUpException {
    List<Capability> capabilities = new ArrayList<>();
    Map<String, List<Double>> coresByBackend = new HashMap<>();
    for (ModelKey model : settings.models()) {
      long loadNs = tried(model.toString(), () -> work.hold(model));
      List<WarmUp> warmUps = new ArrayList<>();
      for (int samples : settings.warmUpSamples()) {
        String what = what(model, samples);
        WarmUpTiming timing = tried(what, () -> work.warmUp(model, samples));
        warmUps.add(new WarmUp(samples, timing.serviceNs()));
        if (timing.cpuCores() != null) {
          coresByBackend
              .computeIfAbsent(model.backend(), b -> new ArrayList<>())
              .add(timing.cpuCores());
        }
        done(what);
      }
      capabilities.add(device.capability(model, warmUps, loadNs > 0 ? loadNs : null));
    }
    work.release();
    return new Timed(List.copyOf(capabilities), cpuPerLane(coresByBackend));
  }

  private static String what(ModelKey model, int samples) {
    return model + " at " + samples + (samples == 1 ? " sample" : " samples");
  }

  private static <T> T tried(String what, Callable<T> step) throws WarmUpException {
    try {
      return step.call();
    } catch (Exception e) {
      throw new WarmUpException("the warm-up of " + what + " failed: " + e.getMessage(), e);
    }
  }

  private synchronized void done(String what) {
    progress.warmed(++stepsDone, steps, what);
  }

  /**
   * Returns the number of cores used by one busy lane: for each backend the median over its
   * warm-ups, since other threads of the process disturb single warm-ups; then the largest of
   * these, since each backend has its own threads.
   */
  private static @Nullable Double cpuPerLane(Map<String, List<Double>> coresByBackend) {
    return coresByBackend.values().stream().map(LowerMedian::of).max(Double::compare).orElse(null);
  }

  public List<Lane> lanes() {
    return lanes;
  }

  public List<Capability> capabilities() {
    return timed().capabilities();
  }

  @Nullable
  public Double cpuPerLane() {
    return timed().cpuPerLane();
  }

  public List<String> warnings() {
    Double cpuPerLane = cpuPerLane();
    if (cpuPerLane == null || cpuPerLane <= CPU_EXCESS * settings.threadsPerLane()) {
      return List.of();
    }
    return List.of(
        String.format(
            Locale.ROOT,
            "one busy lane used %.2f cores at warm-up, though lanes.threads is %d: lanes will slow"
                + " each other down, or something else was busy in this process",
            cpuPerLane,
            settings.threadsPerLane()));
  }

  private Timed timed() {
    if (timed == null) {
      throw new IllegalStateException("the lanes are not all warm yet");
    }
    return timed;
  }
}
