package dev.sluice.scheduler.topology;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.BatchLimits;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The scheduling core of an experiment, for every driver. */
public final class ExperimentCore {
  private ExperimentCore() {}

  /** Returns a supplier that makes the experiment's policy, once for each shard. */
  public static Supplier<SchedulingPolicy> policies(Experiment experiment) {
    return () ->
        Policies.create(experiment.scheduling().schedulerName(), experiment.scheduling().weights());
  }

  /** Returns the core's settings for an experiment. */
  public static CoreSettings settings(Experiment experiment) {
    var microbatch = experiment.scheduling().microbatch();
    var lanes = experiment.lanes();
    Integer maxWaiting = experiment.scheduling().maxWaiting();
    Double expireAfterMs = experiment.scheduling().expireAfterMs();
    Map<String, BatchLimits> limits = new HashMap<>();
    microbatch
        .models()
        .forEach((model, l) -> limits.put(model, new BatchLimits(l.maxBatch(), l.preferred())));
    return new CoreSettings(
        new CoreSettings.Jobs(
            experiment.seed(),
            experiment.jobs().classes().stream()
                .map(c -> new JobClass(c.name(), c.priority(), c.interactive(), c.microbatch()))
                .toList(),
            experiment.jobs().workloads().stream()
                .collect(
                    Collectors.toMap(
                        Experiment.WorkloadChoice::name, Experiment.WorkloadChoice::tokens))),
        new CoreSettings.Microbatch(
            experiment.joinsJobs(),
            Math.round(microbatch.windowMs() * 1e6),
            microbatch.maxBatch(),
            microbatch.respectDeadlines(),
            limits),
        Admission.valueOf(experiment.scheduling().admission().toUpperCase(Locale.ROOT)),
        new CoreSettings.Bounds(
            maxWaiting == null ? Integer.MAX_VALUE : maxWaiting,
            expireAfterMs == null ? Long.MAX_VALUE : Math.round(expireAfterMs * 1e6)),
        new CoreSettings.Leases(
            lanes.heartbeatMs() * 1_000_000L, lanes.leaseMs() * 1_000_000L, lanes.maxAttempts()),
        new CoreSettings.Placing(
            lanes.ahead(),
            experiment.resources().cpuFallback(),
            CoreSettings.Switching.NONE,
            lanes.memoryBytes()),
        new CoreSettings.Predictor(
            experiment.predictor().enabled(), experiment.predictor().quantile()));
  }
}
