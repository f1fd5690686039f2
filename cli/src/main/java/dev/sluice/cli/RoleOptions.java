package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunId;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.role.RoleSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every role is told on its command line. */
public final class RoleOptions {
  @Parameters(
      paramLabel = "CONFIG",
      description = "The experiment file (YAML), the same for all roles of the run.")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Overrides a key, dotted where it is nested; may be repeated; the same for all roles.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The Kafka that the roles meet in.")
  private String bootstrap = "";

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      required = true,
      description = "The run to take part in: the prefix of its topics, the name of its folder.")
  private String runId = "";

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties for all Kafka clients: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Option(
      names = "--metrics-port",
      paramLabel = "N",
      description = "Answers GET /metrics there, for Prometheus (default: nowhere; 0: any port).")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "How long to wait for Kafka, and produce for the others (default: ${DEFAULT-VALUE}).")
  private int waitSeconds = 600;

  @Option(
      names = "--child",
      hidden = true,
      description = "Started by Sluice: ends with its standard input, leaves Ctrl-C to its parent.")
  private boolean child;

  Duration waitLimit() {
    return Duration.ofSeconds(waitSeconds);
  }

  RoleSettings settings() throws UserMistakeException {
    RunId.check(runId);
    if (waitSeconds < 0) {
      throw new UserMistakeException(
          "--wait", "the value (" + waitSeconds + ") is below 0", "leave it out: it is 600 then");
    }
    if (config == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return new RoleSettings(
        config,
        overrides,
        runId,
        KafkaAccess.of("--bootstrap", bootstrap, kafkaConfig),
        waitLimit(),
        metricsPort,
        child);
  }
}
