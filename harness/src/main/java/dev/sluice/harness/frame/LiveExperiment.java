package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.harness.machine.Console;
import dev.sluice.producer.requests.OfferedRate;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a live run asks of its experiment: lanes that its policy can use, a rate, processors. */
public final class LiveExperiment {
  private LiveExperiment() {}

  /**
   * Reads an experiment that is to run live. An offered load of real lanes has no rate yet, and is
   * a mistake where each role is a process of its own.
   */
  public static ParsedExperiment read(Path config, List<String> overrides, boolean processes)
      throws UserMistakeException {
    ParsedExperiment parsed =
        withUsableLanes(ExperimentFile.read(config, overrides, Registries.vocabulary()));
    return processes
        ? withRate(parsed, "each role has a process of its own")
        : withEmulatedRate(parsed);
  }

  /** The experiment, unless its policy cancels batches, which real lanes cannot. */
  public static ParsedExperiment withUsableLanes(ParsedExperiment parsed)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    String scheduler = experiment.scheduling().schedulerName();
    if (!experiment.lanes().emulated() && cancels(scheduler)) {
      List<String> others = Policies.names().stream().filter(name -> !cancels(name)).toList();
      String like = scheduler + "_nonpreemptive";
      throw new UserMistakeException(
          parsed.location("scheduler_name"),
          "scheduler (%s) cancels running batches, which real lanes cannot".formatted(scheduler),
          "you meant %s, or lanes.kind: emulated"
              .formatted(others.contains(like) ? like : "another scheduler"));
    }
    return parsed;
  }

  private static boolean cancels(String scheduler) {
    return Policies.create(scheduler, Map.of()).needs().has(Need.CANCELLING);
  }

  /** The experiment itself, or, if its lanes are emulated, with the rate of its offered load. */
  private static ParsedExperiment withEmulatedRate(ParsedExperiment parsed)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    if (!parsed.needsRate() || !experiment.lanes().emulated()) {
      return parsed;
    }
    try (LaneSource lanes = LaneSource.of(parsed)) {
      return OfferedRate.of(
          parsed,
          LaneSource.emulation(parsed, lanes.latencyTable(), experiment.lanes().speed())
              .capabilities(ExecutorSettings.of(experiment, "executor", 1, 0)));
    }
  }

  /** As {@link #withEmulatedRate}, where nobody measures real lanes before the load, and why. */
  public static ParsedExperiment withRate(ParsedExperiment parsed, String why)
      throws UserMistakeException {
    ParsedExperiment rated = withEmulatedRate(parsed);
    Double load = rated.experiment().load().offeredLoad();
    if (load != null && rated.needsRate()) {
      throw new UserMistakeException(
          parsed.location("offered_load"),
          "offered_load ("
              + Numbers.text(load)
              + ") needs real lanes that are measured before the load, and "
              + why,
          "--set arrival_rate_jobs_per_sec=10 or the like is meant; ./sluice run FILE --dry-run"
              + " prints the rate of this machine");
    }
    return rated;
  }

  public static void warnOfFewProcessors(ParsedExperiment parsed, int executors, Console console) {
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
