package dev.sluice.scheduler.replay;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a log was decided with, and what is asked beside it.
 *
 * @param log name of the log, for messages
 * @param core settings of the recorded core
 * @param schedulerName name of the recorded policy
 * @param weights weights of the recorded policy that are not its defaults
 * @param asked another choice to ask in each recorded state; null: none
 */
public record ReplaySettings(
    String log,
    CoreSettings core,
    String schedulerName,
    Map<String, Double> weights,
    @Nullable Asked asked) {
  public ReplaySettings {
    weights = Map.copyOf(weights);
  }

  /**
   * Reads the settings with which a log was decided from its header.
   *
   * @throws UserMistakeException if the header does not hold them, or holds unknown ones
   */
  public static ReplaySettings of(Path file, RecordingHeader header, Vocabulary vocabulary)
      throws UserMistakeException {
    String text = header.experiment();
    if (text == null) {
      throw new UserMistakeException(
          file.toString(),
          "the recording does not hold the experiment that its decisions were made with",
          "it was recorded from topics; the log.jsonl.gz that a run leaves holds it");
    }
    WorkflowCore of = WorkflowCore.read(text);
    if (of != null) {
      return new ReplaySettings(file.toString(), of.settings(), of.policy(), Map.of(), null);
    }
    Experiment experiment = ExperimentFile.recorded(file, text, vocabulary).experiment();
    return new ReplaySettings(
        file.toString(),
        ExperimentCore.settings(experiment),
        experiment.scheduling().schedulerName(),
        experiment.scheduling().weights(),
        null);
  }

  public record Asked(String schedulerName, Map<String, Double> weights, Admission admission) {
    public Asked {
      weights = Map.copyOf(weights);
    }

    SchedulingPolicy newPolicy() {
      return Policies.create(schedulerName, weights);
    }
  }

  public ReplaySettings with(Asked newAsked) {
    return new ReplaySettings(log, core, schedulerName, weights, newAsked);
  }

  /**
   * Returns why the other choice cannot be asked in the recorded states; null: it can. Both see one
   * state, so it must be one for both.
   */
  public @Nullable String reasonNotToAsk() {
    Asked other = asked;
    if (other == null) {
      return null;
    }
    Set<Need> recorded = newPolicy().needs().others();
    Set<Need> needed = other.newPolicy().needs().others();
    for (Need shape : List.of(Need.JOINING, Need.SETS_OF_ALL_CLASSES)) {
      if (recorded.contains(shape) != needed.contains(shape)) {
        return shape == Need.JOINING
            ? "joins jobs by a micro-batch window, and the other by itself"
            : "keeps jobs of all classes together, and the other does not";
      }
    }
    if (needed.contains(Need.RESIDENCY) && core.placing().laneBytes() > 0) {
      return "loads models by itself, and its loads were not made";
    }
    return needed.contains(Need.MEMORY)
        ? "has a memory of its own decisions, which were not made"
        : null;
  }

  public SchedulingPolicy newPolicy() {
    return Policies.create(schedulerName, weights);
  }
}
