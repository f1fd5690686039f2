package dev.sluice.producer.requests;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;

/**
 * The arrival rate of an experiment whose load is given as a share of what its lanes can do, the
 * key {@code offered_load}.
 */
public final class OfferedRate {
  private static final int PROVISIONAL_JOBS = 1_000;
  private static final double RATE_MIN = 1e-6;
  private static final double RATE_MAX = 1e6;

  private OfferedRate() {}

  /**
   * Returns the experiment itself, or one with some rate if its own is to be found yet: to draw a
   * list with it finds what is wrong with the experiment and its files.
   */
  public static ParsedExperiment provisional(ParsedExperiment parsed) {
    double seconds = parsed.experiment().load().durationSeconds();
    return parsed.needsRate()
        ? parsed.withRate(Math.min(RATE_MAX, PROVISIONAL_JOBS / seconds))
        : parsed;
  }

  /**
   * Returns the experiment itself, or one with the rate that follows from its offered load: load ×
   * lanes / mean service time of a job alone, over the mean of the load's shape, in three digits.
   * It is the same for every seed.
   */
  public static ParsedExperiment of(ParsedExperiment parsed, List<Capability> capabilities)
      throws UserMistakeException {
    Double load = parsed.experiment().load().offeredLoad();
    if (load == null || !parsed.needsRate()) {
      return parsed;
    }
    ParsedExperiment shaped = provisional(parsed);
    Experiment.Load some = shaped.experiment().load();
    double shape = some.askedRateJobsPerSec() / some.arrivalRateJobsPerSec();
    Experiment experiment = parsed.experiment();
    int lanes = experiment.lanes().count() * experiment.kafka().shards();
    double rate = load * lanes * 1e9 / meanServiceNs(experiment, capabilities) / shape;
    ParsedExperiment rated =
        parsed.withRate(
            new BigDecimal(Math.max(RATE_MIN, Math.min(RATE_MAX, rate)))
                .round(new MathContext(3))
                .doubleValue());
    Experiment.Load asked = rated.experiment().load();
    if (asked.askedJobs() > Ranges.JOBS_MAX) {
      throw new UserMistakeException(
          parsed.location("offered_load"),
          "offered_load (%s) asks for %s jobs/s, about %s jobs, more than %s"
              .formatted(
                  Numbers.text(load),
                  Numbers.text(asked.arrivalRateJobsPerSec()),
                  Numbers.text(Math.rint(asked.askedJobs())),
                  Numbers.text(Ranges.JOBS_MAX)),
          "duration_seconds should be less: the rows of more jobs do not fit in memory");
    }
    return rated;
  }

  /** Mean over the mix that {@link JobMix} draws from. */
  private static double meanServiceNs(Experiment experiment, List<Capability> capabilities) {
    Experiment.Jobs jobs = experiment.jobs();
    Map<ModelKey, Capability> byModel = OfferedLoad.byModel(capabilities);
    double ns = 0;
    double weights = 0;
    for (WorkloadChoice workload : jobs.workloads()) {
      double sumNs = 0;
      int kinds = 0;
      for (String backend : experiment.backendsOf(workload)) {
        for (String precision : jobs.precisionModes()) {
          var model = new ModelKey(workload.name(), backend, precision);
          Capability capability = byModel.get(model);
          if (capability == null) {
            throw new IllegalStateException("no lane can run " + model);
          }
          for (int samples : jobs.batchSizes()) {
            sumNs += OfferedLoad.serviceNs(capability, samples);
            kinds++;
          }
        }
      }
      ns += workload.weight() * sumNs / kinds;
      weights += workload.weight();
    }
    return ns / weights;
  }
}
