package dev.sluice.executor.lane;

import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.ModelKey;
import org.jspecify.annotations.Nullable;

/** The device of an executor's lanes: real models, or an emulation. */
public interface Device extends AutoCloseable {
  /** Opens one lane's share of the device, on the lane's own thread. Lanes count from 0. */
  LaneWork openLane(int lane) throws Exception;

  /** Tells the device that the run begins; may be called again. */
  default void begin(RunClock runClock) {}

  long flopsPerSample(ModelKey model);

  /**
   * Returns how long a lane takes to load a model; null: lanes hold all models.
   *
   * @param timedNs time that the first lane took at warm-up; null: it loaded nothing
   */
  default @Nullable Long loadNs(ModelKey model, @Nullable Long timedNs) {
    return timedNs;
  }

  /** Returns the memory of a lane that a model takes; null: lanes have no memory to fill. */
  default @Nullable Long memoryBytes(ModelKey model) {
    return null;
  }

  @Override
  default void close() {}
}
