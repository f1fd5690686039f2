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
  /** Tells whether the workload's model has a budget. */
  boolean holds(String workload);

  /**
   * Opens a session for one lane; the first inference takes the memory.
   *
   * @param buffer buffer of the lane
   * @throws IllegalArgumentException if the workload's model has no budget
   */
  InferenceSession openSession(String workload, InputBuffer buffer);

  @Override
  void close();

  /** Loads such models. */
  interface Loader {
    /**
     * Loads the models, and finds out in which order their parameters come and go.
     *
     * @param budgets bytes of parameters that a lane may hold, by built-in workload
     * @throws UserMistakeException if a file cannot be had for a reason that the user can remove
     */
    BudgetedModels load(
        Map<String, Long> budgets, Engines engines, ModelCache cache, ModelProgress progress)
        throws UserMistakeException;
  }

  /**
   * Loads the models by the loader that is on the class path.
   *
   * @param location where the first budget stands, for a mistake
   * @throws UserMistakeException if there is no loader, or if it cannot load a model
   */
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
