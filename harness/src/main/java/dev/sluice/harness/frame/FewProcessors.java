package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import org.jspecify.annotations.Nullable;

/** Warning of real lanes whose threads want more processors than their machine has. */
public final class FewProcessors {
  private FewProcessors() {}

  /** Warning of executors on this machine; null if it has enough processors for their lanes. */
  public static @Nullable String warning(ParsedExperiment parsed, int executors) {
    return warning(parsed, executors, Runtime.getRuntime().availableProcessors());
  }

  static @Nullable String warning(ParsedExperiment parsed, int executors, int processors) {
    Experiment.Lanes lanes = parsed.experiment().lanes();
    long count = (long) lanes.count() * executors;
    long wanted = count * lanes.threads();
    boolean compute = !lanes.emulated() && !lanes.device().startsWith("cuda");
    return !compute || wanted <= processors
        ? null
        : "%s: warning: %d lanes of %d thread%s each want %d processors, and there are %d: they will slow each other and the generators down."
            .formatted(
                parsed.location("lanes.num_lanes"),
                count,
                lanes.threads(),
                lanes.threads() == 1 ? "" : "s",
                wanted,
                processors);
  }
}
