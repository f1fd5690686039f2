package dev.sluice.scheduler.translation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduling.driver.CoreSettings;
import java.util.List;
import java.util.Optional;

/**
 * What the core of executed workflows decides with, beside the facts. As text it stands in the
 * header of their recording, in place of an experiment, which they have none of.
 *
 * @param policy name of the scheduler
 * @param seed seed of the policy
 * @param models names of the models, each a workload of the core
 * @param microbatch joining of nodes
 * @param leases heartbeats, leases and attempts
 */
public record WorkflowCore(
    String policy,
    long seed,
    List<String> models,
    CoreSettings.Microbatch microbatch,
    CoreSettings.Leases leases) {
  private static final JsonMapper JSON = new JsonMapper();

  public WorkflowCore {
    models = List.copyOf(models);
  }

  /** The settings of the core. */
  public CoreSettings settings() {
    return Workflows.settings(seed, models).with(microbatch).with(leases);
  }

  /** The text of these settings, in one line. */
  public String toText() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("settings cannot be written", e);
    }
  }

  /** Reads {@link #toText}; empty if the text is something else, such as an experiment. */
  public static Optional<WorkflowCore> read(String text) {
    try {
      return text.startsWith("{")
          ? Optional.of(JSON.readValue(text, WorkflowCore.class))
          : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
