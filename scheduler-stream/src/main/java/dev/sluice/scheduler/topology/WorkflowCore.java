package dev.sluice.scheduler.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobClass;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the core of executed workflows decides with, beside the facts. As text it stands in the
 * header of their recording, in place of an experiment.
 */
public record WorkflowCore(
    String policy,
    long seed,
    List<String> models,
    CoreSettings.Microbatch microbatch,
    CoreSettings.Leases leases) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final List<JobClass> CLASSES =
      List.of(
          new JobClass("interactive", 0, true, false),
          new JobClass("batch", 1, false, false),
          new JobClass("interactive_joined", 0, true, true),
          new JobClass("batch_joined", 1, false, true));

  public WorkflowCore {
    models = List.copyOf(models);
  }

  /** The settings of the core. */
  public CoreSettings settings() {
    return settings(seed, models).with(microbatch).with(leases);
  }

  /** The settings of a core that neither joins nodes nor loses lanes. */
  public static CoreSettings settings(long seed, List<String> models) {
    return CoreSettings.of(
        seed, CLASSES, models.stream().collect(Collectors.toMap(Function.identity(), model -> 0)));
  }

  /** The class of a workflow's nodes: whether a person waits for it, and they may share batches. */
  public static String classOf(boolean interactive, boolean joined) {
    return CLASSES.get((interactive ? 0 : 1) + (joined ? 2 : 0)).name();
  }

  /** The text of these settings, in one line. */
  public String toText() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("settings cannot be written", e);
    }
  }

  /** Reads {@link #toText}; null if the text is something else, such as an experiment. */
  public static @Nullable WorkflowCore read(String text) {
    try {
      return text.startsWith("{") ? JSON.readValue(text, WorkflowCore.class) : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }
}
