package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.layers.engine.LayeredModels;
import java.util.Map;

/** Loader of the models of lanes with {@code memory_budget}: their layers come and go. */
public final class LaneModels implements BudgetedModels.Loader {
  @Override
  public BudgetedModels load(
      Map<String, Long> budgets, Engines engines, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    return LayeredModels.load(budgets, engines, cache, progress, new LaneSchedules());
  }
}
