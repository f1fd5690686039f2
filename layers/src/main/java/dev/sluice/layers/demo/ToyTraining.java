package dev.sluice.layers.demo;

import dev.sluice.layers.schedule.ScheduleWalk;
import java.util.List;

/** A training loop over the toys, which fires a hook at each border of a layer. */
final class ToyTraining {
  private final List<ToyLayer> layers;
  private final ScheduleWalk scheduler;
  private final DemoLog log;
  private final ToyLayer.Time time;

  ToyTraining(List<ToyLayer> layers, ScheduleWalk scheduler, DemoLog log, ToyLayer.Time time) {
    this.layers = layers;
    this.scheduler = scheduler;
    this.log = log;
    this.time = time;
  }

  /** One step: forward through all layers, backward through all in reverse order. */
  void trainOneStep(double batch) throws InterruptedException {
    log.hook("on_step_start");
    scheduler.onStepStart();
    double x = batch;
    for (int layer = 0; layer < layers.size(); layer++) {
      log.hook("on_pre_forward " + layers.get(layer).name());
      scheduler.onPreForward(layer);
      x = layers.get(layer).forward(x, log, time);
      log.hook("on_post_forward " + layers.get(layer).name());
      scheduler.onPostForward(layer);
    }
    for (int layer = layers.size() - 1; layer >= 0; layer--) {
      log.hook("on_pre_backward " + layers.get(layer).name());
      scheduler.onPreBackward(layer);
      x = layers.get(layer).backward(x, log, time);
      log.hook("on_post_backward " + layers.get(layer).name());
      scheduler.onPostBackward(layer);
    }
    log.hook("on_step_end");
    scheduler.onStepEnd();
  }
}
