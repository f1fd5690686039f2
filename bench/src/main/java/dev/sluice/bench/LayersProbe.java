package dev.sluice.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.ParentWatch;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.engine.Training;
import dev.sluice.layers.engine.WholeGraphTraining;
import dev.sluice.layers.runtime.Inference;
import dev.sluice.layers.runtime.LayersOptions;
import dev.sluice.layers.runtime.LayersOptions.AskedSchedule;
import dev.sluice.layers.runtime.LayersTrace;
import dev.sluice.layers.runtime.RunPlan;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.Schedules;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main of a child process that measures the layer runtime for {@code bench layers}, and prints
 * one line of JSON: readings by name. Ends when its parent is gone.
 */
final class LayersProbe {
  /** Times that each of two alternatives is measured, in turn. */
  private static final int ROUNDS = 5;

  private static final int STEPS = 20;
  private static final String MODEL = "vit";
  private static final String TRAINED = "resnet18_small";
  private static final int TRAINED_BATCH = 8;
  private static final String OPTIMIZER = "sgd";
  private static final long SEED = 7;

  private final Map<String, Double> readings = new LinkedHashMap<>();

  private LayersProbe() {}

  /**
   * Arguments: what is measured (wall, memory or training); of wall also the samples of a batch and
   * the bandwidth in bytes a second, 0 for the page cache; of memory also the budget in bytes.
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream result = System.out;
    System.setOut(System.err); // an engine's output is no part of the result
    ParentWatch.start(line -> {}, () -> Runtime.getRuntime().halt(1));
    var probe = new LayersProbe();
    switch (arguments[0]) {
      case "wall" -> probe.wall(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
      case "memory" -> probe.memory(Long.parseLong(arguments[1]));
      case "training" -> probe.training();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    result.println(new ObjectMapper().writeValueAsString(probe.readings));
  }

  private static LayersOptions options(long budgetBytes, int samples, @Nullable Long bandwidth)
      throws UserMistakeException {
    return new LayersOptions(
        MODEL,
        budgetBytes,
        AskedSchedule.parse(AskedSchedule.AUTO),
        STEPS,
        samples,
        bandwidth,
        false,
        null);
  }

  /** Wall time over the ideal, with a budget of two blocks; and on_demand over auto. */
  private void wall(int samples, long bytesPerSecond)
      throws UserMistakeException, IOException, InferenceException {
    Layers layers = RunPlan.ofInference(Workloads.network(MODEL));
    long budgetBytes = 2 * layers.largestBytes();
    LayersOptions options =
        options(budgetBytes, samples, bytesPerSecond == 0 ? null : Long.valueOf(bytesPerSecond));
    var plan = new RunPlan(options, layers);
    try (var inference = Inference.open(options, ModelProgress.none(), () -> false)) {
      inference.warmUp(budgetBytes);
      plan.choose(inference.timed(budgetBytes));
      // First, since a read that a list's last step asks for is ended with the file's channel.
      long onDemandNs =
          samples > 1
              ? 0
              : inference
                  .run(Schedules.onDemand(layers), budgetBytes, STEPS, LayerTrace.NONE)
                  .wallNs();
      try (var trace = new LayersTrace(MODEL, layers.names(), budgetBytes, null)) {
        long wallNs = inference.run(plan.schedule(), budgetBytes, STEPS, trace).wallNs();
        readings.put("wall_per_ideal", trace.figures().wallPerIdeal(wallNs));
        if (samples == 1) {
          readings.put("on_demand_per_auto", (double) onDemandNs / wallNs);
        }
      }
    }
  }

  /** Memory of the process above the started engine's, and of parameters over the budget. */
  private void memory(long budgetBytes)
      throws UserMistakeException, IOException, InferenceException {
    Layers layers = RunPlan.ofInference(Workloads.network(MODEL));
    LayersOptions options = options(budgetBytes, 1, null);
    var plan = new RunPlan(options, layers);
    try (var inference = Inference.open(options, ModelProgress.none(), () -> false);
        var trace = new LayersTrace(MODEL, layers.names(), budgetBytes, null)) {
      inference.warmUp(budgetBytes);
      plan.choose(inference.timed(budgetBytes));
      inference.run(plan.schedule(), budgetBytes, STEPS, trace);
      long peakBytes = MemoryOf.peakBytes().orElseThrow();
      readings.put(
          "memory_above_engine_mb", (peakBytes - inference.startedBytes().orElseThrow()) / 1e6);
      readings.put(
          "resident_per_budget", (double) trace.figures().residentBytesMax() / budgetBytes);
    }
  }

  /** A training step with nothing to fetch, over a step of the whole graph. */
  private void training() throws UserMistakeException, IOException, InferenceException {
    Layers layers = RunPlan.ofTraining(TRAINED, OPTIMIZER);
    ModelCache cache = ModelCache.ofUser();
    Engines engines = Engines.prepare(1, cache);
    engines.start("pytorch");
    var settings =
        new Training.Settings(TRAINED, OPTIMIZER, SEED, TRAINED_BATCH, Integer.MAX_VALUE, false);
    Path folder = Files.createTempDirectory("sluice-layers");
    LayerSchedule eager = Schedules.eager(layers);
    try (var whole =
            WholeGraphTraining.load(TRAINED, OPTIMIZER, SEED, TRAINED_BATCH, cache, engines);
        var state =
            Training.open(
                settings,
                folder.resolve("state"),
                false,
                layers.totalBytes(),
                cache,
                engines,
                source -> source,
                MachineClock::monotonicNs,
                LayerTrace.NONE)) {
      var hooks = new ScheduleWalk(eager, layers.names(), state);
      state.step(hooks);
      state.step(hooks);
      whole.step();
      whole.step();
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        long startNs = MachineClock.monotonicNs();
        whole.step();
        long wholeNs = MachineClock.monotonicNs() - startNs;
        startNs = MachineClock.monotonicNs();
        state.step(hooks);
        ratios.add((double) (MachineClock.monotonicNs() - startNs) / wholeNs);
      }
      readings.put("training_step", LowerMedian.of(ratios));
    } finally {
      TemporaryFolder.remove(folder);
    }
  }
}
