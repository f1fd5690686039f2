package dev.sluice.layers.runtime;

import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.layers.engine.LayerScheduling;
import dev.sluice.layers.engine.LayeredModel;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.AutoSchedule;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.LayerTimes;
import dev.sluice.layers.schedule.Layers;

/**
 * Schedules of lanes: auto, by three timed passes with one sample while nothing else computes. More
 * samples only leave more time to read beside computing.
 */
final class LaneSchedules implements LayerScheduling {
  /** Steps that a schedule is best for: of a lane, nobody knows how many there will be. */
  private static final int STEPS = 1000;

  @Override
  public Chosen choose(
      Network network, LayeredModel model, ParameterSource source, long budgetBytes)
      throws InferenceException {
    Layers layers = Sizes.ofInference(network);
    Inference inference = Inference.of(network, model, source);
    inference.warmUp(budgetBytes);
    LayerTimes times = inference.timed(budgetBytes);
    LayerSchedule schedule = AutoSchedule.best(layers, times, budgetBytes, STEPS).schedule();
    return resident -> new WalkHooks(schedule, layers.names(), new ResidentOperations(resident));
  }
}
