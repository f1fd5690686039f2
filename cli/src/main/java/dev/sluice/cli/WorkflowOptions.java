package dev.sluice.cli;

import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.NearestName;
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

/** What a simulation of workflows is told, by the names of this project and of the seed's. */
final class WorkflowOptions {
  private static final int GPUS_MAX = 100_000;
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
      names = "--simulate",
      paramLabel = "BOOLEAN",
      description = "Workflows: false, nothing is really executed (default).")
  private @Nullable String execute;

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
        || execute != null;
  }

  /**
   * @throws UserMistakeException if something else than a simulation is asked for
   */
  void check() throws UserMistakeException {
    String really = execute == null ? "false" : execute.toLowerCase(Locale.ROOT);
    if (really.equals("true")) {
      throw new UserMistakeException(
          "--simulate",
          "nodes can not be executed for real (true) yet",
          "false will do, which takes times from the files");
    }
    oneOf("--simulate", really, List.of("false"), "values");
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

  /** The policy's name, of one that can do without promises. */
  String policyName() throws UserMistakeException {
    String name =
        oneOf("--policy", policy == null ? "ray_like" : policy, Policies.names(), "schedulers");
    if (newPolicy(name).needs().deadlines()) {
      throw new UserMistakeException(
          "--policy",
          "the scheduler (" + name + ") goes by latency promises, and workflow files make none",
          "one of these will do: " + String.join(", ", withoutPromises()));
    }
    return name;
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
