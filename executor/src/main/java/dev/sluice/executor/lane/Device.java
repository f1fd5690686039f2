package dev.sluice.executor.lane;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.ModelKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The device of an executor's lanes: real models, or an emulation. */
public interface Device extends AutoCloseable {
  /** Opens one lane's share of the device, on the lane's own thread. Lanes count from 0. */
  LaneWork openLane(int lane) throws Exception;

  /** Tells the device that the run begins; may be called again. */
  default void begin(RunClock runClock) {}

  /**
   * Returns what a lane can do with a model.
   *
   * @param loadNs time that the first lane took at warm-up to load it; null: it loaded nothing
   */
  Capability capability(ModelKey model, List<WarmUp> warmUps, @Nullable Long loadNs);

  @Override
  default void close() {}
}
