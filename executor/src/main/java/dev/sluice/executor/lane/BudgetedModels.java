package dev.sluice.executor.lane;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Models of a run of which a lane may hold a budget of bytes alone, by the names of their
 * workloads. All lanes share a model, and each has memory of its own for its parameters. Close it
 * after all its sessions.
 *
 * <p>Lanes know this interface only: an annex brings the models, by a {@link Loader} that {@link
 * ServiceLoader} finds.
 */
public interface BudgetedModels extends AutoCloseable {
  boolean holds(String workload);

  /** Opens a session for a lane, in whose buffer it works; the first inference takes the memory. */
  InferenceSession openSession(String workload, InputBuffer buffer);

  @Override
  void close();

  interface Loader {
    /**
     * Loads the models, and finds out in which order their parameters come and go.
     *
     * @param budgets bytes of parameters that a lane may hold, by built-in workload
     */
    BudgetedModels load(
        Map<String, Long> budgets, Engines engines, ModelCache cache, ModelProgress progress)
        throws UserMistakeException;
  }

  /** The location is that of the first budget, for the mistake without a loader. */
  static BudgetedModels load(
      String location,
      Map<String, Long> budgets,
      Engines engines,
      ModelCache cache,
      ModelProgress progress)
      throws UserMistakeException {
    Loader loader =
        ServiceLoader.load(Loader.class)
            .findFirst()
            .orElseThrow(
                () ->
                    new UserMistakeException(
                        location,
                        "memory_budget needs the module layers, which this installation lacks",
                        "remove memory_budget, or install Sluice whole"));
    return loader.load(budgets, engines, cache, progress);
  }
}
