package dev.sluice.cli;

import dev.sluice.contract.UserMistakeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every role is told on its command line. */
final class RoleOptions {
  private static final Pattern RUN_ID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,149}");

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

  Path config() {
    if (config == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return config;
  }

  List<String> overrides() {
    return overrides;
  }

  /** What can be known of the options before anything is read. */
  void check() throws UserMistakeException {
    checkRunId(runId);
    if (waitSeconds < 0) {
      throw new UserMistakeException(
          "--wait", "the value (" + waitSeconds + ") is below 0", "leave it out: it is 600 then");
    }
  }

  String runId() {
    return runId;
  }

  KafkaAccess kafka() throws UserMistakeException {
    return KafkaAccess.of("--bootstrap", bootstrap, kafkaConfig);
  }

  Duration waitLimit() {
    return Duration.ofSeconds(waitSeconds);
  }

  /** Null: no metrics are served. */
  @Nullable Integer metricsPort() {
    return metricsPort;
  }

  boolean child() {
    return child;
  }

  /** Whether an id can name topics and a folder. */
  static void checkRunId(String runId) throws UserMistakeException {
    if (!RUN_ID.matcher(runId).matches()) {
      throw new UserMistakeException(
          "--run-id",
          "the id ("
              + runId
              + ") can not name topics and a folder: it begins with a letter or digit, and goes on"
              + " with letters, digits, '.', '_' and '-', at most 150 in all",
          "leave it out of run: one is made from the run's name and the time");
    }
  }
}
