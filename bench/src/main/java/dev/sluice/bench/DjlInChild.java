package dev.sluice.bench;

import dev.sluice.executor.model.DjlLoop;
import dev.sluice.harness.machine.MachineClock;

/** The main of the child process that measures DJL alone, for {@link InferenceBench}. */
public final class DjlInChild {
  private DjlInChild() {}

  /** Arguments: workload, samples, seconds. Prints inferences per second. */
  public static void main(String[] arguments) throws Exception {
    System.out.println(
        DjlLoop.inferencesPerSecond(
            arguments[0],
            Integer.parseInt(arguments[1]),
            Long.parseLong(arguments[2]) * 1_000_000_000L,
            MachineClock::monotonicNs));
  }
}
