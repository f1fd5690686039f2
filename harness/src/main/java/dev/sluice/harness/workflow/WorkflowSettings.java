package dev.sluice.harness.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.Gpus.GangSwitch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a schedule of workflows is told. Null stands for an option that was left out.
 *
 * @param system the file of models and graphs
 * @param requests the file of requests
 * @param gpus how many GPUs there are
 * @param mode offline or online
 * @param policy the scheduler's name
 * @param skipInfeasible whether requests that cannot run are left out and listed
 * @param gangSwitch which switch a job of several GPUs waits for: longest or first
 * @param bandwidthGbPerSecond how fast models are moved
 * @param switchOverheadSeconds what each change of models costs beside
 * @param execute whether nodes are really run
 * @param simulate the seed's name for the same: true or false
 * @param bootstrap a Kafka that runs already
 */
public record WorkflowSettings(
    @Nullable Path system,
    @Nullable Path requests,
    @Nullable Integer gpus,
    @Nullable String mode,
    @Nullable String policy,
    boolean skipInfeasible,
    @Nullable String gangSwitch,
    @Nullable Double bandwidthGbPerSecond,
    @Nullable Double switchOverheadSeconds,
    boolean execute,
    @Nullable String simulate,
    @Nullable String bootstrap) {
  private static final int GPUS_MAX = 100_000;
  private static final int LANES_MAX = 64;
  private static final List<String> MODES = List.of("offline", "online");
  private static final List<String> GANG_SWITCHES = List.of("longest", "first");
  private static final double NS_PER_SECOND = 1e9;

  /**
   * Whether nodes are really run.
   *
   * @throws UserMistakeException if options do not go together
   */
  public boolean executes() throws UserMistakeException {
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
  @Nullable
  public KafkaAccess externalKafka() throws UserMistakeException {
    return bootstrap == null ? null : KafkaAccess.of("--bootstrap", bootstrap, null);
  }

  public Path systemFile() {
    return system == null ? Path.of("system_config.yaml") : system;
  }

  public Path requestsFile() {
    return requests == null ? Path.of("workflow_requests.yaml") : requests;
  }

  public boolean online() throws UserMistakeException {
    return oneOf("--mode", mode == null ? "offline" : mode, MODES, "modes").equals("online");
  }

  /** The GPUs as told. */
  public Gpus gpusAsTold() throws UserMistakeException {
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
  public String policyName(WorkflowFiles files) throws UserMistakeException {
    String name = policyName();
    if (newPolicy(name).needs().deadlines()) {
      for (WorkflowRequest request : files.requests()) {
        Workflow asked = request.workflow();
        if (asked.sloMs() == null) {
          throw new UserMistakeException(
              systemFile() + ":" + asked.line(),
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
  public String policyName() throws UserMistakeException {
    return oneOf("--policy", policy == null ? "ray_like" : policy, Policies.names(), "schedulers");
  }

  private static List<String> withoutPromises() {
    return Policies.names().stream().filter(name -> !newPolicy(name).needs().deadlines()).toList();
  }

  public static SchedulingPolicy newPolicy(String name) {
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
