package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.engine.LayeredModel;
import dev.sluice.layers.engine.ResidentLayers;
import dev.sluice.layers.parameters.FiniteParameters;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.PacedParameters;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.LayerTimes;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.Schedules;
import dev.sluice.layers.schedule.StoppedAtLayerException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A model in this process that computes by layers, and its parameters' file. Every step has one
 * input, so that every step must give equal logits.
 */
final class Inference implements AutoCloseable {
  private static final int TIMED_PASSES = 3;
  private static final int WARM_UP_PASSES = 2;
  private static final long INPUT_SEED = 7;

  private final LayeredModel model;
  private final ParameterSource source;
  private final Layers layers;
  private final ByteBuffer input;
  private final int samples;
  private final OptionalLong startedBytes;
  private volatile @Nullable ScheduleWalk running;
  private volatile boolean stopped;

  /**
   * A run by a schedule.
   *
   * @param wallNs time from the first step's begin to the last one's end
   * @param logits logits of each step, sample after sample
   */
  @SuppressWarnings("ArrayRecordComponent") // read once
  record Computed(long wallNs, float[] logits) {}

  private Inference(
      LayeredModel model,
      ParameterSource source,
      Layers layers,
      ByteBuffer input,
      int samples,
      OptionalLong startedBytes) {
    this.model = model;
    this.source = source;
    this.layers = layers;
    this.input = input;
    this.samples = samples;
    this.startedBytes = startedBytes;
  }

  /**
   * Starts the engine, and opens the model.
   *
   * @throws UserMistakeException if the parameters' file is damaged, or the cache cannot be written
   * @throws InferenceException if the engine cannot load the model
   */
  static Inference open(RunOptions options, ModelProgress progress)
      throws UserMistakeException, IOException, InferenceException {
    ModelCache cache = cache();
    Path file = cache.weights(options.model(), progress);
    Network network = Workloads.network(options.model());
    Engines engines = Engines.prepare(1, cache);
    engines.start("pytorch");
    OptionalLong startedBytes = MemoryOf.residentBytesAndForgetPeak();
    LayeredModel model = LayeredModel.load(network, engines);
    try {
      return new Inference(
          model,
          source(options, file, model),
          Sizes.ofInference(network),
          input(network, options.samples()),
          options.samples(),
          startedBytes);
    } catch (UserMistakeException | IOException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /** One sample at a time on a model that its owner closes, with its source, in place of this. */
  static Inference of(Network network, LayeredModel model, ParameterSource source) {
    return new Inference(
        model, source, Sizes.ofInference(network), input(network, 1), 1, OptionalLong.empty());
  }

  /** The user's cache of models. */
  static ModelCache cache() {
    return new ModelCache(
        ModelCache.defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))));
  }

  private static ParameterSource source(RunOptions options, Path file, LayeredModel model)
      throws UserMistakeException, IOException {
    ParameterSource source = LayerFile.open(file, model.tensors());
    if (options.checkFinite()) {
      source = new FiniteParameters(source, model.tensors());
    }
    return paced(source, options.bandwidth());
  }

  /** The source as an emulated disk reads it; null: as it is. */
  static ParameterSource paced(ParameterSource source, @Nullable Long bandwidth) {
    return bandwidth == null
        ? source
        : new PacedParameters(source, bandwidth, MachineClock::monotonicNs, MachineClock.pacer());
  }

  private static ByteBuffer input(Network network, int samples) {
    int elements = network.elementsBehind(0);
    float[] values = JobInput.make(INPUT_SEED, "layers", samples, elements).values();
    ByteBuffer input = LayerModule.buffer(values.length * Float.BYTES);
    input.asFloatBuffer().put(values);
    return input;
  }

  /** Resident bytes of the process once the engine had started; empty: unknown here. */
  OptionalLong startedBytes() {
    return startedBytes;
  }

  /** The input of every step, in direct memory. */
  ByteBuffer input() {
    return input;
  }

  /** Ends what runs after the layer that is being computed. Called from any thread. */
  void stop() {
    stopped = true;
    ScheduleWalk now = running;
    if (now != null) {
      now.stop();
    }
  }

  /**
   * Computes steps by a schedule that was checked.
   *
   * @param trace receives all operations, with times of the machine's monotonic clock
   * @throws StoppedAtLayerException if {@link #stop} was called
   * @throws IllegalStateException if a step gave other logits than the one before it
   */
  Computed run(LayerSchedule schedule, long budgetBytes, int steps, LayerTrace trace)
      throws InferenceException {
    try (ResidentLayers resident =
        model.resident(source, budgetBytes, MachineClock::monotonicNs, trace)) {
      var hooks = new ScheduleWalk(schedule, layers.names(), resident);
      running = hooks;
      if (stopped) {
        hooks.stop();
      }
      long startNs = MachineClock.monotonicNs();
      float[] logits = model.forward(input, samples, hooks, resident);
      for (int step = 2; step <= steps; step++) {
        float[] again = model.forward(input, samples, hooks, resident);
        if (!Arrays.equals(logits, again)) {
          throw new IllegalStateException(
              "step %d computed other logits than the one before it".formatted(step));
        }
      }
      return new Computed(MachineClock.monotonicNs() - startNs, logits);
    } finally {
      running = null;
    }
  }

  /** Computes steps that nobody times, after which the engine has compiled what it compiles. */
  void warmUp(long budgetBytes) throws InferenceException {
    run(Schedules.onDemand(layers), budgetBytes, WARM_UP_PASSES, LayerTrace.NONE);
  }

  /** Times each layer's fetch and compute in three passes; medians of these. */
  LayerTimes timed(long budgetBytes) throws InferenceException {
    var times = new MeasuredTimes(layers.count());
    run(Schedules.onDemand(layers), budgetBytes, TIMED_PASSES, times);
    return times.medians();
  }

  @Override
  public void close() throws IOException {
    model.close();
    source.close();
  }
}
