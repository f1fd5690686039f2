package dev.sluice.harness.layers.runtime;

import dev.sluice.executor.layers.Hooks;
import dev.sluice.executor.layers.LayerScheduling;
import dev.sluice.executor.layers.LayeredModel;
import dev.sluice.executor.layers.ResidentLayers;
import dev.sluice.scheduling.layers.LayerSchedule;
import dev.sluice.scheduling.layers.Layers;
import dev.sluice.scheduling.layers.ScheduleCheck;
import dev.sluice.scheduling.layers.Schedules;

/** Schedules of lanes: layers are read as far ahead as the budget allows. */
public final class LaneSchedules implements LayerScheduling {
  @Override
  public Hooks hooks(LayeredModel model, long budgetBytes, ResidentLayers resident) {
    var layers = new Layers(model.names(), model.parameterBytes(), false);
    return new WalkHooks(
        schedule(layers, budgetBytes), model.names(), new ResidentOperations(resident));
  }

  /**
   * Returns the schedule that reads most layers ahead within a budget; a model that fits stays.
   *
   * @param budgetBytes at least the bytes of the largest layer
   */
  static LayerSchedule schedule(Layers layers, long budgetBytes) {
    for (int ahead = layers.uses(); ahead > 0; ahead--) {
      LayerSchedule schedule = Schedules.prefetch(layers, ahead);
      if (ScheduleCheck.faults(schedule, layers, budgetBytes).isEmpty()) {
        return schedule;
      }
    }
    return Schedules.onDemand(layers);
  }
}
