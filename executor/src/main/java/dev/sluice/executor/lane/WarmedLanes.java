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
  private final Steps steps;
  private final List<Lane> lanes;

  /** Unfinished first runs, by lane, in order; used by one thread. */
  private final Map<Lane, List<Future<?>>> beginning;

  private @Nullable Timed timed;
  private boolean closed;

  private record Timed(
      List<Capability> capabilities, @Nullable Double cpuPerLane, List<String> warnings) {}

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

  private WarmedLanes(
      ExecutorSettings settings,
      Device device,
      Steps steps,
      List<Lane> lanes,
      Map<Lane, List<Future<?>>> beginning) {
    this.settings = settings;
    this.device = device;
    this.steps = steps;
    this.lanes = lanes;
    this.beginning = beginning;
  }

  /** Opens the first lane, and returns while all lanes run their models for the first time. */
  public static WarmedLanes begin(ExecutorSettings settings, Device device, WarmUpProgress progress)
      throws WarmUpException, InterruptedException {
    var lanes = new ArrayList<Lane>();
    for (int i = 0; i < settings.lanes(); i++) {
      lanes.add(new Lane(i, 1 + settings.ahead(), settings.executorId() + "-lane-" + i));
    }
    try {
      int total = settings.models().size() * (settings.warmUpSamples().size() + lanes.size() - 1);
      var steps = new Steps(progress, total);
      Lane first = lanes.get(0);
      result(first, first.open(() -> device.openLane(first.index())));
      var begun = new LinkedHashMap<ModelKey, CompletableFuture<Boolean>>();
      settings.models().forEach(model -> begun.put(model, new CompletableFuture<>()));
      var beginning = new LinkedHashMap<Lane, List<Future<?>>>();
      beginning.put(first, List.of(first.submit(work -> start(settings, work, begun))));
      for (Lane lane : lanes.subList(1, lanes.size())) {
        beginning.put(
            lane,
            List.of(
                lane.open(() -> device.openLane(lane.index())),
                lane.submit(work -> follow(settings, work, begun, steps))));
      }
      return new WarmedLanes(settings, device, steps, lanes, beginning);
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      close(lanes, device);
      throw e;
    }
  }

  public void awaitFirstRuns() throws WarmUpException, InterruptedException {
    for (var lane : beginning.entrySet()) {
      for (Future<?> step : lane.getValue()) {
        resultOrClose(lane.getKey(), step);
      }
    }
    beginning.clear();
  }

  /**
   * Waits for {@link #awaitFirstRuns}, and times the first lane, beside which nothing else should
   * work.
   */
  public void await() throws WarmUpException, InterruptedException {
    awaitFirstRuns();
    if (timed != null) {
      return;
    }
    Lane first = lanes.get(0);
    var loadNs = new LinkedHashMap<ModelKey, Long>();
    var timings = resultOrClose(first, first.submit(work -> time(settings, work, loadNs, steps)));
    Double cpuPerLane = cpuPerLane(timings);
    timed =
        new Timed(
            capabilities(settings, device, timings, loadNs),
            cpuPerLane,
            warnings(settings, cpuPerLane));
  }

  private <T> T resultOrClose(Lane lane, Future<T> future)
      throws WarmUpException, InterruptedException {
    try {
      return result(lane, future);
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public void close() {
    closed = true;
    close(lanes, device);
  }

  private static void close(List<Lane> lanes, Device device) {
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

  private static <T> T result(Lane lane, Future<T> future)
      throws WarmUpException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw cause instanceof WarmUpException known
          ? known
          : new WarmUpException("lane " + lane.index() + " could not be opened: " + cause, cause);
    }
  }

  private static Map<ModelKey, Map<Integer, WarmUpTiming>> time(
      ExecutorSettings settings, LaneWork work, Map<ModelKey, Long> loadNs, Steps steps)
      throws WarmUpException {
    var timings = new LinkedHashMap<ModelKey, Map<Integer, WarmUpTiming>>();
    for (ModelKey model : settings.models()) {
      hold(work, model, loadNs);
      var bySamples = new LinkedHashMap<Integer, WarmUpTiming>();
      for (int samples : settings.warmUpSamples()) {
        String what = what(model, samples);
        try {
          bySamples.put(samples, work.warmUp(model, samples));
        } catch (Exception e) {
          throw failed(what, e);
        }
        steps.done(what);
      }
      timings.put(model, bySamples);
    }
    work.release();
    return timings;
  }

  private static void hold(LaneWork work, ModelKey model, Map<ModelKey, Long> loadNs)
      throws WarmUpException {
    try {
      long tookNs = work.hold(model);
      if (tookNs > 0) {
        loadNs.put(model, tookNs);
      }
    } catch (Exception e) {
      throw failed(model.toString(), e);
    }
  }

  /** Runs each model for the first time, on the first lane. */
  private static boolean start(
      ExecutorSettings settings, LaneWork work, Map<ModelKey, CompletableFuture<Boolean>> begun)
      throws WarmUpException {
    try {
      int samples = settings.warmUpSamples().get(0);
      for (var model : begun.entrySet()) {
        try {
          work.start(model.getKey(), samples);
        } catch (Exception e) {
          throw failed(what(model.getKey(), samples), e);
        }
        model.getValue().complete(true);
      }
      return true;
    } finally {
      begun.values().forEach(model -> model.complete(false)); // no lane waits for a failed one
    }
  }

  /** Runs each model for the first time on another lane, once the first lane has run it. */
  private static boolean follow(
      ExecutorSettings settings,
      LaneWork work,
      Map<ModelKey, CompletableFuture<Boolean>> begun,
      Steps steps)
      throws WarmUpException {
    for (var model : begun.entrySet()) {
      if (!model.getValue().join()) {
        return false;
      }
      try {
        work.follow(model.getKey(), settings.warmUpSamples());
      } catch (Exception e) {
        throw failed(model.getKey().toString(), e);
      }
      steps.done(model.getKey().toString());
    }
    return true;
  }

  private static String what(ModelKey model, int samples) {
    return model + " at " + samples + (samples == 1 ? " sample" : " samples");
  }

  private static WarmUpException failed(String what, Exception cause) {
    return new WarmUpException("the warm-up of " + what + " failed: " + cause.getMessage(), cause);
  }

  private static List<Capability> capabilities(
      ExecutorSettings settings,
      Device device,
      Map<ModelKey, Map<Integer, WarmUpTiming>> timings,
      Map<ModelKey, Long> loadNs) {
    var capabilities = new ArrayList<Capability>();
    for (ModelKey model : settings.models()) {
      var warmUps = new ArrayList<WarmUp>();
      timings
          .getOrDefault(model, Map.of())
          .forEach((samples, timing) -> warmUps.add(new WarmUp(samples, timing.serviceNs())));
      capabilities.add(
          new Capability(
              model,
              device.flopsPerSample(model),
              warmUps,
              device.loadNs(model, loadNs.get(model)),
              device.memoryBytes(model)));
    }
    return List.copyOf(capabilities);
  }

  /**
   * Returns the number of cores used by one busy lane: for each backend the median over its
   * warm-ups, since other threads of the process disturb single warm-ups; then the largest of
   * these, since each backend has its own threads.
   */
  private static @Nullable Double cpuPerLane(Map<ModelKey, Map<Integer, WarmUpTiming>> timings) {
    var byBackend = new HashMap<String, List<Double>>();
    timings.forEach(
        (model, bySamples) ->
            bySamples.values().stream()
                .map(WarmUpTiming::cpuCores)
                .filter(Objects::nonNull)
                .forEach(byBackend.computeIfAbsent(model.backend(), b -> new ArrayList<>())::add));
    byBackend.values().removeIf(List::isEmpty);
    return byBackend.values().stream().map(LowerMedian::of).max(Double::compare).orElse(null);
  }

  private static List<String> warnings(ExecutorSettings settings, @Nullable Double cpuPerLane) {
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
    return timed().warnings();
  }

  private Timed timed() {
    if (timed == null) {
      throw new IllegalStateException("the lanes are not all warm yet");
    }
    return timed;
  }

  private static final class Steps {
    private final WarmUpProgress progress;
    private final int total;
    private int count;

    Steps(WarmUpProgress progress, int total) {
      this.progress = progress;
      this.total = total;
    }

    synchronized void done(String what) {
      progress.warmed(++count, total, what);
    }
  }
}
