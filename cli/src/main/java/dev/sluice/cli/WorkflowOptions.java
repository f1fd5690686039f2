package dev.sluice.cli;

import static java.util.Objects.requireNonNullElse;

import dev.sluice.harness.workflow.WorkflowSettings;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a schedule of workflows, by the names of this project and of the seed. */
public final class WorkflowOptions {

  @Option(
      names = {"--system", "--config"},
      paramLabel = "FILE",
      description = "Workflows: models and graphs, YAML or JSON (default: system_config.yaml).")
  private @Nullable Path system;

  @Option(
      names = "--requests",
      paramLabel = "FILE",
      description = "Workflows: the requests, YAML or JSON (default: workflow_requests.yaml).")
  private @Nullable Path requests;

  @Option(names = "--gpus", paramLabel = "N", description = "Workflows: the number of GPUs.")
  private @Nullable Integer gpus;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "Workflows: offline, all requests at time 0 (default), or online, by their timestamps.")
  private @Nullable String mode;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description = "Workflows: the scheduler (default: ray_like).")
  private @Nullable String policy;

  @Option(
      names = "--skip-infeasible",
      description = "Workflows: leaves out requests that are wrong or cannot run, and lists them.")
  private boolean skipInfeasible;

  @Option(
      names = "--gang-switch",
      paramLabel = "WHICH",
      description =
          "Workflows: a job of several GPUs waits for its longest switch (default) or for the one"
              + " of its first GPU.")
  private @Nullable String gangSwitch;

  @Option(
      names = "--bandwidth-gb-per-s",
      paramLabel = "N",
      description = "Workflows: the speed at which models are moved (default: 16).")
  private @Nullable Double bandwidthGbPerSecond;

  @Option(
      names = "--switch-overhead-s",
      paramLabel = "N",
      description = "Workflows: the further cost of each change of models (default: 2).")
  private @Nullable Double switchOverheadSeconds;

  @Option(
      names = "--execute",
      description =
          "Workflows: really runs the nodes, through Kafka; a lane plays each GPU, and loads"
              + " and releases models.")
  private boolean execute;

  @Option(
      names = "--simulate",
      paramLabel = "BOOLEAN",
      description = "Workflows: true means --execute (default: false).")
  private @Nullable String simulate;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Workflows, with --execute: a Kafka that runs already.")
  private @Nullable String bootstrap;

  /** True if the command line is about workflows. */
  public boolean given() {
    return skipInfeasible
        || execute
        || Stream.of(system, requests, mode, policy, gangSwitch, simulate, bootstrap)
            .anyMatch(Objects::nonNull)
        || Stream.of(gpus, bandwidthGbPerSecond, switchOverheadSeconds).anyMatch(Objects::nonNull);
  }

  WorkflowSettings settings(
      Path results, @Nullable String runId, boolean noTrace, @Nullable Boolean log) {
    return new WorkflowSettings(
        requireNonNullElse(system, Path.of("system_config.yaml")),
        requireNonNullElse(requests, Path.of("workflow_requests.yaml")),
        gpus,
        requireNonNullElse(mode, "offline"),
        requireNonNullElse(policy, "ray_like"),
        skipInfeasible,
        gangSwitch,
        bandwidthGbPerSecond,
        switchOverheadSeconds,
        execute,
        simulate,
        bootstrap,
        results,
        runId,
        noTrace,
        log);
  }
}
