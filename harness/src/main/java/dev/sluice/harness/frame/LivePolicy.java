package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.util.List;
import java.util.Map;

/** What a policy needs of the lanes of a live run. */
public final class LivePolicy {
  private LivePolicy() {}

  /**
   * Returns an experiment whose lanes can do what its policy asks of them.
   *
   * @throws UserMistakeException if the policy cancels batches and the lanes are real
   */
  public static ParsedExperiment orRefuse(ParsedExperiment parsed) throws UserMistakeException {
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
}
