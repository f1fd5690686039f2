package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.layers.engine.LayeredModel;
import dev.sluice.layers.engine.LayeredModels;
import dev.sluice.layers.engine.LayeredModels.LayerScheduling;
import dev.sluice.layers.engine.ResidentLayers;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import java.util.Map;
import java.util.function.Function;

/**
 * Loader of the models of lanes with {@code memory_budget}: their layers come and go by the
 * schedule auto, from three timed passes with one sample while nothing else computes. More samples
 * only leave more time to read beside computing.
 */
public final class LaneModels implements BudgetedModels.Loader, LayerScheduling {
  /** Steps that a schedule is best for: of a lane, nobody knows how many there will be. */
  private static final int STEPS = 1000;

  @Override
  public BudgetedModels load(
      Map<String, Long> budgets, Engines engines, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    return LayeredModels.load(budgets, engines, cache, progress, this);
  }

  @Override
  public Function<ResidentLayers, Hooks> choose(
      Network network, LayeredModel model, ParameterSource source, long budgetBytes)
      throws InferenceException {
    Layers layers = RunPlan.ofInference(network);
    Inference inference = Inference.of(network, model, source);
    inference.warmUp(budgetBytes);
    Layers.Times times = inference.timed(budgetBytes);
    LayerSchedule schedule = AutoSchedule.best(layers, times, budgetBytes, STEPS).schedule();
    return resident -> new ScheduleWalk(schedule, layers.names(), resident);
  }
}
