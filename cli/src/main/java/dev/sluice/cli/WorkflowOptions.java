package dev.sluice.cli;

import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.NearestName;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.scheduling.policy.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.Gpus.GangSwitch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a schedule of workflows is told, by the names of this project and of the seed's. */
final class WorkflowOptions {
  private static final int GPUS_MAX = 100_000;
  private static final int LANES_MAX = 64;
  private static final List<String> MODES = List.of("offline", "online");
  private static final List<String> GANG_SWITCHES = List.of("longest", "first");
  private static final double NS_PER_SECOND = 1e9;

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

  @Option(names = "--gpus", paramLabel = "N", description = "Workflows: how many GPUs there are.")
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
      description =
          "Workflows: leaves out requests that are wrong or that can not run, and lists them.")
  private boolean skipInfeasible;

  @Option(
      names = "--gang-switch",
      paramLabel = "WHICH",
      description =
          "Workflows: a job of several GPUs waits for its longest switch (default) or for that of"
              + " its first GPU.")
  private @Nullable String gangSwitch;

  @Option(
      names = "--bandwidth-gb-per-s",
      paramLabel = "N",
      description = "Workflows: how fast models are moved (default: 16).")
  private @Nullable Double bandwidthGbPerSecond;

  @Option(
      names = "--switch-overhead-s",
      paramLabel = "N",
      description = "Workflows: what each change of models costs beside (default: 2).")
  private @Nullable Double switchOverheadSeconds;

  @Option(
      names = "--execute",
      description =
          "Workflows: really runs the nodes, through Kafka, each GPU played by a lane that loads"
              + " and releases models.")
  private boolean execute;

  @Option(
      names = "--simulate",
      paramLabel = "BOOLEAN",
      description = "Workflows: true is --execute, false is not (default).")
  private @Nullable String simulate;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Workflows, with --execute: a Kafka that runs already.")
  private @Nullable String bootstrap;

  /** Whether the command line is about workflows. */
  boolean given() {
    return system != null
        || requests != null
        || gpus != null
        || mode != null
        || policy != null
        || skipInfeasible
        || gangSwitch != null
        || bandwidthGbPerSecond != null
        || switchOverheadSeconds != null
        || execute
        || simulate != null
        || bootstrap != null;
  }

  /**
   * Whether nodes are really run.
   *
   * @throws UserMistakeException if options do not go together
   */
  boolean executes() throws UserMistakeException {
    String really = simulate == null ? "" : simulate.toLowerCase(Locale.ROOT);
    boolean executes =
        execute
            || (simulate != null
                && oneOf("--simulate", really, List.of("true", "false"), "values").equals("true"));
    if (execute && really.equals("false")) {
      throw new UserMistakeException(
          "--simulate", "false is given, and --execute as well", "one of them is to go");
    }
    if (executes) {
      refuseMeasured("--gang-switch", gangSwitch);
      refuseMeasured("--bandwidth-gb-per-s", bandwidthGbPerSecond);
      refuseMeasured("--switch-overhead-s", switchOverheadSeconds);
      if (gpus != null && gpus > LANES_MAX) {
        throw new UserMistakeException(
            "--gpus",
            "a lane plays each GPU, and (" + gpus + ") are too many for one machine",
            "--gpus 2 is a beginning");
      }
    } else if (bootstrap != null) {
      throw new UserMistakeException(
          "--bootstrap", "a simulation needs no Kafka (" + bootstrap + ")", "you want --execute");
    }
    return executes;
  }

  private static void refuseMeasured(String option, @Nullable Object value)
      throws UserMistakeException {
    if (value != null) {
      throw new UserMistakeException(
          option,
          "switches are measured where nodes really run (" + value + ")",
          "you want it without, or a simulation");
    }
  }

  /** Where a Kafka runs already; null: an embedded one is to be started. */
  @Nullable KafkaAccess externalKafka() throws UserMistakeException {
    return bootstrap == null ? null : KafkaAccess.of("--bootstrap", bootstrap, null);
  }

  Path system() {
    return system == null ? Path.of("system_config.yaml") : system;
  }

  Path requests() {
    return requests == null ? Path.of("workflow_requests.yaml") : requests;
  }

  boolean online() throws UserMistakeException {
    return oneOf("--mode", mode == null ? "offline" : mode, MODES, "modes").equals("online");
  }

  boolean skipInfeasible() {
    return skipInfeasible;
  }

  /** The GPUs as told. */
  Gpus gpus() throws UserMistakeException {
    if (gpus == null) {
      throw new UserMistakeException(
          "--gpus", "how many GPUs there are is not said", "--gpus 4 is a beginning");
    }
    if (gpus < 1 || gpus > GPUS_MAX) {
      throw new UserMistakeException(
          "--gpus", "so many GPUs (" + gpus + ") can not be", "--gpus 4 is a beginning");
    }
    double bandwidth = bandwidthGbPerSecond == null ? 16 : bandwidthGbPerSecond;
    double overheadSeconds = switchOverheadSeconds == null ? 2 : switchOverheadSeconds;
    if (!(bandwidth >= 1e-6 && bandwidth <= 1e9)) {
      throw new UserMistakeException(
          "--bandwidth-gb-per-s", "it can not be (" + bandwidth + ")", "16 is that of PCIe 4.0");
    }
    if (!(overheadSeconds >= 0 && overheadSeconds <= 1e6)) {
      throw new UserMistakeException(
          "--switch-overhead-s", "it can not be (" + overheadSeconds + ")", "you meant 2");
    }
    String which = gangSwitch == null ? "longest" : gangSwitch;
    return new Gpus(
        gpus,
        bandwidth,
        Math.round(overheadSeconds * NS_PER_SECOND),
        oneOf("--gang-switch", which, GANG_SWITCHES, "values").equals("first")
            ? GangSwitch.FIRST
            : GangSwitch.LONGEST);
  }

  /**
   * The policy's name.
   *
   * @throws UserMistakeException if there is none of that name, or it goes by promises that a
   *     requested workflow does not make
   */
  String policyName(WorkflowFiles files) throws UserMistakeException {
    String name = policyName();
    if (newPolicy(name).needs().deadlines()) {
      for (WorkflowRequest request : files.requests()) {
        Workflow asked = request.workflow();
        if (asked.sloMs() == null) {
          throw new UserMistakeException(
              system() + ":" + asked.line(),
              "the scheduler (%s) goes by latency promises, and workflow (%s) makes none"
                  .formatted(name, asked.id()),
              "slo_ms: 60000 is to be added to it, or one of these will do: "
                  + String.join(", ", withoutPromises()));
        }
      }
    }
    return name;
  }

  /** The policy's name, of one that there is. */
  String policyName() throws UserMistakeException {
    return oneOf("--policy", policy == null ? "ray_like" : policy, Policies.names(), "schedulers");
  }

  private static List<String> withoutPromises() {
    return Policies.names().stream().filter(name -> !newPolicy(name).needs().deadlines()).toList();
  }

  static SchedulingPolicy newPolicy(String name) {
    return Policies.create(name, Map.of());
  }

  private static String oneOf(String option, String value, List<String> known, String plural)
      throws UserMistakeException {
    if (!known.contains(value)) {
      throw new UserMistakeException(
          option, "(" + value + ") is unknown", NearestName.advice(value, known, plural));
    }
    return value;
  }
}
