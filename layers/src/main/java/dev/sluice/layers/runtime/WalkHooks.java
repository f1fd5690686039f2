package dev.sluice.layers.runtime;

import dev.sluice.layers.engine.Hooks;
import dev.sluice.layers.schedule.LayerOperations;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.ScheduleWalk;
import java.util.List;

/**
 * A schedule as the hooks of a loop: each hook walks the list. {@link #stop} ends the loop after
 * the layer that is being computed.
 */
final class WalkHooks implements Hooks {
  private final ScheduleWalk walk;
  private volatile boolean stopped;

  WalkHooks(LayerSchedule schedule, List<String> names, LayerOperations operations) {
    walk = new ScheduleWalk(schedule, names, operations);
  }

  /** Ends the loop at the next hook behind a layer. Called from any thread. */
  void stop() {
    stopped = true;
  }

  @Override
  public void onStepStart() {
    walk.onStepStart();
  }

  @Override
  public void onPreForward(int layer) {
    walk.onPreForward(layer);
  }

  @Override
  public void onPostForward(int layer) {
    walk.onPostForward(layer);
    throwIfStopped();
  }

  @Override
  public void onPreBackward(int layer) {
    walk.onPreBackward(layer);
  }

  @Override
  public void onPostBackward(int layer) {
    walk.onPostBackward(layer);
    throwIfStopped();
  }

  @Override
  public void onStepEnd() {
    walk.onStepEnd();
  }

  private void throwIfStopped() {
    if (stopped) {
      throw new StoppedAtLayerException();
    }
  }
}
