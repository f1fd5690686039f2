package dev.sluice.harness.layers.runtime;

import dev.sluice.executor.layers.LayerScheduling;
import dev.sluice.executor.layers.LayeredModel;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.parameters.ParameterSource;
import dev.sluice.scheduling.layers.AutoSchedule;
import dev.sluice.scheduling.layers.LayerSchedule;
import dev.sluice.scheduling.layers.LayerTimes;
import dev.sluice.scheduling.layers.Layers;

/**
 * Schedules of lanes: auto, by three timed passes with one sample while nothing else computes. More
 * samples only leave more time to read beside computing.
 */
public final class LaneSchedules implements LayerScheduling {
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
