package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.harness.terminal.Console;
import org.jspecify.annotations.Nullable;

/** Warning of real lanes whose threads want more processors than their machine has. */
public final class FewProcessors {
  private FewProcessors() {}

  /** Warns of executors on this machine, unless it has enough processors for their lanes. */
  public static void warn(ParsedExperiment parsed, int executors, Console console) {
    String warning = warning(parsed, executors, Runtime.getRuntime().availableProcessors());
    if (warning != null) {
      console.line(warning);
    }
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
