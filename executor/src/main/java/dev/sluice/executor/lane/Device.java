package dev.sluice.executor.lane;

import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.ModelKey;

/** What an executor's lanes run on: real models, or an emulation. */
public interface Device extends AutoCloseable {
  /**
   * Opens one lane's share of it. Called on the lane's own thread.
   *
   * @param lane its number, from 0
   */
  LaneWork openLane(int lane) throws Exception;

  /** The run begins; may be called again. */
  default void begin(RunClock runClock) {}

  /** Floating-point operations of one sample's inference. */
  long flopsPerSample(ModelKey model);

  /** Called when all lanes are closed. */
  @Override
  void close();
}
