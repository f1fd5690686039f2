package dev.sluice.scheduler.translation;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.SchedulingPolicy;
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
    return CoreSettings.of(
            experiment.seed(),
            experiment.jobs().classes().stream()
                .map(c -> new JobClass(c.name(), c.priority(), c.interactive(), c.microbatch()))
                .toList(),
            experiment.jobs().workloads().stream()
                .collect(
                    Collectors.toMap(
                        Experiment.WorkloadChoice::name, Experiment.WorkloadChoice::tokens)))
        .with(
            new CoreSettings.Microbatch(
                experiment.joinsJobs(),
                Math.round(microbatch.windowMs() * 1e6),
                microbatch.maxBatch(),
                microbatch.respectDeadlines(),
                microbatch.models().entrySet().stream()
                    .collect(
                        Collectors.toMap(
                            Map.Entry::getKey,
                            entry ->
                                new CoreSettings.BatchLimits(
                                    entry.getValue().maxBatch(), entry.getValue().preferred())))))
        .with(Admission.valueOf(experiment.scheduling().admission().toUpperCase(Locale.ROOT)))
        .with(
            new CoreSettings.Bounds(
                maxWaiting == null ? Integer.MAX_VALUE : maxWaiting,
                expireAfterMs == null ? Long.MAX_VALUE : Math.round(expireAfterMs * 1e6)))
        .with(
            new CoreSettings.Leases(
                lanes.heartbeatMs() * 1_000_000L,
                lanes.leaseMs() * 1_000_000L,
                lanes.maxAttempts()))
        .withAhead(lanes.ahead())
        .withLaneBytes(lanes.memoryBytes())
        .withCpuFallback(experiment.resources().cpuFallback())
        .with(
            new CoreSettings.Predictor(
                experiment.predictor().enabled(), experiment.predictor().quantile()));
  }
}
