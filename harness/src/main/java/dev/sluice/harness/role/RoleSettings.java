package dev.sluice.harness.role;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.serve.MetricsAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options that all roles share, as a command line gives them.
 *
 * @param overrides {@code key=value}, dotted where nested
 * @param runId id of the run to join: the prefix of its topics, the name of its folder
 * @param kafkaConfig file of client properties; null: none
 * @param waitSeconds how long to wait for Kafka and for the other roles
 * @param child true if another process of Sluice started this one, and ends it
 */
public record RoleSettings(
    Path config,
    List<String> overrides,
    String runId,
    String bootstrap,
    @Nullable Path kafkaConfig,
    int waitSeconds,
    MetricsAddress metrics,
    boolean child) {
  public RoleSettings {
    overrides = List.copyOf(overrides);
  }

  /** Checks what no file is needed for. */
  void check() throws UserMistakeException {
    RunFolder.checkId(runId);
    metrics.check();
    if (waitSeconds < 0) {
      throw new UserMistakeException(
          "--wait",
          "the value (" + waitSeconds + ") is below 0",
          "you want to leave it out: it is 600 then");
    }
  }

  Duration waitLimit() {
    return Duration.ofSeconds(waitSeconds);
  }
}
