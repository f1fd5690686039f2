package dev.sluice.harness.run;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.serve.MetricsAddress;
import dev.sluice.harness.serve.PageAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a run, as a command line gives them.
 *
 * @param bootstrap {@code HOST:PORT} of a Kafka; null: as the experiment says
 * @param runId id of the run; null: made from the run's name and the time
 * @param kafkaConfig file of client properties for a Kafka that Sluice did not start; null: none
 * @param dryRun true if the run ends before its load, and leaves nothing
 * @param child true if another process of Sluice started this one, and ends it
 */
public record RunSettings(
    Path config,
    List<String> overrides,
    Output output,
    @Nullable String bootstrap,
    @Nullable String runId,
    @Nullable Path kafkaConfig,
    boolean dryRun,
    boolean child,
    Watching watching) {

  /** Runs on brokers of their own, which nobody watches. */
  public RunSettings(Path config, List<String> overrides, Output output, @Nullable String runId) {
    this(config, overrides, output, null, runId, null, false, false, Watching.NOBODY);
  }

  Path results() {
    return output.results();
  }

  /** Reads the experiment; an offered load of real lanes has no rate yet. */
  ParsedExperiment read(boolean processes) throws UserMistakeException {
    return LiveExperiment.read(config, overrides, processes);
  }

  /** Finds mistakes in the experiment before a child process runs it. */
  ParsedExperiment check(boolean processes) throws UserMistakeException {
    ParsedExperiment parsed = read(processes);
    externalKafka(parsed);
    LaneSource.of(parsed).close();
    return parsed;
  }

  List<String> experimentArguments() {
    List<String> arguments = new ArrayList<>(List.of(config.toString()));
    overrides.forEach(override -> arguments.addAll(List.of("--set", override)));
    if (kafkaConfig != null) {
      arguments.addAll(List.of("--kafka-config", kafkaConfig.toString()));
    }
    return arguments;
  }

  /** Access to a Kafka that runs already; null: the run starts an embedded one. */
  @Nullable KafkaAccess externalKafka(ParsedExperiment parsed) throws UserMistakeException {
    var settings = parsed.experiment().kafka();
    if (bootstrap != null) {
      return KafkaAccess.of("--bootstrap", bootstrap, kafkaConfig);
    }
    if (!settings.embedded()) {
      return KafkaAccess.of(
          parsed.location("kafka.bootstrap_servers"), settings.bootstrapServers(), kafkaConfig);
    }
    if (kafkaConfig != null) {
      throw new UserMistakeException(
          "--kafka-config",
          "the properties ("
              + kafkaConfig
              + ") are for a Kafka that runs already, and none is named",
          "you want --bootstrap HOST:PORT too");
    }
    return null;
  }

  public String runIdFor(Experiment experiment) {
    return runId != null ? runId : experiment.runName() + "-" + MachineClock.stamp();
  }

  /**
   * What a run leaves.
   *
   * @param results folder of all runs
   * @param keepTopics true if a finished run leaves its topics on a Kafka that ran already
   * @param noLog true if the run leaves no recording of its topics
   * @param note what a person says of the run; null: nothing
   */
  public record Output(Path results, boolean keepTopics, boolean noLog, @Nullable String note) {}

  /**
   * How others watch a run.
   *
   * @param metrics address where the run answers Prometheus; with a process for each role, of the
   *     first process, and the others have the ports after it
   * @param live address of the run's page; null: there is none
   */
  public record Watching(MetricsAddress metrics, @Nullable PageAddress live) {
    public static final Watching NOBODY = new Watching(MetricsAddress.NOWHERE, null);
  }
}
