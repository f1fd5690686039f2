package dev.sluice.executor.lane;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.LaneWork.WarmUpTiming;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Opens and warms up all lanes. The first lane is timed alone, so that its times and its processor
 * use are undisturbed; then the other lanes follow, all together, while this process may do other
 * work.
 */
public final class WarmedLanes {
  /** Processor use of one lane, as a multiple of its threads, above which a warning is given. */
  private static final double CPU_EXCESS = 1.25;

  private final List<Lane> lanes;

  /** Unfinished warm-ups of the lanes after the first, in order; used by one thread. */
  private final Map<Lane, List<Future<?>>> warming;

  private final List<Capability> capabilities;
  private final @Nullable Double cpuPerLane;
  private final List<String> warnings;

  private WarmedLanes(
      List<Lane> lanes,
      Map<Lane, List<Future<?>>> warming,
      List<Capability> capabilities,
      @Nullable Double cpuPerLane,
      List<String> warnings) {
    this.lanes = lanes;
    this.warming = warming;
    this.capabilities = capabilities;
    this.cpuPerLane = cpuPerLane;
    this.warnings = warnings;
  }

  /**
   * Opens all lanes, and returns once the first lane is warm and timed. If a lane cannot be warmed,
   * all lanes are closed before this throws.
   */
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
      var loadNs = new LinkedHashMap<ModelKey, Long>();
      var timings = result(first, first.submit(work -> warm(settings, work, loadNs, steps)));
      var warming = new LinkedHashMap<Lane, List<Future<?>>>();
      for (Lane lane : lanes.subList(1, lanes.size())) {
        warming.put(
            lane,
            List.of(
                lane.open(() -> device.openLane(lane.index())),
                lane.submit(
                    work -> {
                      follow(settings, work, steps);
                      return lane;
                    })));
      }
      Double cpuPerLane = cpuPerLane(timings);
      return new WarmedLanes(
          lanes,
          warming,
          capabilities(settings, device, timings, loadNs),
          cpuPerLane,
          warnings(settings, cpuPerLane));
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      close(lanes);
      throw e;
    }
  }

  /** Waits until all lanes are warm. If a lane cannot be warmed, all lanes are closed. */
  public void await() throws WarmUpException, InterruptedException {
    try {
      for (var lane : warming.entrySet()) {
        for (Future<?> step : lane.getValue()) {
          result(lane.getKey(), step);
        }
      }
      warming.clear();
    } catch (WarmUpException | InterruptedException | RuntimeException e) {
      close(lanes);
      throw e;
    }
  }

  private static void close(List<Lane> lanes) {
    lanes.forEach(Lane::beginToClose);
    lanes.forEach(lane -> lane.awaitEnd(() -> false));
  }

  /** Returns whether {@link #await} has found all lanes warm. */
  public boolean areAllWarm() {
    return warming.isEmpty();
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

  /**
   * @param loadNs receives the load times of the models that the lane had to load
   */
  private static Map<ModelKey, Map<Integer, WarmUpTiming>> warm(
      ExecutorSettings settings, LaneWork work, Map<ModelKey, Long> loadNs, Steps steps)
      throws WarmUpException {
    var timings = new LinkedHashMap<ModelKey, Map<Integer, WarmUpTiming>>();
    for (ModelKey model : settings.models()) {
      hold(work, model, loadNs);
      var bySamples = new LinkedHashMap<Integer, WarmUpTiming>();
      for (int samples : settings.warmUpSamples()) {
        String what = model + " at " + samples + (samples == 1 ? " sample" : " samples");
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

  private static void follow(ExecutorSettings settings, LaneWork work, Steps steps)
      throws WarmUpException {
    for (ModelKey model : settings.models()) {
      try {
        work.follow(model, settings.warmUpSamples());
      } catch (Exception e) {
        throw failed(model.toString(), e);
      }
      steps.done(model.toString());
    }
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
          new Capability(model, device.flopsPerSample(model), warmUps, loadNs.get(model)));
    }
    return List.copyOf(capabilities);
  }

  /**
   * Returns the number of cores used by one busy lane: for each backend the median over its
   * warm-ups, since other threads of the process disturb single warm-ups; then the largest of
   * these, since each backend has its own threads.
   */
  private static @Nullable Double cpuPerLane(Map<ModelKey, Map<Integer, WarmUpTiming>> timings) {
    var byBackend = new LinkedHashMap<String, List<Double>>();
    timings.forEach(
        (model, bySamples) -> {
          for (var timing : bySamples.values()) {
            if (timing.cpuCores() != null) {
              byBackend
                  .computeIfAbsent(model.backend(), b -> new ArrayList<>())
                  .add(timing.cpuCores());
            }
          }
        });
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
    return capabilities;
  }

  @Nullable
  public Double cpuPerLane() {
    return cpuPerLane;
  }

  public List<String> warnings() {
    return warnings;
  }

  /** Counts steps over all lanes. */
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
