package dev.sluice.harness.role;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.kafka.KafkaAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every role is told.
 *
 * @param config the experiment file
 * @param overrides {@code key=value}, dotted where nested
 * @param runId the run to take part in: the prefix of its topics, the name of its folder
 * @param kafka where the roles meet
 * @param waitLimit how long to wait for Kafka and for the other roles
 * @param metricsPort where metrics are served; 0: any port; null: nowhere
 * @param child whether another process of Sluice started this one, and ends it
 */
public record RoleSettings(
    Path config,
    List<String> overrides,
    String runId,
    KafkaAccess kafka,
    Duration waitLimit,
    @Nullable Integer metricsPort,
    boolean child) {
  public RoleSettings {
    overrides = List.copyOf(overrides);
  }

  /** Settings as a command line tells them, which may hold a mistake. */
  @FunctionalInterface
  public interface Told {
    RoleSettings settings() throws UserMistakeException;
  }
}
