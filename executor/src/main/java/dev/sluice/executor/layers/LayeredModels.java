package dev.sluice.executor.layers;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Workloads;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Models of a run whose layers come and go, by their workloads' names. All lanes share a model, and
 * each has memory of its own for the layers. Close it after all its sessions.
 */
public final class LayeredModels implements AutoCloseable {
  private final LayerScheduling scheduling;
  private final Map<String, Loaded> models = new LinkedHashMap<>();

  private record Loaded(LayeredModel model, Path file, long budgetBytes) {}

  private LayeredModels(LayerScheduling scheduling) {
    this.scheduling = scheduling;
  }

  /**
   * Loads models: writes each file of parameters if it is missing, and checks it.
   *
   * @param budgets bytes of parameters that a lane may hold, by built-in workload
   * @throws UserMistakeException if a file cannot be had for a reason that the user can remove
   */
  public static LayeredModels load(
      Map<String, Long> budgets,
      Engines engines,
      ModelCache cache,
      ModelProgress progress,
      LayerScheduling scheduling)
      throws UserMistakeException {
    var loaded = new LayeredModels(scheduling);
    try {
      for (Map.Entry<String, Long> budget : budgets.entrySet()) {
        String workload = budget.getKey();
        Path file = cache.weights(workload, progress);
        LayeredModel model = LayeredModel.load(Workloads.network(workload), engines);
        loaded.models.put(workload, new Loaded(model, file, budget.getValue()));
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

  /** Tells whether the workload's layers come and go. */
  public boolean holds(String workload) {
    return models.containsKey(workload);
  }

  /**
   * Opens a session for one lane; the first inference takes the memory.
   *
   * @param buffer buffer of the lane
   */
  public InferenceSession openSession(String workload, InputBuffer buffer) {
    Loaded loaded = models.get(workload);
    if (loaded == null) {
      throw new IllegalArgumentException("(" + workload + ") has no memory budget");
    }
    return new LayeredSession(
        loaded.model(), loaded.file(), loaded.budgetBytes(), scheduling, buffer);
  }

  @Override
  public void close() {
    models.values().forEach(loaded -> loaded.model().close());
    models.clear();
  }
}
