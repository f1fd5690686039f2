package dev.sluice.harness.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Options of a schedule of workflows, as the text and numbers of a command line. This record checks
 * them. Null stands for an option that was left out.
 *
 * @param systemFile file of models and graphs
 * @param requestsFile file of requests of the graphs
 * @param mode offline or online
 * @param policy the scheduler's name
 * @param skipInfeasible true if requests that cannot run are left out and listed
 * @param gangSwitch switch that a job of several GPUs waits for: longest or first
 * @param execute true if nodes really run; false: in virtual time
 * @param simulate another spelling of execute, as text: true or false
 * @param results folder in which one is left
 * @param runId its name; null: made from the time
 * @param log true if a recording of the topics is left; null: if nodes really run
 */
public record WorkflowSettings(
    Path systemFile,
    Path requestsFile,
    @Nullable Integer gpus,
    String mode,
    String policy,
    boolean skipInfeasible,
    @Nullable String gangSwitch,
    @Nullable Double bandwidthGbPerSecond,
    @Nullable Double switchOverheadSeconds,
    boolean execute,
    @Nullable String simulate,
    @Nullable String bootstrap,
    Path results,
    @Nullable String runId,
    boolean noTrace,
    @Nullable Boolean log) {
  private static final int GPUS_MAX = 100_000;
  private static final int LANES_MAX = 64;

  /**
   * Tells whether nodes really run.
   *
   * @throws UserMistakeException if options do not go together
   */
  boolean executes() throws UserMistakeException {
    String really = simulate == null ? "" : simulate.toLowerCase(Locale.ROOT);
    boolean executes =
        execute
            || (simulate != null
                && oneOf("--simulate", really, List.of("true", "false"), "values").equals("true"));
    UserMistakeException.throwIf(
        execute && really.equals("false"),
        "--simulate",
        "the value (false) contradicts --execute",
        "you want to leave one of the two out");
    if (executes) {
      refuseMeasured("--gang-switch", gangSwitch);
      refuseMeasured("--bandwidth-gb-per-s", bandwidthGbPerSecond);
      refuseMeasured("--switch-overhead-s", switchOverheadSeconds);
      UserMistakeException.throwIf(
          gpus != null && gpus > LANES_MAX,
          "--gpus",
          "a lane plays each GPU, and (" + gpus + ") are too many for one machine",
          "--gpus 2 will do");
    } else if (bootstrap != null) {
      throw new UserMistakeException(
          "--bootstrap", "a simulation needs no Kafka (" + bootstrap + ")", "you want --execute");
    }
    return executes;
  }

  private static void refuseMeasured(String option, @Nullable Object value)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        value != null,
        option,
        "the value (" + value + ") has no use where nodes really run: switches are measured",
        "you want to leave it out, or to leave --execute out");
  }

  /** Access to a Kafka that runs already; null: the run starts an embedded one. */
  @Nullable KafkaAccess externalKafka() throws UserMistakeException {
    return bootstrap == null ? null : KafkaAccess.of("--bootstrap", bootstrap, null);
  }

  /** True if requests come by their timestamps, rather than all at time 0. */
  boolean online() throws UserMistakeException {
    return oneOf("--mode", mode, List.of("offline", "online"), "modes").equals("online");
  }

  /** The GPUs that the options describe, with defaults for what was left out. */
  Gpus gpusAsTold() throws UserMistakeException {
    if (gpus == null) {
      throw new UserMistakeException("--gpus", "the number of GPUs is missing", "--gpus 4 will do");
    }
    UserMistakeException.throwIf(
        gpus < 1 || gpus > GPUS_MAX,
        "--gpus",
        "the number of GPUs (" + gpus + ") must be between 1 and " + GPUS_MAX,
        "--gpus 4 will do");
    double bandwidth = Objects.requireNonNullElse(bandwidthGbPerSecond, 16.0);
    double overheadSeconds = Objects.requireNonNullElse(switchOverheadSeconds, 2.0);
    UserMistakeException.throwIf(
        !(bandwidth >= 1e-6 && bandwidth <= 1e9),
        "--bandwidth-gb-per-s",
        "the value (" + bandwidth + ") must be between 0.000001 and 1e9",
        "--bandwidth-gb-per-s 16 will do, which is PCIe 4.0");
    UserMistakeException.throwIf(
        !(overheadSeconds >= 0 && overheadSeconds <= 1e6),
        "--switch-overhead-s",
        "the value (" + overheadSeconds + ") must be between 0 and 1e6",
        "--switch-overhead-s 2 will do");
    String which = Objects.requireNonNullElse(gangSwitch, "longest");
    return new Gpus(
        gpus,
        bandwidth,
        Math.round(overheadSeconds * 1e9),
        oneOf("--gang-switch", which, List.of("longest", "first"), "values").equals("first")
            ? GangSwitch.FIRST
            : GangSwitch.LONGEST);
  }

  /**
   * Checks the policy against the requested workflows.
   *
   * @throws UserMistakeException if it needs promises that a requested workflow does not make, or
   *     may give jobs up
   */
  void checkPolicy(WorkflowFiles files) throws UserMistakeException {
    if (newPolicy(policy).needs().has(Need.DROPPING)) {
      throw new UserMistakeException(
          "--policy",
          "the scheduler (%s) may give jobs up, and each node of a workflow must run"
              .formatted(policy),
          "you want one of these schedulers: " + namesWithout(Need.DROPPING));
    }
    if (newPolicy(policy).needs().has(Need.DEADLINES)) {
      for (WorkflowRequest request : files.requests()) {
        Workflow asked = request.workflow();
        if (asked.sloMs() == null) {
          throw new UserMistakeException(
              systemFile + ":" + asked.line(),
              "the scheduler (%s) goes by latency promises, and workflow (%s) makes none"
                  .formatted(policy, asked.id()),
              "you want to add slo_ms: 60000 to it, or one of these schedulers: "
                  + namesWithout(Need.DEADLINES));
        }
      }
    }
  }

  String policyName() throws UserMistakeException {
    return oneOf("--policy", policy, Policies.names(), "schedulers");
  }

  private static String namesWithout(Need need) {
    return Policies.names().stream()
        .filter(name -> !newPolicy(name).needs().has(need))
        .collect(Collectors.joining(", "));
  }

  /** Makes the policy of a name, with its defaults. */
  public static SchedulingPolicy newPolicy(String name) {
    return Policies.create(name, Map.of());
  }

  private static String oneOf(String option, String value, List<String> known, String plural)
      throws UserMistakeException {
    if (!known.contains(value)) {
      throw new UserMistakeException(
          option, "the value (" + value + ") is unknown", NearestName.advice(value, known, plural));
    }
    return value;
  }
}
