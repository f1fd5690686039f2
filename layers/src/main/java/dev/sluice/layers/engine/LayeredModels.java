package dev.sluice.layers.engine;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Models of a run whose layers come and go, by their workloads' names. All lanes share a model, and
 * each has memory of its own for the layers. Close it after all its sessions.
 */
public final class LayeredModels implements BudgetedModels {
  private final Map<String, Loaded> models = new LinkedHashMap<>();

  private record Loaded(
      LayeredModel model, Path file, long budgetBytes, Function<ResidentLayers, Hooks> schedule) {}

  private LayeredModels() {}

  /**
   * Loads models: writes each file of parameters if it is missing, checks it, and chooses the
   * model's schedule.
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
    var loaded = new LayeredModels();
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
    return new LayeredSession(
        loaded.model(), loaded.file(), loaded.budgetBytes(), loaded.schedule(), buffer);
  }

  @Override
  public void close() {
    models.values().forEach(loaded -> loaded.model().close());
    models.clear();
  }
}
