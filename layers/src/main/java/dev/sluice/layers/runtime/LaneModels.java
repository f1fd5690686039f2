package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.LayerTrace;
import dev.sluice.layers.engine.LayeredModel;
import dev.sluice.layers.engine.ResidentLayers;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Models of lanes with {@code memory_budget}, whose layers come and go. All lanes share a model,
 * and each has memory of its own for the layers.
 */
public final class LaneModels implements BudgetedModels {
  /** Steps that a schedule is best for: of a lane, nobody knows how many there will be. */
  private static final int STEPS = 1000;

  private final Map<String, Loaded> models = new LinkedHashMap<>();

  private record Loaded(
      LayeredModel model, Path file, long budgetBytes, Function<ResidentLayers, Hooks> schedule) {}

  private LaneModels() {}

  /**
   * Loads models: writes each file of parameters if it is missing, checks it, and chooses the
   * model's schedule.
   *
   * @param budgets bytes of parameters that a lane may hold, by built-in workload
   * @throws UserMistakeException if a file cannot be had for a reason that the user can remove
   */
  public static LaneModels load(
      Map<String, Long> budgets,
      Engines engines,
      ModelCache cache,
      ModelProgress progress,
      LayerScheduling scheduling)
      throws UserMistakeException {
    var loaded = new LaneModels();
    try {
      for (Map.Entry<String, Long> budget : budgets.entrySet()) {
        String workload = budget.getKey();
        Path file = cache.weights(workload, progress);
        loaded.models.put(workload, loaded(workload, file, budget.getValue(), engines, scheduling));
      }
      return loaded;
    } catch (InferenceException e) {
      loaded.close();
      throw new IllegalStateException(e); // the modules are code that this program wrote
    } catch (UserMistakeException | RuntimeException e) {
      loaded.close();
      throw e;
    }
  }

  private static Loaded loaded(
      String workload, Path file, long budgetBytes, Engines engines, LayerScheduling scheduling)
      throws UserMistakeException, InferenceException {
    Network network = Workloads.network(workload);
    LayeredModel model = LayeredModel.load(network, engines);
    try (ParameterSource source = LayerFile.open(file, model.tensors())) {
      return new Loaded(
          model, file, budgetBytes, scheduling.choose(network, model, source, budgetBytes));
    } catch (IOException | LayerReadException e) {
      model.close();
      throw new UserMistakeException(
          file.toString(),
          "the parameters cannot be read (" + e.getMessage() + ")",
          "the disk fails; without the file, the next run writes it again",
          e);
    } catch (UserMistakeException | InferenceException | RuntimeException e) {
      model.close();
      throw e;
    }
  }

  @Override
  public boolean holds(String workload) {
    return models.containsKey(workload);
  }

  @Override
  public InferenceSession openSession(String workload, InputBuffer buffer) {
    Loaded loaded = models.get(workload);
    if (loaded == null) {
      throw new IllegalArgumentException("(" + workload + ") has no memory budget");
    }
    return new LayeredSession(loaded, buffer);
  }

  @Override
  public void close() {
    models.values().forEach(loaded -> loaded.model().close());
    models.clear();
  }

  /** Loads models that come and go by the schedule auto. */
  public static final class Loader implements BudgetedModels.Loader {
    @Override
    public BudgetedModels load(
        Map<String, Long> budgets, Engines engines, ModelCache cache, ModelProgress progress)
        throws UserMistakeException {
      return LaneModels.load(budgets, engines, cache, progress, LaneModels::auto);
    }
  }

  /**
   * The schedule auto, from three timed passes with one sample while nothing else computes. More
   * samples only leave more time to read beside computing.
   */
  static Function<ResidentLayers, Hooks> auto(
      Network network, LayeredModel model, ParameterSource source, long budgetBytes)
      throws InferenceException {
    Layers layers = RunPlan.ofInference(network);
    Inference inference = Inference.of(network, model, source);
    inference.warmUp(budgetBytes);
    Layers.Times times = inference.timed(budgetBytes);
    LayerSchedule schedule = AutoSchedule.best(layers, times, budgetBytes, STEPS).schedule();
    return resident -> new ScheduleWalk(schedule, layers.names(), resident);
  }

  /** Decides when the layers of a lane's model come and go. */
  @FunctionalInterface
  public interface LayerScheduling {
    /**
     * Chooses a model's schedule, which all its sessions share; may compute layers to time them.
     *
     * @param source source of the layers' tensors, which the caller closes
     * @param budgetBytes bytes that layers may take together, at least those of the largest layer
     * @return hooks for the steps of one session, by the layers that they fetch and release
     * @throws LayerReadException if a layer cannot be read
     * @throws InferenceException if the engine refuses or fails
     */
    Function<ResidentLayers, Hooks> choose(
        Network network, LayeredModel model, ParameterSource source, long budgetBytes)
        throws InferenceException;
  }

  /** A lane's session of a model whose layers come and go. After a failure it begins anew. */
  private static final class LayeredSession implements InferenceSession {
    private final Loaded loaded;
    private final InputBuffer buffer;
    private @Nullable Running running;
    private boolean closed;

    /** What is open from the first inference on. */
    private record Running(ParameterSource source, ResidentLayers resident, Hooks hooks) {
      void close() throws IOException {
        resident.close();
        source.close();
      }
    }

    LayeredSession(Loaded loaded, InputBuffer buffer) {
      this.loaded = loaded;
      this.buffer = buffer;
    }

    @Override
    public float[][] infer(List<JobInput> jobs) throws InferenceException {
      if (closed || jobs.isEmpty()) {
        throw new IllegalArgumentException(closed ? "the session is closed" : "no jobs to infer");
      }
      int samples = jobs.stream().mapToInt(JobInput::samples).sum();
      int elements = jobs.stream().mapToInt(job -> job.values().length).sum();
      ByteBuffer in = buffer.cleared(Math.multiplyExact(Float.BYTES, elements));
      FloatBuffer values = in.asFloatBuffer();
      jobs.forEach(job -> values.put(job.values()));
      boolean whole = false;
      try {
        Running now = running();
        float[] logits = loaded.model().forward(in, samples, now.hooks(), now.resident());
        whole = true;
        return rows(logits, samples);
      } catch (LayerReadException e) {
        throw new InferenceException("inference failed: " + e.getMessage(), e);
      } finally {
        if (!whole) {
          end(); // its schedule stopped in the middle of a step
        }
      }
    }

    private Running running() throws InferenceException {
      Running now = running;
      if (now == null) {
        try {
          ParameterSource source = LayerFile.open(loaded.file(), loaded.model().tensors());
          ResidentLayers resident =
              loaded.model().resident(source, loaded.budgetBytes(), () -> 0, LayerTrace.NONE);
          now = new Running(source, resident, loaded.schedule().apply(resident));
          running = now;
        } catch (UserMistakeException | IOException e) {
          throw new InferenceException("the parameters cannot be read: " + e.getMessage(), e);
        }
      }
      return now;
    }

    private static float[][] rows(float[] logits, int samples) {
      int classes = logits.length / samples;
      var rows = new float[samples][classes];
      for (int row = 0; row < samples; row++) {
        System.arraycopy(logits, row * classes, rows[row], 0, classes);
      }
      return rows;
    }

    private void end() throws InferenceException {
      Running now = running;
      running = null;
      if (now != null) {
        try {
          now.close();
        } catch (IOException e) {
          throw new InferenceException("the parameters' file cannot be closed: " + e, e);
        }
      }
    }

    @Override
    public void close() {
      closed = true;
      try {
        end();
      } catch (InferenceException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
