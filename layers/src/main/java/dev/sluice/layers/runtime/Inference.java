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
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.parameters.ParameterSource.FiniteParameters;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.ScheduleWalk.StoppedAtLayerException;
import dev.sluice.layers.schedule.Schedules;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model in this process that computes by layers, and its parameters' file. Every step has one
 * input, so that every step must give equal logits.
 */
public final class Inference implements AutoCloseable {
  private static final double NS_PER_SECOND = 1e9;
  private static final int TIMED_PASSES = 3;
  private static final int WARM_UP_PASSES = 2;
  private static final long INPUT_SEED = 7;

  private final LayeredModel model;
  private final ParameterSource source;
  private final Layers layers;
  private final ByteBuffer input;
  private final int samples;
  private final OptionalLong startedBytes;
  private final BooleanSupplier stopped;

  /**
   * A run by a schedule.
   *
   * @param wallNs time from the first step's begin to the last one's end
   * @param logits logits of each step, sample after sample
   */
  @SuppressWarnings("ArrayRecordComponent") // read once
  public record Computed(long wallNs, float[] logits) {}

  private Inference(
      LayeredModel model,
      ParameterSource source,
      Layers layers,
      ByteBuffer input,
      int samples,
      OptionalLong startedBytes,
      BooleanSupplier stopped) {
    this.model = model;
    this.source = source;
    this.layers = layers;
    this.input = input;
    this.samples = samples;
    this.startedBytes = startedBytes;
    this.stopped = stopped;
  }

  /**
   * Starts the engine, and opens the model.
   *
   * @param stopped asked behind each layer: true ends what runs there
   * @throws UserMistakeException if the parameters' file is damaged, or the cache cannot be written
   * @throws InferenceException if the engine cannot load the model
   */
  public static Inference open(
      LayersOptions options, ModelProgress progress, BooleanSupplier stopped)
      throws UserMistakeException, IOException, InferenceException {
    ModelCache cache = ModelCache.ofUser();
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
          RunPlan.ofInference(network),
          input(network, options.samples()),
          options.samples(),
          startedBytes,
          stopped);
    } catch (UserMistakeException | IOException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /** One sample at a time on a model that its owner closes, with its source, in place of this. */
  static Inference of(Network network, LayeredModel model, ParameterSource source) {
    return new Inference(
        model,
        source,
        RunPlan.ofInference(network),
        input(network, 1),
        1,
        OptionalLong.empty(),
        () -> false);
  }

  private static ParameterSource source(LayersOptions options, Path file, LayeredModel model)
      throws UserMistakeException, IOException {
    ParameterSource source = LayerFile.open(file, model.tensors());
    if (options.checkFinite()) {
      source = new FiniteParameters(source, model.tensors());
    }
    return paced(source, options.bandwidth());
  }

  /** The source as an emulated disk reads it; null: as it is. */
  static ParameterSource paced(ParameterSource source, @Nullable Long bandwidth) {
    return bandwidth == null ? source : new PacedParameters(source, bandwidth);
  }

  /** Each read takes at least its bytes over the bandwidth, during which the processor is free. */
  private record PacedParameters(ParameterSource source, long bytesPerSecond)
      implements ParameterSource {
    @Override
    public void read(int layer, ByteBuffer into) throws IOException {
      long startNs = MachineClock.monotonicNs();
      int bytes = into.remaining(); // gradients count, although a read leaves them out
      source.read(layer, into);
      try {
        MachineClock.pacer().awaitNs(startNs + Math.round(NS_PER_SECOND * bytes / bytesPerSecond));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        var interrupted = new InterruptedIOException("the reading was ended");
        interrupted.initCause(e);
        throw interrupted;
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  private static ByteBuffer input(Network network, int samples) {
    int elements = network.elementsBehind(0);
    float[] values = JobInput.make(INPUT_SEED, "layers", samples, elements).values();
    ByteBuffer input = LayerModule.buffer(values.length * Float.BYTES);
    input.asFloatBuffer().put(values);
    return input;
  }

  /** Resident bytes of the process once the engine had started; empty: unknown here. */
  public OptionalLong startedBytes() {
    return startedBytes;
  }

  /**
   * Computes steps by a schedule that was checked.
   *
   * @param trace receives all operations, with times of the machine's monotonic clock
   * @throws StoppedAtLayerException if it was stopped
   * @throws IllegalStateException if a step gave other logits than the one before it
   */
  public Computed run(LayerSchedule schedule, long budgetBytes, int steps, LayerTrace trace)
      throws InferenceException {
    try (ResidentLayers resident =
        model.resident(source, budgetBytes, MachineClock::monotonicNs, trace)) {
      var hooks = new ScheduleWalk(schedule, layers.names(), resident, stopped);
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
    }
  }

  /** Computes steps that nobody times, after which the engine has compiled what it compiles. */
  public void warmUp(long budgetBytes) throws InferenceException {
    run(Schedules.onDemand(layers), budgetBytes, WARM_UP_PASSES, LayerTrace.NONE);
  }

  /** Times each layer's fetch and compute in three passes; medians of these. */
  public Layers.Times timed(long budgetBytes) throws InferenceException {
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
