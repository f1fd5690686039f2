package dev.sluice.cli;

import dev.sluice.harness.role.RoleSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

public final class RoleOptions {
  @Parameters(
      paramLabel = "CONFIG",
      description = "The experiment file (YAML); all roles of the run need equal files.")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Overrides a key, dotted where it is nested; may be repeated; all roles need equal ones.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The Kafka in which the roles meet.")
  private String bootstrap = "";

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      required = true,
      description = "The run to join: the prefix of its topics, the name of its folder.")
  private String runId = "";

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties of all Kafka clients: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Mixin private MetricsOptions metrics = new MetricsOptions();

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "Limit of the wait for Kafka, and of produce for the others (default: ${DEFAULT-VALUE}).")
  private int waitSeconds = 600;

  @Option(
      names = "--child",
      hidden = true,
      description = "Started by Sluice: ends with its standard input, leaves Ctrl-C to its parent.")
  private boolean child;

  public RoleSettings settings() {
    if (config == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return new RoleSettings(
        config, overrides, runId, bootstrap, kafkaConfig, waitSeconds, metrics.address(), child);
  }
}
